"""One writer per index folder: an advisory lock that the system drops when its holder dies.

The filelock package would save a dozen lines here and costs 31 ms of import in each run; its locks
are of another kind (`flock`), which a run of an earlier version would not see, and name no holder.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hdlgraph.errors import HdlgraphError, IndexLockedError
from hdlgraph.safety.safe_files import open_regular

NAME = "lock"
AT_WORK = "writing"
"""Stands in the file of the lock behind the process until its run has ended."""
LOCK_BYTES = 1_000
# Such locks belong to a process, so two threads of one process need a list of their own.
_held: set[str] = set()  # resolved paths of the lock files that this process holds
_guard = threading.Lock()


@contextmanager
def index_lock(folder: Path) -> Iterator[None]:
    """Holds the only write permission of an index folder for the length of a `with` block.

    `lockf` and not `flock`: worker processes forked inside the block do not inherit it, so a
    killed run never leaves its workers holding the index.

    Raises:
        IndexLockedError: another process, or another thread of this one, is writing.
    """
    import fcntl

    path = folder / NAME
    name = str(path.resolve())
    with _guard:
        if name in _held:
            raise _locked(folder, str(os.getpid()))
        _held.add(name)
    try:
        handle = _open(path)
        try:
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise _locked(folder, _writer(path)) from error
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()} {AT_WORK}".encode())
            try:
                yield
            except Exception:
                _leave(handle)
                raise
            _leave(handle)  # not after Ctrl-C, as not after a kill
        finally:
            os.close(handle)
    finally:
        with _guard:
            _held.discard(name)


def run_state(folder: Path) -> str:
    """Returns "running" where a run writes an index, "unfinished" where the last did not end.

    Nothing is known of a run that an earlier version ended or left: "".
    """
    import fcntl

    path = folder / NAME
    if str(path.resolve()) in _held:
        return "running"
    try:
        # Closing it would give up a lock of this very process, which is why that is asked first.
        with open_regular(path, follow=False) as stream:
            words = stream.read(LOCK_BYTES).split()
            if words[1:] != [AT_WORK.encode()]:
                return ""
            fcntl.lockf(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return "running" if error.errno in (errno.EACCES, errno.EAGAIN) else ""
    return "unfinished"


def _leave(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, str(os.getpid()).encode())


def _writer(path: Path) -> str:
    """Returns the number of the process that writes, as it stands in the file of the lock."""
    words = path.read_text(encoding="ascii", errors="replace").split()
    return words[0] if words else ""


def _open(path: Path) -> int:
    try:
        # Never through a link, nor waiting for the other end of a pipe.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    except OSError as error:
        raise HdlgraphError(
            f"index {path.parent}: cannot write here ({error.strerror}); "
            "choose another folder with --index"
        ) from error


def _locked(folder: Path, pid: str) -> IndexLockedError:
    who = f"process {pid}" if pid else "another process"
    return IndexLockedError(
        f"index {folder}: {who} is writing it; wait until that run ends or choose another "
        "folder with --index (searching the present index goes on meanwhile)"
    )
