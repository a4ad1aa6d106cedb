"""One message for a disk that is full, whichever library met it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hdlgraph.errors import HdlgraphError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Numbers of the system's errors that say so."""


@contextmanager
def full_disk_explained(folder: Path) -> Iterator[None]:
    """Turns the errors of a full disk that come up inside of it into one.

    Args:
        folder: the index folder that is being written.

    Raises:
        HdlgraphError: the disk is full, or the user's quota is reached.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if not _is_full(error):
            raise
        raise HdlgraphError(
            f"index {folder}: no space left to write it (disk full or quota reached); free some "
            "and run again: finished work is kept and the former index is still valid"
        ) from error


def _is_full(error: Exception) -> bool:
    """Returns whether an error says that the disk is full; SQLite says it in words alone."""
    if isinstance(error, OSError) and error.errno in FULL:
        return True
    text = str(error).lower()
    signs = ("no space left", "disk is full", "disk i/o error", "file too large", "quota")
    return any(sign in text for sign in signs)
