"""Opens files that strangers wrote: regular ones only, inside their root, up to a limit of bytes.

A repository, and an index that came with one, may hold links, pipes, devices and endless files.
Whatever hdlgraph reads back from either goes through this module.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from hdlgraph.errors import UnsafeFileError

SOURCE_BYTES = 512_000_000
"""Larger files of a repository are never read into memory."""

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_regular(path: Path | str, *, follow: bool = True) -> BinaryIO:
    """Returns an open regular file; a pipe or a device is refused without waiting for it.

    Args:
        path: the file.
        follow: whether its last part may be a link.

    Raises:
        UnsafeFileError: it is no regular file, or a link where none may be.
        OSError: it cannot be opened.
    """
    try:
        handle = os.open(path, _READ | (0 if follow else os.O_NOFOLLOW))
    except OSError as error:
        if not follow and Path(path).is_symlink():
            raise UnsafeFileError(f"{path}: is a link, which is not followed here") from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UnsafeFileError(f"{path}: is no regular file")
    os.set_blocking(handle, True)
    return os.fdopen(handle, "rb")


def open_inside(root: Path, path: str) -> BinaryIO:
    """Returns an open regular file of a repository.

    Links are followed as long as they end inside the root; the check is made on the file that
    was opened, so that swapping it meanwhile gains nothing.

    Args:
        root: the repository, absolute and free of links.
        path: relative to the root, POSIX, as an index holds it.

    Raises:
        UnsafeFileError: the path is absolute or leads out of the root, or it is no regular file.
        OSError: it cannot be opened.
    """
    if "\0" in path or path.startswith("/") or ".." in path.split("/"):
        raise UnsafeFileError(f"{path!r}: is no path inside of {root}")
    place = f"{root}/{path}"  # a Path takes as long as all calls of the system together
    stream = open_regular(place)
    try:
        if _is_opened_below(stream, root) or _is_found_below(stream, place, root):
            return stream
    except OSError:
        stream.close()
        raise
    stream.close()
    raise UnsafeFileError(f"{path}: leads out of {root}")


def _is_opened_below(stream: BinaryIO, root: Path) -> bool:
    """Returns whether the system names the open file by a path below the root.

    One call where each part of the path would take one. False proves nothing: another system
    may not tell, or know the root by another name.
    """
    try:
        named = os.readlink(f"/proc/self/fd/{stream.fileno()}")  # noqa: PTH115 (half the time)
    except OSError:
        return False
    return named.startswith(f"{root}/")


def _is_found_below(stream: BinaryIO, place: str, root: Path) -> bool:
    real = os.path.realpath(place)
    if not Path(real).is_relative_to(root):
        return False
    there, opened = os.lstat(real), os.fstat(stream.fileno())
    return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)


def read_inside(root: Path, path: str, limit: int = SOURCE_BYTES) -> bytes:
    """Returns the bytes of a repository's file; see `open_inside`.

    Raises:
        UnsafeFileError: also when it has more than `limit` bytes.
    """
    with open_inside(root, path) as stream:
        return _read(stream, path, limit)


def read_head(root: Path, path: str, limit: int) -> tuple[bytes, int]:
    """Returns the first bytes of a repository's file and its size; see `open_inside`.

    Of a file of more than `limit` bytes these are whole lines of at most so many bytes.
    """
    with open_inside(root, path) as stream:
        size = os.fstat(stream.fileno()).st_size
        data = _whole(stream, size, limit)
    if len(data) <= limit:
        return data, len(data)
    data = data[:limit]
    return data[: data.rfind(b"\n") + 1] or data, max(size, limit + 1)


def read_regular(path: Path, limit: int, *, follow: bool = True) -> bytes:
    """Returns the bytes of a file that was named by its path; see `open_regular`.

    Raises:
        UnsafeFileError: also when it has more than `limit` bytes.
    """
    with open_regular(path, follow=follow) as stream:
        return _read(stream, str(path), limit)


def _read(stream: BinaryIO, name: str, limit: int) -> bytes:
    # Not the size that the system tells alone: the file may grow, and a sparse one costs nothing.
    size = os.fstat(stream.fileno()).st_size
    data = _whole(stream, size, limit) if size <= limit else b""
    if size > limit or len(data) > limit:
        raise UnsafeFileError(f"{name}: has more than {limit} bytes, the most that is read")
    return data


def _whole(stream: BinaryIO, size: int, limit: int) -> bytes:
    """Returns the bytes of a file of about some size, at most one more than `limit`.

    A buffer as large as the limit would be made, and given back, for each small file.
    """
    data = stream.read(min(size, limit) + 1)
    if size < len(data) <= limit:  # it has grown
        data += stream.read(limit + 1 - len(data))
    return data


def reason_of(error: OSError | UnicodeError, path: Path) -> str:
    """Returns why a file cannot be read or written, for a message that has its path already."""
    told = error.strerror if isinstance(error, OSError) else None
    return told or str(error).removeprefix(f"{path}: ")


def create_file(path: Path) -> BinaryIO:
    """Returns a new empty file, open to write; what had that name, a link too, is removed.

    Raises:
        OSError: it cannot be made, or somebody else is quicker.
    """
    with suppress(FileNotFoundError):
        path.unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    return os.fdopen(handle, "wb")


def write_atomic(path: Path, data: bytes) -> None:
    """Writes a file so that readers see the former content or the new one, never a part.

    Neither the file nor the temporary one beside it is followed where it is a link: the
    temporary one is made anew, and the rename replaces a link instead of what it points to.
    """
    temporary = path.with_name(path.name + ".new")
    try:
        with create_file(temporary) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
