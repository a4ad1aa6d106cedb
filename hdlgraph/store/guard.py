"""Checks that an index folder may be used: no links in it, made by hdlgraph, the user's own.

An index folder may have come with a repository, so that whoever wrote that chose what lies in it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from hdlgraph.errors import IndexUnsafeError
from hdlgraph.safety.safe_files import open_regular

TAG = "CACHEDIR.TAG"
DEPTH = 16
"""An index has four nested folders, those of GraphRAG's vector store."""
SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n"
"""What begins the tag (bford.info/cachedir): programs that make backups pass such folders over."""
TAG_TEXT = SIGNATURE + b"# This folder is an index of hdlgraph. Paid answers of models lie in it.\n"
_FILES = re.compile(
    r"lock|\.gitignore|CACHEDIR\.TAG|(cache|answers)\.sqlite(-wal|-shm)?|batches\.json"
    r"|cache-(facts|derived|linked)\.packed"
    r"|(imported|explanations-(first|second)|concepts|written|rewritten|distilled)\.jsonl"
)


def check_readable(folder: Path, generation: Path | None = None) -> None:
    """Checks that nothing at the top of an index folder, nor in one generation, is a link.

    Args:
        folder: the index folder; it may be missing.
        generation: the folder of the generation that will be read.

    Raises:
        IndexUnsafeError: something there is a link, or neither a file nor a folder.
    """
    _check_folder(folder)
    _check_entries(_scan(folder))
    if generation is not None:
        _check_entries(_below(generation))


def check_writable(folder: Path) -> None:
    """Checks that a run may write into an existing folder and remove what it finds there.

    Raises:
        IndexUnsafeError: see `check_readable`; also when the folder belongs to somebody else,
            when a file of it has a second name elsewhere, or when hdlgraph did not make it.
    """
    _check_folder(folder)
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        raise IndexUnsafeError(
            f"index {folder}: belongs to user {owner}, and you are user {os.geteuid()}; choose "
            "another folder with --index"
        )
    entries = list(_scan(folder))
    _check_entries(entries, alone=True)
    _check_entries(_below(folder / "graphrag"))
    _check_entries(_below(folder / "elaborations"), alone=True)
    _check_entries(_below(folder / "documents"), alone=True)
    if entries and not _is_ours(folder):
        raise IndexUnsafeError(
            f"index {folder}: holds files and is not an index of hdlgraph; name an empty folder, "
            "a new one or an index with --index"
        )


def _check_folder(folder: Path) -> None:
    try:
        mode = folder.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(mode):
        raise IndexUnsafeError(
            f"index {folder}: is a link, and whoever wrote the repository may have put it there; "
            f"remove it, or name the folder it points to with --index"
        )


def _scan(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (FileNotFoundError, NotADirectoryError):
        return


def _below(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        if depth > DEPTH:
            raise IndexUnsafeError(
                f"index file {folder}: holds more than {DEPTH} nested folders; remove it"
            )
        for entry in _scan(here):
            yield entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), depth + 1))


def _check_entries(entries: Iterable[os.DirEntry[str]], alone: bool = False) -> None:
    for entry in entries:
        if entry.is_symlink():
            raise IndexUnsafeError(
                f"index file {entry.path}: is a link, which an index never holds; remove it"
            )
        if entry.is_dir(follow_symlinks=False):
            continue
        if not entry.is_file(follow_symlinks=False):
            raise IndexUnsafeError(
                f"index file {entry.path}: is neither a file nor a folder; remove it"
            )
        # A file that is written in place must not be a second name of the user's own.
        if alone and _names(entry) > 1:
            raise IndexUnsafeError(
                f"index file {entry.path}: has a second name elsewhere (a hard link); remove it"
            )


def _names(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_nlink
    except FileNotFoundError:  # another run has just removed it
        return 0


def _is_ours(folder: Path) -> bool:
    """Returns whether hdlgraph made a folder: its tag, or what versions without a tag wrote."""
    if _begins(folder / TAG, SIGNATURE):
        return True
    if all(_FILES.fullmatch(entry.name) and entry.is_file() for entry in _scan(folder)):
        return True  # another run has just begun it, or a cache was put there to begin with
    if (folder / "manifest.json").is_file():
        return _begins(folder / "manifest.json", b"{") and (folder / "lock").is_file()
    return _begins(folder / ".gitignore", b"*\n")


def _begins(file: Path, start: bytes) -> bool:
    try:
        with open_regular(file, follow=False) as stream:
            return stream.read(len(start)) == start
    except OSError:
        return False
