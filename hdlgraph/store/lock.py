"""One writer per index folder: an advisory lock that the system drops when its holder dies.

The filelock package would save a dozen lines here and costs 31 ms of import in each run; its locks
are of another kind (`flock`), which a run of an earlier version would not see, and name no holder.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hdlgraph.errors import HdlgraphError, IndexLockedError

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

    path = folder / "lock"
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
                raise _locked(folder, path.read_text(encoding="ascii").strip()) from error
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
            yield
        finally:
            os.close(handle)
    finally:
        with _guard:
            _held.discard(name)


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
