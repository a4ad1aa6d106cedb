"""Decides what a failed request means: its kind, whether it is repeated, and when."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from hdlgraph.errors import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx
    import openai

    from hdlgraph.llm.endpoint.endpoint import Endpoint

MOST_PAUSE_S = 120.0
"""Most seconds of one pause. Limits per minute are over by then; an endpoint that asks for longer
(a day's quota, maintenance) is down as far as a run is concerned."""
MOST_BACKOFF_S = 30.0
SERVER_BACKOFF_S = 10.0
"""The same for an error that the server itself reports: it is there."""
EMPTY_RETRIES = 2
"""An empty answer is paid for each time, so it is asked again less often."""
SILENT_RETRIES = 2
"""Repetitions after a time-out while no other call is answered either."""
UNREACHED_RETRIES = 3
"""Repetitions while no connection was ever made: most likely the address is wrong."""
LIVELY_FACTOR = 3
"""Repetitions are this many times more while other calls are answered: at 60 % errors, eight
would lose one call of a hundred."""
PATIENT_FACTOR = 4
"""The same for an endpoint that says when to come again."""

_REPEATED = frozenset({408, 409, 429})
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "insufficient balance")
_OVERFLOW = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "maximum context length",
    "exceeds the available context size",
    "exceeds the context",
    "context window",
    "context length",
    "prompt is too long",
    "input is too long",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request.

    `again`: worth repeating. `pause_s`: what Retry-After asks for. `fatal`: the same for every
    call that follows. `refused`: the server's words where it takes a request as wrong. `down`: it
    asks for a longer pause than any run waits.
    """

    kind: ErrorKind
    message: str
    again: bool = False
    pause_s: float | None = None
    fatal: bool = False
    refused: str = ""
    down: bool = False


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds of Retry-After (a number or a date), 0 for a moment that is over."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if not value:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time.time()
            except (ValueError, TypeError, OverflowError):
                continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    return None


def repetitions(failure: Failure, retries: int, *, lively: bool, reached: bool) -> int:
    """Returns how often a request that failed so may be repeated.

    Args:
        failure: the last failure.
        retries: `llm.retries`.
        lively: other calls were answered meanwhile.
        reached: the endpoint was ever connected to.
    """
    if not failure.again:
        return 0
    if failure.kind is ErrorKind.EMPTY:
        return min(EMPTY_RETRIES, retries)
    if failure.kind is ErrorKind.UNREACHABLE and not reached:
        return min(UNREACHED_RETRIES, retries)
    if failure.kind is ErrorKind.TIMEOUT:
        return retries if lively else min(SILENT_RETRIES, retries)
    if failure.pause_s:
        return retries * PATIENT_FACTOR
    return retries * (LIVELY_FACTOR if lively else 1)


def backoff(
    attempt: int, base_s: float, dice: random.Random, most_s: float = MOST_BACKOFF_S
) -> float:
    """Returns the seconds before repetition `attempt` (from 0): doubled each time, spread out."""
    return min(base_s * 2.0 ** min(attempt, 20), most_s) * dice.uniform(0.5, 1.0)


def wait_s(failure: Failure, attempt: int, base_s: float, dice: random.Random) -> float:
    """Returns the seconds before a request is repeated, beside the pause of the endpoint."""
    if failure.pause_s:
        return 0.0
    at_work = failure.kind in (ErrorKind.SERVER, ErrorKind.RATE)
    return backoff(attempt, base_s, dice, SERVER_BACKOFF_S if at_work else MOST_BACKOFF_S)


def connection_failure(error: Exception, endpoint: Endpoint, timeout_s: float) -> Failure:
    """Returns what a request without an answer means."""
    import httpx
    import openai

    from hdlgraph.llm.endpoint.body import Unusable

    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    where = endpoint.label
    if isinstance(cause, Unusable):
        return Failure(cause.kind, endpoint.clean(f"{where} {cause}"), again=cause.again)
    if isinstance(cause, httpx.ConnectTimeout | httpx.ConnectError):
        detail = endpoint.clean(str(cause)) or "timed out"
        return Failure(ErrorKind.UNREACHABLE, f"cannot reach {where}: {detail}", again=True)
    if isinstance(error, openai.APITimeoutError) or isinstance(cause, httpx.TimeoutException):
        return Failure(ErrorKind.TIMEOUT, f"{where} sent nothing for {timeout_s:g} s", again=True)
    if isinstance(cause, httpx.RemoteProtocolError) and "complete" in str(cause):
        return Failure(
            ErrorKind.TRUNCATED, f"{where} broke off in the middle of an answer", again=True
        )
    detail = endpoint.clean(str(cause or error)) or type(cause or error).__name__
    return Failure(ErrorKind.UNREACHABLE, f"the connection to {where} broke: {detail}", again=True)


def status_failure(error: openai.APIStatusError, endpoint: Endpoint, model: str) -> Failure:
    """Returns what an HTTP error means."""
    response: httpx.Response = error.response
    status = response.status_code
    words = _words(error)
    detail = endpoint.clean(_message(error))
    pause = retry_after(response.headers)
    message = f"{endpoint.label} answered {status}: {detail}"
    if any(mark in words for mark in _QUOTA) or status == 402:
        return Failure(ErrorKind.RATE, f"{message}; the account has no credit left", fatal=True)
    if status in _REPEATED or status >= 500:
        kind = {408: ErrorKind.TIMEOUT, 429: ErrorKind.RATE}.get(status, ErrorKind.SERVER)
        # llama.cpp and Ollama report some overflows as 500.
        if status >= 500 and any(mark in words for mark in _OVERFLOW):
            return Failure(ErrorKind.OVERFLOW, message)
        if pause is not None and pause > MOST_PAUSE_S:
            asks = f"{endpoint.label} answered {status} and asks to wait {pause:.0f} s"
            note = f"{asks}; a run waits {MOST_PAUSE_S:.0f} s at most: run again after that"
            return Failure(kind, f"{note} ({detail})", down=True)
        again = response.headers.get("x-should-retry") != "false"
        return Failure(kind, message, again=again, pause_s=pause)
    if status == 401:
        note = f"{message}; check the key in {endpoint.key_env}"
        return Failure(ErrorKind.AUTH, note, fatal=True)
    if status == 403:
        return Failure(
            ErrorKind.AUTH, f"{message}; the key in {endpoint.key_env} may not use {model}"
        )
    if 300 <= status < 400:
        return Failure(
            ErrorKind.REQUEST, f"{endpoint.label} redirects; set llm.base_url to its new place"
        )
    if status == 404 or "model_not_found" in words or "deploymentnotfound" in words:
        return Failure(ErrorKind.MODEL, f"{message}; is {model!r} the name of a model there?")
    if status in (400, 413, 422) and any(mark in words for mark in _OVERFLOW):
        return Failure(ErrorKind.OVERFLOW, message)
    if "content_filter" in words or "content management policy" in words:
        return Failure(ErrorKind.REFUSAL, message)
    refused = words if status in (400, 422) else ""
    return Failure(ErrorKind.REQUEST, message, refused=refused)


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        for value in (body.get("message"), body.get("error"), body.get("detail")):
            if isinstance(value, str):
                return value
    return _quoted(body) if body else error.response.reason_phrase or "no reason given"


def _words(error: openai.APIStatusError) -> str:
    """Returns all that the server says, in lower case, for looking marks up."""
    values = (error.code, error.param, error.type, error.body)
    return " ".join(_quoted(value) for value in values if value).lower()


def _quoted(value: object) -> str:
    try:
        return str(value)
    except RecursionError:  # a body of a batch's line, nested too deep
        return "an unreadable reason"
