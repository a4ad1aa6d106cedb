"""Decides whether an endpoint is asked any further: pauses of all its calls, and when to stop."""

from __future__ import annotations

import time

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.endpoint.retry import Failure

LEAST_LOST = 8
"""Calls lost in a row before an endpoint is given up, at least."""
MOST_PAUSED_S = 600.0
"""Seconds of pauses that an endpoint may ask for in a row, without any answer in between."""
REST_S = 60.0
"""Seconds after which an endpoint that was given up is tried again with one call."""


class Health:
    """What the calls of one client learnt about their endpoint.

    Args:
        label: the endpoint in messages.
        concurrency: calls under way at once; as many must fail in a row before it is given up.
    """

    def __init__(self, label: str, concurrency: int) -> None:
        self.reached = False
        """Whether any answer came, an error included."""
        self.answers = 0
        self._answered: set[str] = set()  # models
        self._label = label
        self._most_lost = max(LEAST_LOST, concurrency)
        self._lost = 0
        self._last = ""
        self._stopped_at: float | None = None
        self._resume_at = 0.0
        self._paused_s = 0.0  # since the last answer
        self._down = ""
        self._fatal: dict[str, Failure] = {}  # by model, "" is all

    def verdict(self, model: str) -> Failure | None:
        """Returns why no call to `model` can succeed any more, or None while one may."""
        fatal = self._fatal.get("") or self._fatal.get(model)
        if fatal is not None:
            return fatal
        if self._stopped_at is None:
            return None
        if time.monotonic() - self._stopped_at > REST_S:
            self._stopped_at = None
            self._lost = self._most_lost - 1  # the next lost call stops again
            self._down, self._paused_s = "", 0.0
            return None
        if self._down:
            return Failure(ErrorKind.STOPPED, self._down)
        reason = f"stopped answering after {self._lost} failed calls in a row"
        return Failure(ErrorKind.STOPPED, f"{self._label} {reason}; the last one: {self._last}")

    def pause_s(self) -> float:
        """Returns the seconds that all calls still have to wait."""
        return max(0.0, self._resume_at - time.monotonic())

    def failed_once(self, failure: Failure) -> None:
        """Takes note of one failed request, which may yet be repeated."""
        if failure.pause_s:
            now = time.monotonic()
            until = max(self._resume_at, now + failure.pause_s)
            self._paused_s += until - max(self._resume_at, now)
            if self._paused_s > MOST_PAUSED_S:
                reason = f"{self._label} has asked for {self._paused_s:.0f} s of pauses in a row"
                self._stop(f"{reason} and answered nothing: run again later")
            else:
                self._resume_at = until
        if failure.kind not in (ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT):
            self.reached = True

    def lost(self, model: str, failure: Failure) -> None:
        """Takes note of a call that failed for good."""
        if failure.down:
            self._stop(failure.message)
        elif failure.fatal:
            self._fatal[""] = failure
        elif failure.kind.user_must_mend and model not in self._answered:
            self._fatal[model] = failure
        if failure.kind.endpoint_down:
            self._lost += 1
            self._last = failure.message
            if self._lost >= self._most_lost and self._stopped_at is None:
                self._stopped_at = time.monotonic()
        elif failure.kind is not ErrorKind.RATE:
            self._lost = 0

    def done(self, model: str) -> None:
        """Takes note of an answered call."""
        self.reached = True
        self.answers += 1
        self._answered.add(model)
        self._lost = 0
        self._stopped_at = None
        self._down, self._paused_s = "", 0.0

    def _stop(self, why: str) -> None:
        self._down = why
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()
