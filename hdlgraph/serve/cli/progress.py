"""Progress of a run on stderr: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hdlgraph.serve.cli.output import clean, say

if TYPE_CHECKING:
    from rich.progress import Progress as RichBars
    from rich.progress import ProgressColumn, TaskID

    from hdlgraph.index.progress import Progress

LINE_S = 30.0
"""Seconds between two lines about a stage that costs money and may take hours."""


@contextmanager
def shown(quiet: bool = False) -> Iterator[Progress]:
    """Yields a progress function for the length of a run; `quiet` shows nothing."""
    if quiet:
        yield lambda stage, done, total: None
    elif sys.stderr.isatty():
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
    told: list[str] = []

    def tell(stage: str, done: int, total: int) -> None:  # noqa: ARG001
        if not told:
            told.append(stage)
            say(f"hdlgraph: {text}")

    return tell


class _Lines:
    """One line when a stage has ended, so that logs stay short; more where a model is asked."""

    def __init__(self) -> None:
        self.stage, self.done, self.total, self.text = "", 0, 0, ""
        self.since = self.told = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self.stage:
            self.end()
            self.stage, self.text = stage, ""
            self.since = self.told = time.monotonic()
        self.done, self.total = done, total

    def detail(self, stage: str, text: str) -> None:
        """Records the cost of a stage so far, and prints it now and then."""
        if stage != self.stage:
            return
        self.text = text
        if time.monotonic() - self.told >= LINE_S:
            self.told = time.monotonic()
            say(f"hdlgraph: {stage} {self.done}/{self.total}: {text}")

    def end(self) -> None:
        """Says how the present stage ended, if it was worth a line."""
        seconds = time.monotonic() - self.since
        if self.stage and (seconds >= 1 or self.text):
            items = f" {self.total}" if self.total else ""
            if self.total and self.done < self.total:
                items = f" {self.done}/{self.total}"
            told = f": {self.text}" if self.text else ""
            say(f"hdlgraph: {self.stage}{items} ({seconds:.1f} s){told}")
        self.stage = ""


@contextmanager
def _bars() -> Iterator[Bars]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(*columns(), console=Console(stderr=True)) as bars:
        yield Bars(bars)


def columns() -> Sequence[ProgressColumn]:
    """Returns what is shown of each stage."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

    return (
        TextColumn("{task.description:<12}"),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[text]}", markup=False),
    )


class Bars:
    """One bar a stage, with what it costs beside it."""

    def __init__(self, bars: RichBars) -> None:
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Shows how far a stage is."""
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(stage, total=total or None, text="")
        # A stage without a known number of items is one item.
        self.bars.update(self.tasks[stage], completed=done, total=total or None)

    def detail(self, stage: str, text: str) -> None:
        """Shows what the stage has cost so far."""
        if stage in self.tasks:
            self.bars.update(self.tasks[stage], text=clean(text))

    def end(self) -> None:
        """Fills the bars of stages without a known number of items."""
        for task in self.tasks.values():
            if self.bars.tasks[task].total is None:
                self.bars.update(task, total=1, completed=1)
