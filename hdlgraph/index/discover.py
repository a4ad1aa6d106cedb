"""Which files of a repository are HDL sources: filelist or suffix, less what is ignored."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hdlgraph.errors import UsageError
from hdlgraph.index.ignore import GIT, OWN, Rules, is_ignored, read_rules, rules_above, to_spec
from hdlgraph.index.roles import HEAD_CHARS, role_of
from hdlgraph.parsers.filelist import FileList, read_filelist

SUFFIXES = (".v", ".vh", ".sv", ".svh")
DOCUMENTS = (".md", ".rst", ".adoc", ".hjson")
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
        skipped: list[str] = []
        paths = sorted(_walk(root, suffixes, include, exclude, skipped))
        if skipped:
            notes.append(f"{len(skipped)} files left out by ignore files, such as {min(skipped)}")
    files = (source_file(root, path, (known or {}).get(path)) for path in paths)
    return Discovery(
        files=tuple(file for file in files if file is not None),
        incdirs=listed.incdirs if listed else (),
        defines=listed.defines if listed else (),
        source=source,
        notes=tuple(notes),
    )


def documents(root: Path, exclude: Sequence[str] = ()) -> list[str]:
    """Returns the sorted paths of the documents that no ignore file or glob leaves out."""
    return sorted(_walk(root, DOCUMENTS, (), exclude))


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
    root: Path,
    suffixes: Sequence[str],
    include: Sequence[str],
    exclude: Sequence[str],
    skipped: list[str] | None = None,
) -> Iterator[str]:
    wanted, unwanted = _matcher(include), _matcher(exclude)
    endings = tuple(suffixes)
    rules, is_git = rules_above(root)
    names = {OWN, GIT} if is_git else {OWN}
    for path, ignored in _Walk(root, names).entries(root, "", list(rules), False):
        if not path.endswith(endings) or unwanted(path):
            continue
        if include:
            if wanted(path):
                yield path
        elif not ignored:
            yield path
        elif skipped is not None:
            skipped.append(path)


class _Walk:
    """Walks a tree in order of path; each folder once, links out of the root not at all."""

    def __init__(self, root: Path, names: set[str]) -> None:
        self._root = root
        self._names = names
        self._seen: set[tuple[int, int]] = set()

    def entries(
        self, folder: Path, prefix: str, rules: list[Rules], ignored: bool
    ) -> Iterator[tuple[str, bool]]:
        """Yields (path, whether an ignore file leaves it out) of the files below a folder."""
        try:
            stat = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        if (stat.st_dev, stat.st_ino) in self._seen:
            return
        self._seen.add((stat.st_dev, stat.st_ino))
        here = self._names & {entry.name for entry in entries}
        rules = rules + read_rules(folder, prefix, here)
        for entry in entries:
            path = prefix + entry.name
            try:
                if entry.is_symlink() and not self._is_inside(Path(entry.path)):
                    continue
                is_folder = entry.is_dir()
            except OSError:
                continue
            if not is_folder:
                if entry.is_file():
                    yield path, ignored or (bool(rules) and is_ignored(rules, path))
            elif entry.name not in _SKIPPED_FOLDERS:
                below = ignored or (bool(rules) and is_ignored(rules, path + "/"))
                yield from self.entries(Path(entry.path), path + "/", rules, below)

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._root)


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    if not globs:
        return lambda path: False
    spec = to_spec(globs)
    return lambda path: bool(spec.match_file(PurePosixPath(path).as_posix()))
