"""Makes text of strangers harmless to show: no control characters, no forged lines."""

from __future__ import annotations

import re

HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
"""Characters that are not seen, turn the direction of writing, or are no characters at all, as a
class of `re` without its brackets. Tab and newline are not among them, nor is the mark that makes
a picture of the character before it."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPED = re.compile(f"[\t\n{HIDDEN}]")
_UNSEEN = re.compile(f"[{HIDDEN}]")


def visible(text: str) -> str:
    r"""Returns a text as one line: what cannot be seen is written as \n, \xe9 or \u202e.

    Bytes of a file name that are no UTF-8 are written as \xNN.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ESCAPED.sub(_escape, text)


def visible_lines(text: str) -> str:
    """Returns a text as `visible` does, but with its lines and tabs."""
    return _UNSEEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that the file system could not decode
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def is_plain(name: str) -> bool:
    """Returns whether a file name is UTF-8 without control characters, as an index can hold it."""
    return not _CONTROL.search(name)
