"""Finds the documents: those of the repository by themselves, and those of the roots named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.files import wanted_below
from hdlgraph.parsers.documents.formats import SUFFIXES
from hdlgraph.parsers.registry import document_format
from hdlgraph.store.documents.homes import FOLDERS, NAMED, home_of

MOST = 50_000
"""Documents; further ones are left out, and a note says so."""
ROOTS = 50
"""Folders that may be named with --docs."""
_NO_DOCUMENT = re.compile(r"(?i)(?:^|/)(?:cmakelists|requirements[^/]*|licen[cs]e[^/]*)\.txt$")
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Found(NamedTuple):
    """A document: its path as it is cited, its root, its path there, bytes and time."""

    path: str
    root: Path
    inside: str
    size: int
    mtime_ns: int


def named_roots(folders: Sequence[Path], former: Mapping[str, str]) -> dict[str, Path]:
    """Returns the roots of --docs by name: that of the folder, `NAME-2` where two have the same.

    Args:
        folders: as the user named them.
        former: the names and folders of the index, which stay the same.

    Raises:
        UsageError: one is no folder, or there are too many.
    """
    roots: dict[str, Path] = {}
    known = {place: name for name, place in former.items()}
    for folder in folders:
        place = folder.resolve()
        if not place.is_dir():
            raise UsageError(f"--docs {folder}: no such folder; name one that holds documents")
        if place in roots.values():
            continue
        base = _NAME.sub("-", place.name) or "docs"
        name, count = known.get(str(place), base), 1
        while name in roots or former.get(name, str(place)) != str(place):
            count += 1
            name = f"{base}-{count}"
        roots[name] = place
    if len(roots) > ROOTS:
        raise UsageError(f"--docs: {len(roots)} folders, {ROOTS} at most; name one above them")
    return roots


def find_documents(
    root: Path, exclude: Sequence[str], roots: Mapping[str, Path]
) -> tuple[list[Found], list[str]]:
    """Returns the documents in order of path, and notes on those left out.

    In the repository ignore files count, and text, tables and JSON are documents only within
    folders of documents (`doc`, `docs`, `manual` ...).

    Args:
        root: the repository.
        exclude: globs of files of the repository to leave out.
        roots: further folders by name; they lie where the user named them.
    """
    found = list(_below("", root.resolve(), exclude, everything=False))
    for name, place in sorted(roots.items()):
        found += _below(f"{NAMED}{name}/", place, (), everything=True)
    found.sort(key=lambda one: one.path)
    if len(found) <= MOST:
        return found, []
    return found[:MOST], [f"{len(found)} documents; only the first {MOST} by path are read"]


def _below(prefix: str, root: Path, exclude: Sequence[str], everything: bool) -> Iterator[Found]:
    endings = (*SUFFIXES, *(suffix.upper() for suffix in SUFFIXES))
    paths = wanted_below(root, lambda _: True, suffixes=endings, exclude=exclude)
    for path in paths:
        kind = document_format(path)
        if kind is None or not (everything or kind.everywhere or FOLDERS.search(path)):
            continue
        if _NO_DOCUMENT.search(path):
            continue
        try:
            stat = (root / path).stat()
        except OSError:
            continue
        yield Found(prefix + path, root, path, stat.st_size, stat.st_mtime_ns)


def domain_of(path: str, domains: Mapping[str, str]) -> str:
    """Returns the domain of a document: of the longest folder in the settings, else its folder's.

    Args:
        path: of the document.
        domains: names by folder.
    """
    inside = [folder for folder in domains if f"{path}/".startswith(f"{folder.rstrip('/')}/")]
    if inside:
        return domains[max(inside, key=len)]
    if path.startswith(NAMED):
        return path[1:].partition("/")[0]
    return home_of(path).rpartition("/")[2]
