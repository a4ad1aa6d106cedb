"""Loads large tables without Python's collector of cycles, which would look at each half built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Holds the collector of cycles while millions of small objects are made that stay.

    It visits all objects again and again as their number grows: half of the time in which the names
    of 575,000 nets are read. Where threads load at once it may begin again before the last is done.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
