"""How many levels of the hierarchy a question says lie between two things."""

from __future__ import annotations

import re

_NUMBERS = {"one": 1, "a": 1, "two": 2, "three": 3, "1": 1, "2": 2, "3": 3, "couple": 2}
_SAID = re.compile(
    r"\b(?P<number>one|a|two|three|1|2|3|couple)(?: of)? (?P<more>(?:more|further) )?"
    r"(?:levels?|steps?)\b(?P<behind> (?:more|further))?", re.I,
)  # fmt: skip


def levels(text: str) -> int:
    """Returns how many levels beyond the next one a question asks for, -1 where it says none."""
    found = _SAID.search(text)
    if found is None:
        return -1
    more = found["more"] or found["behind"]
    return _NUMBERS[found["number"].lower()] - (0 if more else 1)
