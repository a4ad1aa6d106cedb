"""How many files a process may have open: each array of an index that is mapped keeps its file."""

from __future__ import annotations

MANY = 10_240
"""Enough for some hundred indexes at once; macOS allows no more."""


def allow_many() -> None:
    """Raises the limit of open files of this process to MANY, as far as the system lets it."""
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MANY if hard == resource.RLIM_INFINITY else min(MANY, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return
