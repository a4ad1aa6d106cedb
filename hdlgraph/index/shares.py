"""Does work on many files in copies of this process, side by side.

A copy has all that was read so far at no cost, but each page that it touches is memory more: so
there are few of them, and of a large process only as many as the machine has room for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hdlgraph.index import fork
from hdlgraph.index.fork import SecondProcess

if TYPE_CHECKING:
    from hdlgraph.index.progress import Meter

T = TypeVar("T")
R = TypeVar("R")

MOST, EACH = 4, 100
"""Copies at once, this process among them, and items of each for which one is worth its start."""
LARGE_MB = 1500.0
"""Memory of this process from which a copy is made only where there is room for it."""
ROOM = 0.5
"""Share of the free memory that copies may take, were each to touch all its pages."""


class Shares:
    """Shares work out.

    Args:
        jobs: processes at once.
        meter: its threads rest while a copy is made.
    """

    def __init__(self, jobs: int = 1, meter: Meter | None = None) -> None:
        self._jobs, self._meter = jobs, meter

    def map(self, name: str, work: Callable[[Sequence[T]], list[R]], items: Sequence[T]) -> list[R]:
        """Returns what `work` gives for each item, in their order.

        Args:
            name: what the work is, for messages.
            work: gives a list for some items; what it changes is lost in a copy.
            items: of the work.

        Raises:
            HdlgraphError: a copy crashed.
        """
        count = self.processes(len(items))
        if count < 2:
            return work(items)
        done = self.spread(name, work, [items[at::count] for at in range(count)])
        if done is None:
            return work(items)
        return [done[at % count][at // count] for at in range(len(items))]

    def processes(self, items: int) -> int:
        """Returns how many processes so many items are worth, this one among them."""
        return _with_room(min(self._jobs, MOST, items // EACH))

    def spread(self, name: str, work: Callable[[T], R], parts: Sequence[T]) -> list[R] | None:
        """Returns what `work` gives for each part, of which this process takes the first.

        None where no copy of this process can be made: then nothing was done.

        Raises:
            HdlgraphError: a copy crashed.
        """
        with self._meter.paused() if self._meter else nullcontext():
            others = self._begin(name, work, parts[1:])
        if not others:
            return None
        try:
            return [work(parts[0]), *(other.result() for other in others)]
        finally:
            for other in others:
                other.stop()

    @staticmethod
    def _begin(name: str, work: Callable[[T], R], parts: Sequence[T]) -> list[SecondProcess[R]]:
        """Starts a copy for each part; none where a copy is not safe."""
        if not fork.can_fork():
            return []
        return [SecondProcess(name, partial(work, part)) for part in parts]


ALONE = Shares()
"""Does all work in this process."""


def _with_room(count: int) -> int:
    """Returns how many of so many processes, this one among them, memory allows."""
    mine = _resident_mb()
    if count < 2 or mine <= LARGE_MB:
        return count
    return min(count, 1 + int(ROOM * free_mb() / mine))


def free_mb() -> float:
    """Returns the memory in MiB that the machine, or the control group, has left; 0 if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return 0.0
    group = Path("/sys/fs/cgroup")
    try:
        most = int((group / "memory.max").read_text(encoding="ascii"))
        held = int((group / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no group, or one without a limit: "max"
        return free / 1024
    return max(min(free / 1024, (most - held) / 2**20), 0.0)


def _resident_mb() -> float:
    """Returns the memory of this process in MiB, 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
