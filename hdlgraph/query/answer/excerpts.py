"""Parts of a very long file, with its line numbers: what an answer reads closely of it.

Reading a file statement by statement takes seconds for each ten megabytes, which generators write.
Of such a file only the units, and of long units the places, around some lines are read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

LARGE = 1_000_000
"""Characters of a file that is read as a whole."""
KEPT = 400_000
"""Characters of a longer one that are read closely."""
UNIT = 60_000
"""Characters of a unit that is read as a whole."""
HEAD, AROUND = 40, 150
"""Lines of a longer unit that are read: from its beginning, and before and behind a place."""
_ENDS = re.compile(
    r"^[ \t]{0,8}end(?:module|interface|package|program|class|primitive)\b", re.MULTILINE
)


def is_large(text: str) -> bool:
    """Returns whether a file is so long that only parts of it are read closely."""
    return len(text) > LARGE


def excerpt(text: str, wanted: Iterable[int]) -> str:
    """Returns a text whose lines are empty but those around some places; a short one as it is.

    Args:
        text: of a file.
        wanted: lines, from 1, those worth most first.
    """
    return _excerpt(text, tuple(wanted)) if is_large(text) else text


def read_closely(text: str, anchors: Iterable[int], words: Iterable[str]) -> str:
    """Returns an excerpt around some lines, then around those with most of some words."""
    if not is_large(text):
        return text
    starts = (word[:-1] if len(word) > 3 else word for word in words)  # stems end otherwise
    return excerpt(text, (*anchors, *lines_of_words(text, starts)))


@lru_cache(maxsize=8)  # each holds its whole file
def _excerpt(text: str, wanted: tuple[int, ...]) -> str:
    lines, ends = _parts(text)
    kept: set[int] = set()
    room = KEPT
    for line in wanted:
        if line in kept or not 0 < line <= len(lines):
            continue
        new = [one for one in _near(lines, ends, line) if one not in kept]
        size = sum(len(lines[one - 1]) + 1 for one in new)
        if size > room:
            break
        kept.update(new)
        room -= size
    return "\n".join(one if n in kept else "" for n, one in enumerate(lines, 1))


@lru_cache(maxsize=2)
def _parts(text: str) -> tuple[list[str], list[int]]:
    """Returns the lines of a text, and those on which units end."""
    return text.split("\n"), _unit_ends(text)


def _unit_ends(text: str) -> list[int]:
    """Returns the lines on which units end, in their order."""
    found, line, counted = [], 1, 0
    for one in _ENDS.finditer(text):
        line += text.count("\n", counted, one.start())
        counted = one.start()
        found.append(line)
    return found


def _near(lines: Sequence[str], ends: Sequence[int], line: int) -> Iterable[int]:
    """Returns the lines of the unit around a line, of a long unit those near it."""
    at = bisect_right(ends, line - 1)
    first = ends[at - 1] + 1 if at else 1
    last = ends[at] if at < len(ends) else len(lines)
    if sum(len(one) for one in lines[first - 1 : last]) <= UNIT:
        return range(first, last + 1)
    head = next((n for n in range(first, line + 1) if lines[n - 1].strip()), first)
    near = range(max(head, line - AROUND), min(last, line + AROUND) + 1)
    return sorted({*range(head, min(head + HEAD, line) + 1), *near, last})


def lines_of_words(text: str, words: Iterable[str], most: int = 40) -> list[int]:
    """Returns the lines that have most of some words, the first of as many first.

    Args:
        text: of a file.
        words: beginnings of words in lower case.
        most: lines returned at most.
    """
    starts = sorted({word for word in words if word})
    if not starts:
        return []
    counts = {}
    for n, line in enumerate(text.lower().split("\n"), 1):
        count = sum(map(line.__contains__, starts))
        if count:
            counts[n] = count
    return sorted(counts, key=lambda n: (-counts[n], n))[:most]
