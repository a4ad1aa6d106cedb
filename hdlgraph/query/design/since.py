"""Which design files changed since a commit, and which names they no longer declare."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.model import NodeKind
from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.safety.git import FILE, LINK, MODULE, Entry, Git, blob_hash
from hdlgraph.safety.printable import is_plain, visible
from hdlgraph.safety.safe_files import SOURCE_BYTES, read_inside, read_regular, reason_of
from hdlgraph.store.manifest import Manifest

READ_BYTES = 16_000_000
"""Of a larger file nobody looks which names it declared before."""
LIST_BYTES = 64_000_000
"""Bytes of the longest list of files that is read."""
ADDED, CHANGED, REMOVED, RENAMED = "added", "changed", "removed", "renamed"


class Change(NamedTuple):
    """A changed file: `status` is added, changed, removed or renamed, then from `former`."""

    path: str
    status: str
    former: str = ""


class Lost(NamedTuple):
    """A name that a changed file declared before: `kind` as of unresolved names, and the file."""

    kind: str
    name: str
    path: str


@dataclass(frozen=True)
class Changed:
    """The changed files by path, the names that are gone with them, the commit, and notes."""

    files: tuple[Change, ...]
    lost: tuple[Lost, ...] = ()
    base: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class _Look:
    """The indexed files of a repository beside what a commit holds of them."""

    root: Path
    manifest: Manifest
    before: dict[str, Entry]
    now: dict[str, Entry]
    """What the present commit holds; asked for only where there are submodules."""
    modules: dict[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        both = (*self.before.items(), *self.now.items())
        self.modules = {path: entry for path, entry in both if entry.kind == MODULE}

    def status(self, path: str) -> str:
        """Returns how a file changed since the commit, "" where it did not."""
        entry, there = self.before.get(path), os.path.lexists(self.root / path)
        if not there:
            return REMOVED if entry or path in self.manifest.files else ""
        if entry is not None:
            return "" if self._same(path, entry) else CHANGED
        around = next((one for one in _above(path) if one in self.modules), None)
        if around is None:
            return ADDED
        return "" if self.before.get(around) == self.now.get(around) else CHANGED

    def _same(self, path: str, entry: Entry) -> bool:
        try:
            if entry.kind == LINK:
                leads = os.fsencode((self.root / path).readlink())
                return blob_hash(leads, entry.hash) == entry.hash
            data = read_inside(self.root, path, SOURCE_BYTES)
        except OSError:
            return False
        if blob_hash(data, entry.hash) == entry.hash:
            return True
        # A working copy may have line ends that the commit has not.
        return b"\r\n" in data and blob_hash(data.replace(b"\r\n", b"\n"), entry.hash) == entry.hash

    def hash_of(self, path: str, like: str) -> str:
        """Returns the hash that git would give a present file, "" where it cannot be read."""
        try:
            return blob_hash(read_inside(self.root, path, SOURCE_BYTES), like)
        except OSError:
            return ""


def changed_since(
    root: Path,
    manifest: Manifest,
    revision: str,
    new: Collection[str],
    headers: Collection[str],
    declared: Callable[[str], Collection[str]],
) -> Changed:
    """Returns the design files that differ from where this branch left a revision.

    Both commits and files that are not committed count. Where git knows no common ancestor of
    the revision and the present commit, as in a shallow clone, the revision itself is compared.

    Args:
        root: the repository, absolute and free of links.
        manifest: that of the index.
        revision: a commit, branch or tag.
        new: design files that the index does not know yet.
        headers: names of included files that no indexed file has.
        declared: gives the names that a file declares now.

    Raises:
        UsageError: git is not there, or knows no such revision.
    """
    git = Git(root)
    wanted = git.commit(revision)
    base = git.merge_base(wanted, head := git.commit("HEAD"))
    notes = [] if base else [f"no common ancestor with {revision} is known: compared with itself"]
    base = base or wanted
    before = git.tree(base)
    nested = any(entry.kind == MODULE for entry in before.values())
    look = _Look(root, manifest, before, git.tree(head) if nested else {})
    suffixes = manifest.suffixes
    tails = {name.rpartition("/")[2] for name in headers}
    known = {*manifest.files, *new}
    known |= {
        path
        for path, entry in before.items()
        if entry.kind != MODULE
        and (path.rpartition("/")[2] in tails or (path.endswith(suffixes) and _gone(root, path)))
    }
    found = [Change(path, status) for path in sorted(known) if (status := look.status(path))]
    lost = _lost(git, look, found, declared)
    return Changed(_renamed(look, found), lost, base, tuple(notes))


def changed_of(root: Path, manifest: Manifest, names: Iterable[str]) -> Changed:
    """Returns the design files among those that somebody says have changed.

    Args:
        root: the repository, absolute and free of links.
        manifest: that of the index.
        names: paths relative to the root, or absolute ones inside it.
    """
    found, outside, other = {}, 0, 0
    for name in names:
        path = _inside(root, name)
        if path is None:
            outside += 1
        elif path in manifest.files or path.endswith(manifest.suffixes):
            found[path] = Change(path, REMOVED if _gone(root, path) else CHANGED)
        else:
            found.setdefault(path, Change(path, ""))
            other += 1
    notes = [f"{outside} of the files lie outside of {root}"] if outside else []
    return Changed(tuple(found[path] for path in sorted(found)), notes=tuple(notes))


def listed(source: Path | None, stdin: Callable[[], str]) -> list[str]:
    """Returns the paths of a list, one a line; of standard input where no file is named.

    Raises:
        UsageError: it cannot be read, or is a source itself.
    """
    if source and source.suffix.lower() in RTL_SUFFIXES:
        raise UsageError(
            f"{source}: is a source; --files takes a list of paths, one a line, or `-` for stdin: "
            f"`echo {source} | hdlgraph affected --files -`"
        )
    try:
        text = read_regular(source, LIST_BYTES).decode() if source else stdin()
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error, source) if source else error
        raise UsageError(
            f"list of files {source or '-'}: cannot be read: {why}; check the path"
        ) from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _inside(root: Path, name: str) -> str | None:
    """Returns a path relative to the root, None where it leads out of it."""
    if not is_plain(name):
        raise UsageError(f"file {visible(name)!r}: a path has no control characters")
    path = os.path.normpath(root / name)  # an absolute name stands for itself
    prefix = f"{root}/"
    return path.removeprefix(prefix) if path.startswith(prefix) else None


def _gone(root: Path, path: str) -> bool:
    return not os.path.lexists(root / path)


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1))


def _renamed(look: _Look, found: list[Change]) -> tuple[Change, ...]:
    """Returns the changes with each added file of a removed one's content as a rename of that."""
    free: dict[str, list[str]] = {}
    for one in found:
        entry = look.before.get(one.path)
        if one.status == REMOVED and entry and entry.kind == FILE:
            free.setdefault(entry.hash, []).append(one.path)
    if not free:
        return tuple(found)
    like, used, out = next(iter(free)), set(), []
    for one in found:
        former = free.get(look.hash_of(one.path, like), []) if one.status == ADDED else []
        if former:
            used.add(former[0])
            out.append(Change(one.path, RENAMED, former.pop(0)))
        else:
            out.append(one)
    return tuple(one for one in out if one.path not in used)


def _lost(
    git: Git, look: _Look, found: list[Change], declared: Callable[[str], Collection[str]]
) -> tuple[Lost, ...]:
    """Returns what the former contents of changed files declared and the present ones do not."""
    former = {
        one.path: look.before[one.path].hash
        for one in found
        if one.path in look.before and look.before[one.path].kind == FILE
    }
    texts = git.blobs(former.values(), READ_BYTES) if former else {}
    lost = []
    for one in found:
        if one.status == REMOVED:
            lost.append(Lost("include", one.path, one.path))
        text = texts.get(former.get(one.path, ""))
        if text is not None:
            kept = () if one.status == REMOVED else declared(one.path)
            lost += [Lost(kind, name, one.path) for kind, name in _names(text) if name not in kept]
    return tuple(sorted({*lost}))


def _names(data: bytes) -> Iterator[tuple[str, str]]:
    """Yields (kind, name) of the units and macros that a text declares."""
    from hdlgraph.parsers.text.inventory import take_inventory

    record = take_inventory("", data).record
    kinds: dict[str, str] = {NodeKind.PACKAGE: "package", NodeKind.CLASS: "class"}
    for unit in record.units:
        yield kinds.get(unit.kind, "module"), unit.name
    for macro in record.macros:
        yield "macro", macro.name
