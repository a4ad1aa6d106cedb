"""The state of one source file: its size, its time, a hash of its content, and what it is for."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from hdlgraph.index.discover.roles import HEAD_CHARS, role_of
from hdlgraph.safety.safe_files import SOURCE_BYTES, open_inside

_HEAD_BYTES = HEAD_CHARS


class SourceFile(msgspec.Struct, frozen=True, gc=False):
    """A file to index. `path` is relative to the root, POSIX; `sha256` is "" if unreadable."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    role: str


class Known(msgspec.Struct, frozen=True, gc=False):
    """What an earlier run knows of a file, so that an unchanged one is not read again."""

    size: int
    mtime_ns: int
    sha256: str
    role: str


def source_file(root: Path, path: str, known: Known | None = None) -> SourceFile | None:
    """Returns the state of one file; None when it is gone or no regular file.

    Args:
        root: the repository, absolute and free of links.
        path: relative to the root.
        known: what an earlier run knows of it.
    """
    try:
        stat = os.stat(f"{root}/{path}")  # noqa: PTH116  half the time
    except OSError:
        return None
    if known and known.size == stat.st_size and known.mtime_ns == stat.st_mtime_ns:
        return SourceFile(path, stat.st_size, stat.st_mtime_ns, known.sha256, known.role)
    sha256, head = "", b""
    # A larger one stays without a hash: the reader of the file says so, and it is not indexed.
    if stat.st_size <= SOURCE_BYTES:
        sha256, head = _digest(root, path)
    text = head.decode("utf-8", errors="replace")
    role = role_of(path, text if sha256 else "")
    return SourceFile(path, stat.st_size, stat.st_mtime_ns, sha256, role.value)


def _digest(root: Path, path: str) -> tuple[str, bytes]:
    """Returns (SHA-256, first bytes) of a file, an empty hash where it cannot be read."""
    try:
        with open_inside(root, path) as stream:
            head = stream.read(_HEAD_BYTES)
            digest = hashlib.sha256(head)
            size = len(head)
            while size <= SOURCE_BYTES and (block := stream.read(1 << 20)):
                digest.update(block)
                size += len(block)
    except OSError:
        return "", b""
    return (digest.hexdigest(), head) if size <= SOURCE_BYTES else ("", b"")
