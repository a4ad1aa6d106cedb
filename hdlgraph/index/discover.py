"""Which files of a repository are HDL sources: filelist or suffix, less what is ignored."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.index.roles import HEAD_CHARS, role_of
from hdlgraph.parsers.filelist import FileList, read_filelist

SUFFIXES = (".v", ".vh", ".sv", ".svh")
IGNORE_FILES = (".gitignore", ".hdlgraphignore")
_SKIPPED_FOLDERS = frozenset({".git", ".hdlgraph", ".hg", ".svn", "__pycache__", ".venv"})
_HEAD_BYTES = HEAD_CHARS


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to index. `path` is relative to the root, POSIX; `sha256` is "" if unreadable."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    role: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """The sources of a repository in order of path, and how they were found.

    `source` says where the list comes from: a filelist's path or "glob". `notes` are lines for
    the user: files outside the root, missing entries.
    """

    files: tuple[SourceFile, ...]
    incdirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    source: str = "glob"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier run knows of a file, so that an unchanged one is not read again."""

    size: int
    mtime_ns: int
    sha256: str
    role: str


def discover(
    root: Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    filelist: Path | None = None,
    suffixes: Sequence[str] = SUFFIXES,
    known: Mapping[str, Known] | None = None,
) -> Discovery:
    """Returns the HDL sources under `root`.

    Args:
        root: the repository.
        include: gitignore-style globs; when given, only files that match one are taken. They
            also bring back files that `.gitignore` leaves out.
        exclude: gitignore-style globs of files to leave out.
        filelist: a `.f` file; without it `verible.filelist` in the root, else all suffixes.
        suffixes: file name endings that are HDL.
        known: facts of an earlier run by path; a file with equal size and time keeps its hash.

    Raises:
        UsageError: `root` is no folder, or the filelist cannot be read.
    """
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder; give the path of a repository")
    root = root.resolve()
    listed, source = _filelist(root, filelist)
    notes: list[str] = []
    if listed is not None:
        # Headers are not listed in filelists, so every includable file comes along.
        paths = sorted({*listed.files, *_headers(root, suffixes, include, exclude)})
        paths = [path for path in paths if not _matcher(exclude)(path)]
        notes += [f"{source}: outside of the root, not read: {name}" for name in listed.outside]
        notes += [f"{source}: does not exist: {name}" for name in listed.missing]
        notes += [f"{source}: {note}" for note in listed.notes]
    else:
        paths = sorted(_walk(root, suffixes, include, exclude))
    files = (source_file(root, path, (known or {}).get(path)) for path in paths)
    return Discovery(
        files=tuple(file for file in files if file is not None),
        incdirs=listed.incdirs if listed else (),
        defines=listed.defines if listed else (),
        source=source,
        notes=tuple(notes),
    )


def source_file(root: Path, path: str, known: Known | None = None) -> SourceFile | None:
    """Returns the state of one file; None when it is gone or no regular file."""
    full = root / path
    try:
        stat = full.stat()
    except OSError:
        return None
    if known and known.size == stat.st_size and known.mtime_ns == stat.st_mtime_ns:
        return SourceFile(path, stat.st_size, stat.st_mtime_ns, known.sha256, known.role)
    try:
        with full.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
            digest = hashlib.sha256(head)
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError:
        return SourceFile(path, stat.st_size, stat.st_mtime_ns, "", role_of(path).value)
    role = role_of(path, head.decode("utf-8", errors="replace"))
    return SourceFile(path, stat.st_size, stat.st_mtime_ns, digest.hexdigest(), role.value)


def _filelist(root: Path, filelist: Path | None) -> tuple[FileList | None, str]:
    path = filelist
    if path is None:
        path = root / "verible.filelist"
        if not path.is_file():
            return None, "glob"
    name = (
        path.name
        if not path.resolve().is_relative_to(root)
        else (path.resolve().relative_to(root).as_posix())
    )
    return read_filelist(path, root), name


def _headers(
    root: Path, suffixes: Sequence[str], include: Sequence[str], exclude: Sequence[str]
) -> Iterator[str]:
    headers = tuple(s for s in (*suffixes, ".svh", ".vh") if s.endswith("h"))
    return _walk(root, headers, include, exclude)


def _walk(
    root: Path, suffixes: Sequence[str], include: Sequence[str], exclude: Sequence[str]
) -> Iterator[str]:
    wanted, unwanted = _matcher(include), _matcher(exclude)
    endings = tuple(suffixes)
    for path, ignored in _entries(root, str(root), "", [], frozenset()):
        if not path.endswith(endings) or unwanted(path):
            continue
        if include:
            if wanted(path):
                yield path
        elif not ignored:
            yield path


def _entries(
    root: Path, folder: str, prefix: str, rules: list[Any], seen: frozenset[str], ignored=False
) -> Iterator[tuple[str, bool]]:
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen = seen | {real}
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    rules = rules + _rules(folder, prefix, {entry.name for entry in entries})
    for entry in entries:
        path = prefix + entry.name
        try:
            if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root):
                continue
            is_folder = entry.is_dir()
        except OSError:
            continue
        if is_folder:
            if entry.name not in _SKIPPED_FOLDERS:
                below = ignored or _is_ignored(rules, path + "/")
                yield from _entries(root, entry.path, path + "/", rules, seen, below)
        elif entry.is_file():
            yield path, ignored or (bool(rules) and _is_ignored(rules, path))


def _rules(folder: str, prefix: str, names: set[str]) -> list[tuple[str, Any]]:
    found = []
    for name in IGNORE_FILES:
        if name in names:
            try:
                lines = (Path(folder) / name).read_text("utf-8", errors="replace").splitlines()
            except OSError:
                continue
            found.append((prefix, _spec(lines)))
    return found


def _spec(lines: Sequence[str]) -> Any:
    import pathspec

    good = []
    for line in lines:
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return pathspec.GitIgnoreSpec.from_lines(good)


def _is_ignored(rules: list[Any], path: str) -> bool:
    for prefix, spec in reversed(rules):
        verdict = spec.check_file(path[len(prefix) :]).include
        if verdict is not None:
            return bool(verdict)
    return False


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    if not globs:
        return lambda path: False
    spec = _spec(list(globs))
    return lambda path: bool(spec.match_file(PurePosixPath(path).as_posix()))
