"""Progress of a run: items done, seconds of each stage, memory of all its processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from hdlgraph.results import StageTime

Progress = Callable[[str, int, int], None]
"""Called as progress(stage, done, total); total is 0 until it is known.

Of one stage `done` never falls and `total` does not change once it is known; a stage that went
well ends with both the same.

Where it has a method `detail(stage, text)`, that is told what a stage costs so far. A thread of its
own rests in the `with` block of its method `paused()`, in which a process is forked.
"""

Tick = Callable[..., None]
"""Called as tick(done), or tick(done, total) by a stage that learns its total later."""

PERIOD_S = 0.2

RARELY = 49
"""Between two samples passes at least so many times the time that one takes."""


def silent(stage: str, done: int, total: int) -> None:
    """Ignores progress."""


class Ticker:
    """Calls a function again and again in a thread of its own.

    Args:
        name: of the thread.
        call: returns the seconds until it is called next.
    """

    def __init__(self, name: str, call: Callable[[], float]) -> None:
        self._name, self._call = name, call
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins; the function is called at once."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and waits for it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Ends the thread for the length of a `with` block, if it runs."""
        runs = self._thread is not None
        self.stop()
        try:
            yield
        finally:
            if runs:
                self.start()

    def _run(self) -> None:
        while not self._stop.wait(self._call()):
            pass


class Meter:
    """Stage times and peak memory of a run; a context manager that samples while it is open."""

    def __init__(self, progress: Progress = silent) -> None:
        self.progress = progress
        self.stages: list[StageTime] = []
        self.peak_mb = 0.0
        self._begin = time.perf_counter()
        self._ticker = Ticker("hdlgraph-meter", self._sample)

    def __enter__(self) -> Meter:
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ticker.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Ends all threads of progress for the length of a `with` block, which forks a process."""
        context = getattr(self.progress, "paused", nullcontext)
        with self._ticker.paused(), context():
            yield

    def detail(self, stage: str, text: str) -> None:
        """Reports what a stage has cost so far, to whoever can show it."""
        show = getattr(self.progress, "detail", None)
        if show is not None:
            show(stage, text)

    def total(self) -> StageTime:
        """Returns the wall time since the beginning; stages may have run side by side."""
        return StageTime("total", round(time.perf_counter() - self._begin, 3))

    @contextmanager
    def stage(self, name: str, total: int = 0) -> Iterator[Tick]:
        """Times a stage; yields a function that reports how many items are done.

        That takes the number done, and the number of all where it was not known before. However
        little it was told, the stage ends with all done.
        """
        start = time.perf_counter()
        reported = [0, total]

        def tick(done: int, of: int = 0) -> None:
            reported[:] = done, of or reported[1]
            self.progress(name, *reported)

        tick(0)
        yield tick
        if reported[0] < reported[1] or not reported[1]:
            last = reported[1] or max(reported[0], 1)  # a stage without items is one item
            tick(last, last)
        self.stages.append(StageTime(name, round(time.perf_counter() - start, 3), total))

    def _sample(self) -> float:
        began = time.perf_counter()
        self.peak_mb = max(self.peak_mb, memory_mb(over=self.peak_mb))
        # The system walks all pages of a process for this, and holds up what maps new ones.
        return max(PERIOD_S, RARELY * (time.perf_counter() - began))


def memory_mb(over: float = 0.0) -> float:
    """Returns the memory of this process and all its descendants in MiB.

    Proportional set size, so that pages which forked processes share count once; resident set
    size of this process alone where the system does not tell. psutil takes 2.1 ms of CPU for the
    same sum of three processes, this 0.5 ms, and 55 ms to be imported.

    Args:
        over: MiB; where the resident sizes together are not more, that sum is returned: it is
            never less than the proportional one, and costs no walk over the pages.
    """
    family = _family(os.getpid())
    resident = sum(map(_resident_bytes, family)) / 2**20
    if 0 < resident <= over:
        return round(resident, 1)
    kib = sum(map(_pss_kib, family))
    if kib:
        return round(kib / 1024, 1)
    import resource
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024), 1)


def _family(pid: int) -> list[int]:
    found, front = [], [pid]
    while front:
        one = front.pop()
        found.append(one)
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                front += map(int, (task / "children").read_text(encoding="ascii").split())
        except (OSError, ValueError):  # the process has ended, or the system does not tell
            continue
    return found


def _resident_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _pss_kib(pid: int) -> int:
    try:
        with Path(f"/proc/{pid}/smaps_rollup").open("rb") as lines:
            for line in lines:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return 0
