"""Faults that the stub endpoint injects: names, schedules and the answers they become.

A fault is a name: an HTTP status with its usual body ("429", "500", "503", ...) or one of

    reset      the connection is reset before an answer
    hang       no byte is ever sent
    truncate   the answer stops in the middle (connection closed)
    cut        a stream ends cleanly, but without its last event
    garbage    200 with a body that is not JSON
    prose      text where JSON was asked for
    empty      an answer without content
    length     an answer cut at its token limit
    refusal    the model refuses
    filter     finish_reason content_filter
    nousage    an answer without token counts
    quota      429 insufficient_quota
    429-date   429 whose Retry-After is a date
    overflow   400 context_length_exceeded
    model      404 model_not_found
    redirect   307 to another host

or one of `HOSTILE`, an answer of the right outside with a value in it that no model gives.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from email.utils import formatdate
from time import time
from typing import Any

Faults = Callable[[int, dict[str, Any]], str | None]
"""Called with the number of the chat request (0-based) and its body; returns a fault or None."""

CONTENT_FAULTS = frozenset({"prose", "empty", "length", "refusal", "filter", "nousage"})

_CONTENTS: dict[str, Any] = {
    "content-number": 7,
    "content-list": [[1, None], {"text": 7}],
    "content-object": {"a": {"b": []}},
    "content-null": None,
    "content-control": "a\x00b\x1b[31m\u202ec\x9b",
    "content-half": "fifo \ud800 ok",
    "content-deep": '{"a":' * 50_000,
    "content-openings": '{"' * 4_000,
}
_COUNTS: dict[str, Any] = {
    "usage-negative": -(10**18),
    "usage-zero": 0,
    "usage-huge": 10**18,
    "usage-digits": 10**40,
    "usage-float": -1e18,
    "usage-text": "many",
    "usage-list": [[]],
}
_PARTS: dict[str, Any] = {
    "choices-number": {"choices": 7},
    "choices-texts": {"choices": ["a", "b"]},
    "choices-object": {"choices": {"0": {}}},
    "message-list": {"choices": [{"message": [], "delta": [], "finish_reason": "stop"}]},
    "finish-list": {
        "choices": [{"message": {"content": "a"}, "delta": {"content": "a"}, "finish_reason": [[]]}]
    },
    "model-list": {"model": [["m"]]},
    "model-long": {"model": "m" * 100_000},
    "error-number": {"error": 7},
}
HOSTILE = (*_CONTENTS, *_COUNTS, *_PARTS, "latin", "not-an-object")


def hostile(fault: str, whole: dict[str, Any]) -> bytes:
    """Returns a completion (also read as an event of a stream) with a hostile value in it."""
    if fault == "not-an-object":
        return b"[[]]"
    choice = whole["choices"][0]
    if fault in _CONTENTS:
        choice["message"]["content"] = _CONTENTS[fault]
    if fault in _COUNTS:
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        whole["usage"] = dict.fromkeys(names, _COUNTS[fault])
    choice["delta"] = choice["message"]
    text = json.dumps({**whole, **_PARTS.get(fault, {})})
    return text.encode().replace(b"Stub", b"St\xfcb" if fault == "latin" else b"Stub")


_CODES: dict[str, tuple[int, str, str, str]] = {  # fault: status, type, code, message
    "400": (400, "invalid_request_error", "invalid_value", "Invalid request."),
    "401": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "402": (402, "insufficient_balance", "insufficient_balance", "Insufficient balance."),
    "403": (403, "forbidden", "forbidden", "You may not use this."),
    "404": (404, "not_found", "not_found", "Not Found"),
    "408": (408, "timeout", "timeout", "Request timed out."),
    "409": (409, "conflict", "conflict", "Conflict."),
    "429": (429, "requests", "rate_limit_exceeded", "Rate limit reached."),
    "429-date": (429, "requests", "rate_limit_exceeded", "Rate limit reached."),
    "quota": (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."),
    "overflow": (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens.",
    ),
    "model": (404, "invalid_request_error", "model_not_found", "The model does not exist."),
}


def seeded(seed: int, shares: Mapping[str, float]) -> Faults:
    """Returns faults drawn by share: `seeded(1, {"503": 0.6})` fails 60 % of the requests."""

    def draw(number: int, _: dict[str, Any]) -> str | None:
        left = random.Random(f"{seed}:{number}").random()
        for fault, share in shares.items():
            left -= share
            if left < 0:
                return fault
        return None

    return draw


def first(*faults: str | None) -> Faults:
    """Returns faults for the first requests, one each; later ones have none."""
    return listed(faults)


def listed(faults: Sequence[str | None]) -> Faults:
    """Returns `faults[n]` for the n-th request."""
    return lambda number, _: faults[number] if number < len(faults) else None


def always(fault: str) -> Faults:
    """Returns the same fault for every request."""
    return lambda *_: fault


def matching(word: str, fault: str) -> Faults:
    """Returns a fault for the requests whose last message holds `word`."""
    return lambda _, body: fault if word in body["messages"][-1]["content"] else None


def status_of(fault: str) -> tuple[int, dict[str, Any]]:
    """Returns the HTTP status and the body of a fault that is an answer."""
    if fault in _CODES:
        status, kind, code, message = _CODES[fault]
    else:
        status, kind, code, message = int(fault), "server_error", "server_error", "Server error."
    return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}


def retry_after(fault: str, seconds: float) -> dict[str, str]:
    """Returns the headers that ask for a pause (a date has whole seconds)."""
    if fault == "429-date":
        return {"Retry-After": formatdate(time() + seconds, usegmt=True)}
    if fault in ("429", "503") and seconds:
        return {"Retry-After": f"{seconds:g}"}
    return {}
