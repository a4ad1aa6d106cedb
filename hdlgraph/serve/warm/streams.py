"""Standard streams by thread: what a command prints goes to whom it is run for."""

from __future__ import annotations

import io
import sys
from contextvars import ContextVar
from typing import Any, TextIO


class Captured(io.TextIOBase):
    """A stream whose text is collected, together with that of its sibling, in order.

    Args:
        number: 1 for stdout, 2 for stderr.
        parts: where each piece is put, as [number, text].
        terminal: whether the stream stands for a terminal.
    """

    encoding = "utf-8"

    def __init__(self, number: int, parts: list[list[Any]], terminal: bool) -> None:
        self._number = number
        self._parts = parts
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Collects a text."""
        if self._parts and self._parts[-1][0] == self._number:
            self._parts[-1][1] += text
        else:
            self._parts.append([self._number, text])
        return len(text)

    def writable(self) -> bool:
        """Returns True."""
        return True

    def isatty(self) -> bool:
        """Returns whether the stream stands for a terminal."""
        return self._terminal


CAPTURED: ContextVar[tuple[Captured, Captured] | None] = ContextVar("captured", default=None)
"""The streams that stand for stdout and stderr in this thread, None for those of the process."""


class Routed:
    """Stands for stdout or stderr of the process: each thread may have one of its own."""

    def __init__(self, own: TextIO, number: int) -> None:
        self._own = own
        self._number = number

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the stream of this thread."""
        captured = CAPTURED.get()
        return getattr(captured[self._number - 1] if captured else self._own, name)


def route() -> None:
    """Lets threads have standard streams of their own from now on."""
    if not isinstance(sys.stdout, Routed):
        sys.stdout = Routed(sys.stdout, 1)
    if not isinstance(sys.stderr, Routed):
        sys.stderr = Routed(sys.stderr, 2)
