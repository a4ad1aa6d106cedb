"""Progress of a run on stderr: a bar on a terminal, one line per stage elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hdlgraph.serve.output import say

if TYPE_CHECKING:
    from hdlgraph.index.meter import Progress


@contextmanager
def shown(quiet: bool = False) -> Iterator[Progress]:
    """Yields a progress function for the length of a run; `quiet` shows nothing."""
    if quiet:
        yield lambda stage, done, total: None
    elif sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        yield _Lines()


class _Lines:
    """One line when a stage has ended, so that logs stay short."""

    def __init__(self) -> None:
        self.stage, self.since = "", time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self.stage:
            self._end()
            self.stage, self.since, self.total = stage, time.monotonic(), total
        self.total = total

    def _end(self) -> None:
        if self.stage and time.monotonic() - self.since >= 1:
            items = f" {self.total}" if self.total else ""
            seconds = time.monotonic() - self.since
            say(f"hdlgraph: {self.stage}{items} ({seconds:.1f} s)")


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            # A stage without a known number of items is one item.
            bars.update(tasks[stage], completed=done, total=total or None)

        yield progress
        for task in tasks.values():
            if bars.tasks[task].total is None:
                bars.update(task, total=1, completed=1)
