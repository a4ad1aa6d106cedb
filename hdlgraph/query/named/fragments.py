"""Finds the identifiers of an index that have some words as their parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.words import split_identifier, stem

LETTERS = 5
"""Letters of the shortest words together that are looked up."""
LEAST = 0.7
"""What an identifier fits of which the words are hardly a part; one that they are fits 1."""
TURNED = 0.9
"""What is left of it where the words stand in another order, or with others between them."""
SHORTENED = 0.9
"""What is left of it where a word is the short form of a part, or a part that of a word."""
FEWEST, MOST = 3, 8
"""Words of which one may be a short form: of two the other one alone would tell the name, and of
many a name seldom consists."""
PREFIX = 3
"""Letters of a word cut short, such as `req`."""
_PART = re.compile(r"[a-z]+|[0-9]+")


def fragments(words: Sequence[str], lexicon: Lexicon) -> dict[str, float]:
    """Returns the identifiers that have all of some words as parts, each with how well it fits."""
    parts = [part for word in words for part in split_identifier(word)]
    joined = "".join(parts)
    if len(joined) < LETTERS:
        return {}
    longest = sorted(parts, key=len, reverse=True)
    having = lexicon.having(longest[0])
    found = _whole(having, parts)
    if not found and FEWEST <= len(parts) <= MOST:
        # An identifier without one of the words has one of any two.
        found = _shortened({*having, *lexicon.having(longest[1])}, parts)
    alone = stem(joined)
    if len(parts) > 1 and lexicon.document_frequency(alone):
        found.setdefault(alone, 1.0)
    return found


def _whole(terms: Iterable[str], parts: Sequence[str]) -> dict[str, float]:
    """Returns those of some identifiers that have all words, each with how well it fits."""
    fits = {term: _fit(term, parts) for term in terms if all(part in term for part in parts)}
    return {term: fit for term, fit in fits.items() if fit}


def _shortened(terms: Iterable[str], parts: Sequence[str]) -> dict[str, float]:
    """Returns those of some identifiers that have all words but one, and that one shortened."""
    found: dict[str, float] = {}
    for term in sorted(terms):
        missing = [at for at, part in enumerate(parts) if part not in term]
        if len(missing) != 1:
            continue
        at = missing[0]
        short = (one for one in _PART.findall(term) if _is_short(parts[at], one))
        fits = (_fit(term, [*parts[:at], one, *parts[at + 1 :]]) for one in short)
        fit = max(fits, default=0.0)
        if fit:
            found[term] = SHORTENED * fit
    return found


def _fit(term: str, parts: Sequence[str]) -> float:
    """Returns how well an identifier fits some words, 0 where one is no part of it."""
    share = covered(term, parts)
    if not share:
        return 0.0
    in_order = "".join(parts) in term.replace("_", "")
    return (LEAST + (1 - LEAST) * share) * (1.0 if in_order else TURNED)


def _is_short(one: str, other: str) -> bool:
    """Returns whether one of two words is the other with letters left out, such as `chk`.

    The first letter is the same, and no digit is in them.
    """
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or len(short) == len(long) or short[0] != long[0] or not long.isalpha():
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


def covered(term: str, parts: Sequence[str]) -> float:
    """Returns the share of an identifier's letters that some parts are; 0 where one is missing."""
    free = _PART.findall(term) if re.search(r"[_0-9]", term) else [term]
    total = sum(map(len, free))
    had = 0
    for part in parts:
        at = _place(free, part)
        if at is None:
            return 0.0
        had += min(len(part), len(free[at]))
        free[at] = free[at].replace(part, "", 1) if part in free[at] else ""
    return had / total if total else 0.0


def _place(free: Sequence[str], part: str) -> int | None:
    """Returns the number of the first part of a name that a word may be: whole, cut, within."""
    for fit in (_is_part, _begins_alike, _is_within, _ends_or_begins):
        for number, one in enumerate(free):
            if fit(one, part):
                return number
    return None


def _is_part(one: str, word: str) -> bool:
    return one == word


def _begins_alike(one: str, word: str) -> bool:
    return len(word) >= PREFIX and (one.startswith(word) or stem(one) == stem(word))


def _is_within(one: str, word: str) -> bool:
    return len(word) >= PREFIX and word in one


def _ends_or_begins(one: str, word: str) -> bool:
    return len(word) > 1 and (one.endswith(word) or one.startswith(word))
