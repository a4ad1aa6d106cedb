"""Progress of a run on stderr: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from hdlgraph.index.progress import Ticker
from hdlgraph.serve.cli.output import clean, say
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from rich.progress import Progress as RichBars
    from rich.progress import ProgressColumn, Task, TaskID

    from hdlgraph.index.progress import Progress

TICK_S = 0.1
"""Seconds between two pictures of the bars."""
LINE_S = 30.0
"""Seconds between two lines about a stage that costs money and may take hours."""


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """Yields a progress function for the length of a run; `quiet` shows nothing without -v."""
    if volume().quiet or (quiet and not volume().verbose):
        yield lambda stage, done, total: None
    elif sys.stderr.isatty() and not quiet:
        with _bars() as bars:
            yield bars
            bars.end()
    else:
        lines = _Lines()
        try:
            yield lines
        finally:
            lines.end()


def once(text: str) -> Progress:
    """Returns a progress function that says `text` when a run begins, and no more."""
    printed: list[str] = []

    def tell(stage: str, done: int, total: int) -> None:  # noqa: ARG001
        if not printed:
            printed.append(stage)
            say(f"hdlgraph: {text}")

    return tell


class _Lines:
    """One line when a stage has ended, so that logs stay short; more where a model is asked."""

    def __init__(self) -> None:
        self.stage, self.done, self.total, self.text = "", 0, 0, ""
        self.since = self.last_line = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self.stage:
            self.end()
            self.stage, self.text = stage, ""
            self.since = self.last_line = time.monotonic()
        self.done, self.total = done, total

    def detail(self, stage: str, text: str) -> None:
        """Records the cost of a stage so far, and prints it now and then."""
        if stage != self.stage:
            return
        self.text = text
        if time.monotonic() - self.last_line >= LINE_S:
            self.last_line = time.monotonic()
            say(f"hdlgraph: {stage} {self.done}/{self.total}: {text}")

    def end(self) -> None:
        """Records how the present stage ended, if it was worth a line."""
        seconds = time.monotonic() - self.since
        if self.stage and (seconds >= 1 or self.text or volume().verbose):
            items = f" {self.total}" if self.total else ""
            if self.total and self.done < self.total:
                items = f" {self.done}/{self.total}"
            rate = f", {_per_second(self.done / seconds)}" if self.done > 1 and seconds >= 1 else ""
            ending = f": {self.text}" if self.text else ""
            say(f"hdlgraph: {self.stage}{items} ({seconds:.1f} s{rate}){ending}")
        self.stage = ""


@contextmanager
def _bars() -> Iterator[Bars]:
    from rich.console import Console
    from rich.progress import Progress

    # A batch of texts takes many seconds: a rate over the usual half minute would jump. The thread
    # of rich's own that draws the bars cannot be paused.
    with Progress(
        *columns(), console=Console(stderr=True), speed_estimate_period=600.0, auto_refresh=False
    ) as bars:
        shower = Bars(bars)
        shower.ticker.start()
        try:
            yield shower
        finally:
            shower.ticker.stop()


def columns() -> Sequence[ProgressColumn]:
    """Returns what is shown of each stage: how far it is, how fast it goes, what is left."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class Pace(ProgressColumn):
        """The rate of a stage, and the time that it will still take."""

        def render(self, task: Task) -> Text:
            return Text(pace(task.speed, task.remaining, task.finished))

    return (
        TextColumn("{task.description:<12}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        Pace(),
        TextColumn("{task.fields[text]}", markup=False),
    )


def pace(speed: float | None, remaining: float | None, finished: bool) -> str:
    """Returns the rate of a stage and the time left, "" while they are not known.

    Args:
        speed: items a second, None where nothing was measured.
        remaining: items left, None where the total is not known.
        finished: whether all are done.
    """
    if not speed:
        return ""
    rate = _per_second(speed)
    if finished or remaining is None:
        return rate
    seconds = round(remaining / speed)
    if seconds < 60:
        return f"{rate}, {seconds} s left"
    minutes, hours = seconds // 60, seconds // 3600
    return f"{rate}, {hours} h {minutes % 60} min left" if hours else f"{rate}, {minutes} min left"


def _per_second(speed: float) -> str:
    return f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s"


class Bars:
    """One bar a stage, with what it costs beside it; no bar ever goes back."""

    def __init__(self, bars: RichBars) -> None:
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}
        self.ticker = Ticker("hdlgraph-bars", self._draw)

    def _draw(self) -> float:
        self.bars.refresh()
        return TICK_S

    def paused(self) -> AbstractContextManager[None]:
        """Returns a `with` block in which no thread draws the bars."""
        return self.ticker.paused()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Shows how far a stage is; one that begins anew, as for another index, starts again."""
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(stage, total=total or None, text="")
        task = self.tasks[stage]
        shown = self.bars.tasks[task]
        if not done and shown.finished:
            self.bars.reset(task, total=total or None)
        elif done < shown.completed and total == shown.total:
            return
        self.bars.update(task, completed=done, total=total or None)

    def detail(self, stage: str, text: str) -> None:
        """Shows what the stage has cost so far."""
        if stage in self.tasks:
            self.bars.update(self.tasks[stage], text=clean(text))

    def end(self) -> None:
        """Fills the bars of stages without a known number of items."""
        for task in self.tasks.values():
            if self.bars.tasks[task].total is None:
                self.bars.update(task, total=1, completed=1)
