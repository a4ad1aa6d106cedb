"""Reads the project files of a repository: the sets of files that they list."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from hdlgraph.errors import UsageError
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.filesets.words import Project, read_bender, read_core
from hdlgraph.index.kept.functions import of_content
from hdlgraph.index.kept.unchanged import while_same
from hdlgraph.parsers.filelist import read_filelist
from hdlgraph.safety.safe_files import read_inside

BYTES, ALL_BYTES = 256_000, 20_000_000
"""Larger project files are not read, and no more than so many bytes of all together."""
ENDINGS = (".core", "Bender.yml", ".f")
LISTS = 200
"""Most filelists that are read: each may name folders and other lists."""


def read_filesets(
    root: Path, projects: Iterable[str], paths: Collection[str]
) -> tuple[Fileset, ...]:
    """Returns the sets of files that the project files of a repository list.

    FuseSoC cores, Bender packages and filelists (`.f`) count; what cannot be read is passed over.

    Args:
        root: the repository.
        projects: the paths of its project files.
        paths: the files of the index; others are left out of the sets.
    """
    known = frozenset(paths)
    root = root.resolve()
    found: dict[str, list[Fileset]] = {}
    wanted = sorted(place for place in projects if place.endswith(ENDINGS))
    lists = [place for place in wanted if place.endswith(".f")]
    for place in lists[:LISTS]:
        found[place] = list(_of_list(root, place, known))
    others = [place for place in wanted if not place.endswith(".f")]
    digest = hashlib.blake2b("\n".join(sorted(known)).encode(errors="surrogateescape")).digest()
    make = partial(_of_projects, root, others, known)
    kind = dict[str, list[Fileset]]
    found |= while_same("filesets of projects", root, others, kind, make, digest)
    return tuple(one for place in wanted for one in found.get(place, ()))


def _of_projects(
    root: Path, places: Sequence[str], known: frozenset[str]
) -> dict[str, list[Fileset]]:
    """Returns the sets of files that cores and packages list, by place."""
    left = ALL_BYTES
    found: dict[str, list[Fileset]] = {}
    for place in places:
        try:
            data = read_inside(root, place, min(BYTES, left))
        except OSError:
            continue
        left = max(left - len(data), 0)
        found[place] = list(_of_project(place, _project(place, data), known))
    return found


def _project(place: str, data: bytes) -> Project:
    """Returns what a core or package says, as kept where its content is known."""
    kind, read = ("core", read_core) if place.endswith(".core") else ("bender", read_bender)
    return of_content(kind, data, Project, lambda: read(data.decode("utf-8", errors="replace")))


def _of_list(root: Path, place: str, known: frozenset[str]) -> Iterable[Fileset]:
    try:
        listed = read_filelist(root / place, root, found=True)
    except (UsageError, OSError):
        return ()
    files = tuple(path for path in listed.files if path in known)
    return (Fileset(place, place, files),) if len(files) > 1 else ()


def _of_project(place: str, project: Project, known: frozenset[str]) -> Iterator[Fileset]:
    folder = place.rpartition("/")[0]
    owner = project.name or place
    for one in project.sets:
        files = dict.fromkeys(_joined(folder, file) for file in one.files)
        inside = tuple(path for path in files if path in known)
        if inside or one.depends:
            yield Fileset(owner, place, inside, one.depends)


def _joined(folder: str, written: str) -> str:
    """Returns `folder/written` without `.` and `..`; "" where it leaves the repository."""
    parts: list[str] = []
    for part in PurePosixPath(folder, written).parts:
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
