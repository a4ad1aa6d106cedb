"""Finds what the index has that is spelt nearly like a name that it lacks.

Counted are letters that are others, too many or too few, and two that changed places (optimal
string alignment). A lost or added `_` is no letter.
"""

from __future__ import annotations

import difflib
import re

from hdlgraph.query.lexicon import Lexicon

LONG = 9
"""Letters from which two may differ; in shorter names one."""
PART = 4
"""Letters of the shortest part between two `_` that may have another letter: `tl_d` is no misspelt
`tl_a`. In shorter ones two may have changed places, one stand twice, or one be lost."""
SHORT_PART = 6
"""Letters below which a part may have one letter too many or too few, no two: `mode`, `module`."""
JOINT = 0.5
"""What a name loses whose `_` stand elsewhere, in letters."""
MOST = 4
"""Names that are equally near, at most."""
_DIGITS = re.compile(r"\d+")


def nearest(name: str, lexicon: Lexicon, shortest: int) -> list[str]:
    """Returns the terms of the index that are nearest to a name, all equally near; [] for none.

    Digits are the same, and short parts nearly so.

    Args:
        name: in lower case.
        lexicon: of the index.
        shortest: letters of the shortest name that is near to any.
    """
    letters = name.replace("_", "")
    if len(letters) < shortest:
        return []
    most = 1 if len(letters) < LONG else 2
    found: list[tuple[float, str]] = []
    for term in lexicon.lettered(name, most):
        moved = name.count("_") != term.count("_")
        if not lexicon.document_frequency(term) or not (moved or _same_parts(name, term)):
            continue
        away = distance(letters, term.replace("_", ""), most)
        if away <= (min(most, 1) if moved else most):
            found.append((away + JOINT * moved, term))
    best = min((away for away, _ in found), default=0.0)
    near = [term for away, term in found if away == best]
    ratios = {term: _ratio(name, term) for term in near}
    return sorted(term for term in near if ratios[term] == max(ratios.values()))[:MOST]


def distance(one: str, other: str, most: int) -> int:
    """Returns how many changes make one text of another; `most` + 1 where it takes more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, row, older = row, [i], before
        for j, sign in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != sign))
            if older and j > 1 and letter == other[j - 2] and one[i - 2] == sign:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before = last
    return row[-1]


def _ratio(name: str, term: str) -> float:
    return difflib.SequenceMatcher(None, name, term, autojunk=False).ratio()


def _same_parts(name: str, term: str) -> bool:
    """Returns whether two names of as many `_` differ in nothing that is a name of its own."""
    if _DIGITS.findall(name) != _DIGITS.findall(term):
        return False
    return all(map(_may_differ, name.split("_"), term.split("_")))


def _may_differ(part: str, other: str) -> bool:
    if part == other:
        return True
    short, long = sorted((part, other), key=len)
    if len(short) < PART:
        swapped = len(short) == len(long) > 2 and sorted(short) == sorted(long)
        return swapped or (len(long) == len(short) + 1 and _is_slip(part, other))
    return len(short) >= SHORT_PART or len(long) - len(short) <= 1


def _is_slip(part: str, other: str) -> bool:
    """Returns whether a part has a letter twice, or lost one of a double, or of at least PART."""
    short, long = sorted((part, other), key=len)
    if short is part and len(long) >= PART:
        return True
    return any(
        long[:at] + long[at + 1 :] == short and long[at] == long[at - 1]
        for at in range(1, len(long))
    )
