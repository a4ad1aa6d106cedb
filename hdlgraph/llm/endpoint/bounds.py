"""How much an endpoint may answer and for how long; what goes beyond is no model's answer.

The limits are far above what models answer, so that only a broken or hostile server meets them:
the largest models write 128,000 tokens, half a megabyte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_BYTES = 8 << 20
"""Bytes of one answer, unpacked."""
MOST_HELD = 96 << 20
"""Bytes of all answers that one client is receiving at a time."""
MOST_ERROR_BYTES = 64 << 10
"""Bytes that are read of the answer to a request that failed."""
MOST_EVENT_BYTES = 1 << 20
"""Bytes of one event of a stream."""
MOST_VALUES = 200_000
"""Values in the JSON of one answer: in memory each takes up to 200 bytes."""
MOST_DEPTH = 64
"""Levels of the JSON of one answer."""
WHOLE_FACTOR = 5
"""A whole answer may take so many times the seconds that may pass without a byte."""
TOKEN_S = 0.25
"""Seconds for each token asked for; a slower server is of no use to anybody."""
STREAM_TOKEN_BYTES = 2048
"""Bytes of a stream for each token: most servers frame every token by itself."""
TOKEN_CHARS = 64
"""Characters of an answer's text for each token: no tokeniser's mean comes near."""

_ADVICE = "; look at that server, or correct the address in the settings"
_SLOW = "; raise llm.timeout_s if it is only slow"
_SHAPE = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]|[\]}]', re.S)
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one request may bring: seconds of waiting, bytes unpacked, values of JSON.

    `hint` says what to do about an answer that takes longer.
    """

    seconds: float
    size: int = MOST_BYTES
    values: int = MOST_VALUES
    hint: str = _SLOW


def answer_s(timeout_s: float, max_tokens: int = 0) -> float:
    """Returns the most seconds of a whole answer.

    Args:
        timeout_s: most seconds without a byte.
        max_tokens: most tokens of the answer.
    """
    return max(timeout_s * WHOLE_FACTOR, max_tokens * TOKEN_S)


def stream_bytes(max_tokens: int) -> int:
    """Returns the most bytes of a streamed answer, its frames included."""
    return MOST_BYTES + max_tokens * STREAM_TOKEN_BYTES


def text_chars(max_tokens: int) -> int:
    """Returns the most characters of an answer's text, thoughts included."""
    return 100_000 + max_tokens * TOKEN_CHARS


def too_large(most: int) -> str:
    """Returns what is said of an answer with more than `most` bytes."""
    return f"sent more than {most / 1e6:.3g} MB in one answer{_ADVICE}"


def too_slow(most_s: float, hint: str = _SLOW) -> str:
    """Returns what is said of an answer that was not whole after `most_s` seconds."""
    return f"did not finish its answer within {most_s:g} s{hint}"


def misshaped(content: bytes, values: int = MOST_VALUES) -> str:
    """Returns what is wrong with the shape of a JSON text, "" when it is safe to decode."""
    openings = content.count(b"{") + content.count(b"[")
    if openings + content.count(b",") > values:
        return f"sent more than {values} values in one answer{_ADVICE}"
    if openings > MOST_DEPTH and _depth(content) > MOST_DEPTH:
        return f"sent JSON nested deeper than {MOST_DEPTH} levels{_ADVICE}"
    return ""


def _depth(content: bytes) -> int:
    """Returns the levels of a JSON text; counting ends beyond `MOST_DEPTH`."""
    depth = 0
    for token in _SHAPE.finditer(content):
        match content[token.start()]:
            case 0x5B | 0x7B:
                depth += 1
                if depth > MOST_DEPTH:
                    break
            case 0x5D | 0x7D:
                depth -= 1
    return depth


def plain(text: str) -> str:
    """Returns a model's text without what no text holds.

    Control characters besides tab and line ends, and characters that turn the direction of
    writing, become blanks, so that no words grow together. Halves of characters, which could be
    written to no file, become "?".
    """
    if not _ODD.search(text):
        return text
    return _ODD.sub(" ", text.encode("utf-8", "replace").decode())
