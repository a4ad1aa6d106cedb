"""Limits on what people may ask: how often, how much at a time; and memory that does not grow."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Keeps the values that were used last; may be used by several threads.

    Args:
        most: how many; the one unused for longest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, ...], Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...]) -> Value | None:
        """Returns the value of a key, None where it is not kept."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def setdefault(self, key: tuple[str, ...], value: Value) -> Value:
        """Returns the value of a key, which becomes this one where there is none."""
        with self._lock:
            kept = self._kept.setdefault(key, value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return kept

    def first(self, key: tuple[str, ...], value: Value) -> bool:
        """Keeps a value; returns False where the key was there already."""
        with self._lock:
            if key in self._kept:
                return False
        return self.setdefault(key, value) is value


class Rate:
    """Decides whether somebody may go on.

    Args:
        most: times within the window.
        seconds: the window's length.
    """

    def __init__(self, most: int, seconds: float = 60.0) -> None:
        self._most, self._seconds = most, seconds
        self._times: Recent[deque[float]] = Recent(10_000)
        self._lock = threading.Lock()

    def admits(self, who: str, now: float | None = None) -> bool:
        """Counts one time of somebody; returns False where that is too often.

        Args:
            who: the user.
            now: seconds of a clock that never goes back; None takes the machine's.
        """
        moment = time.monotonic() if now is None else now
        times = self._times.setdefault((who,), deque())
        with self._lock:
            while times and moment - times[0] >= self._seconds:
                times.popleft()
            if len(times) >= self._most:
                return False
            times.append(moment)
            return True
