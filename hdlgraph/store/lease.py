"""Leases: as long as a reader holds one on a generation, no run removes that generation.

A lease is a shared lock (flock) on the empty file `lease` of the generation's folder; it ends
with the reader, however that ends. A run removes a generation only when it gets the lock alone.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import weakref
from pathlib import Path

from hdlgraph.store.checksums import LEASE

_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def make_lease(generation: Path) -> None:
    """Creates the file that leases of a new generation are taken on."""
    os.close(os.open(generation / LEASE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o644))


class Lease:
    """A hold on one generation; `close` or the end of the object lets it go.

    Raises:
        FileNotFoundError: the generation is gone, or a run is removing it now.
    """

    def __init__(self, generation: Path) -> None:
        handle = os.open(generation / LEASE, os.O_RDONLY | _OPEN)
        try:
            _lock(handle, fcntl.LOCK_SH)
            # Taken on a name that a run removed meanwhile, it holds nothing.
            if os.fstat(handle).st_nlink == 0:
                raise FileNotFoundError(generation)
        except BlockingIOError:
            os.close(handle)
            raise FileNotFoundError(generation) from None
        except BaseException:
            os.close(handle)
            raise
        self.id = os.fstat(handle).st_dev, os.fstat(handle).st_ino
        self.close = weakref.finalize(self, os.close, handle)


def remove(generation: Path) -> bool:
    """Removes a generation's folder unless a reader holds it; returns whether it is gone."""
    try:
        handle = os.open(generation / LEASE, os.O_RDWR | _OPEN)
    except OSError:
        shutil.rmtree(generation, ignore_errors=True)  # a run was killed before it made the lease
        return not generation.exists()
    try:
        _lock(handle, fcntl.LOCK_EX)
        # The lease goes last: a reader that comes meanwhile finds it locked, not the files gone.
        for path in generation.iterdir():
            if path.name != LEASE:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        shutil.rmtree(generation, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(handle)
    return not generation.exists()


def _lock(handle: int, kind: int) -> None:
    """Takes a lock without waiting; file systems that know none go without.

    Raises:
        BlockingIOError: somebody else has it.
    """
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return
