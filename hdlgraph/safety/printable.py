"""Makes text of strangers harmless to show: no control characters, no forged lines."""

from __future__ import annotations

import re

HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
"""Characters that are not seen, turn the direction of writing, or are no characters at all, as a
class of `re` without its brackets. Tab and newline are not among them."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPED = re.compile(f"[\t\n{HIDDEN}]")


def visible(text: str) -> str:
    r"""Returns a text as one line: what cannot be seen is written as \n, \xe9 or \u202e.

    Bytes of a file name that are no UTF-8 are written as \xNN.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that the file system could not decode
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def is_plain(name: str) -> bool:
    """Tells whether a file name is UTF-8 without control characters, as an index can hold it."""
    return not _CONTROL.search(name)
