"""How much a command says on stderr: less with -q, the times of its stages with -v."""

from __future__ import annotations

import time
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdlgraph.serve.cli.text.wrap import Wrapper

BEGAN = time.perf_counter()
"""When this module was imported, which is soon after the process began."""

HERE: ContextVar[Path | None] = ContextVar("here", default=None)
"""The working directory of whoever called, where a command runs for another process."""


class Volume:
    """What is known of the command that runs: -q and -v, its words, when its stages ended.

    `root` is the repository whose files it names, None before that is known; `wrapper` breaks the
    lines of streamed text on a terminal.
    """

    def __init__(self, began: float) -> None:
        self.quiet = self.verbose = False
        self.command = ""
        self.root: Path | None = None
        self.wrapper: Wrapper | None = None
        self.began = self.last = began
        self.stages: list[tuple[str, float]] = []

    def begin(self, command: str, quiet: bool, verbose: bool) -> None:
        """Takes over the options of a command; what came before counts as its start."""
        self.command = command
        self.quiet, self.verbose = self.quiet or quiet, self.verbose or verbose
        self.mark("start")

    def mark(self, stage: str) -> None:
        """Notes that a stage has ended now."""
        now = time.perf_counter()
        self.stages.append((stage, now - self.last))
        self.last = now

    def mark_once(self, stage: str) -> None:
        """Notes the end of a stage where that was not noted before."""
        if self.stages and all(name != stage for name, _ in self.stages):
            self.mark(stage)

    def timings(self) -> str:
        """Returns the times of the stages in seconds, in one line."""
        stages = ", ".join(f"{name} {seconds:.2f}" for name, seconds in self.stages)
        return f"{self.command} {self.last - self.began:.2f} s ({stages})"


_VOLUME: ContextVar[Volume | None] = ContextVar("volume", default=None)


def volume() -> Volume:
    """Returns what is known of the command that runs in this thread."""
    return _VOLUME.get() or fresh(time.perf_counter())


def fresh(began: float) -> Volume:
    """Returns the volume of a command that begins now; `began` is when its process did."""
    found = Volume(began)
    _VOLUME.set(found)
    return found
