"""Whether a question is written in another script than the names and comments of a design."""

from __future__ import annotations

import unicodedata

MOSTLY = 0.5  # share of the letters


def foreign(text: str) -> bool:
    """Returns whether most letters of a text belong to another script than the Latin one."""
    letters = [ch for ch in text if ch.isalpha()]
    other = sum(not ch.isascii() and "LATIN" not in unicodedata.name(ch, "") for ch in letters)
    return bool(letters) and other > MOSTLY * len(letters)
