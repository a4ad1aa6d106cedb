"""Splits a question into aspects, parts that different files may answer, by rules alone.

"How does A do this, and which part does that?" asks twice. A question is parted where the
language's own words say so: coordination before a question word, "compare ... with", "difference
between ... and", a full stop or semicolon. What asks nothing ("A read misses the cache.") sets the
scene for the part beside it, and so does a part that only points back ("and what resets it?").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hdlgraph.words import question_terms

MOST = 4
"""Aspects of a question; what falls into more is a list or a text, and is left whole."""
LEAST_TERMS = 2
"""Content words of an aspect; what has fewer belongs to its neighbour."""
NEAR = 50
"""Place in the ranking of the whole question up to which the first file of a part is shown early.

Alone a part may lose its subject ("how many can wait?"); what it finds then has nothing to do with
the rest: 18 of the first files of 276 parts, over all question sets, none of them right.
"""
RELATIONS = ("compare", "compared", "comparing", "differ", "differs", "difference", "differences")
"""Words that say how aspects stand to each other; they are in none of them."""

_QUESTION_WORD = (
    r"(?:(?:at|by|for|from|in|into|of|on|through|to|under|with) )?"
    r"(?:what|which|who|whom|whose|where|when|why|how)"
)
_AUXILIARY = r"(?:do|does|did|is|are|was|were|can|could|will|would|should|must|may|has|have|had)"
_JOIN = r"(?:and(?: then| also)?|or|but|while|whereas|then|as well as|plus)"
_BOUNDARY = re.compile(
    rf"[;\n]+(?:\s*{_JOIN}\b)?|[.?!]+(?=\s|$)"
    rf"|,?\s+{_JOIN}\s+(?={_QUESTION_WORD}\b)|,\s+(?={_QUESTION_WORD}\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"(?:^|[:,]\s*)(?:{_JOIN} )?(?!(?:when|where) (?!{_AUXILIARY}\b))"
    rf"(?:{_QUESTION_WORD}|{_AUXILIARY})\b",
    re.IGNORECASE,
)
_BACK = r"(?:it|its|they|them|their|this|that|these|those)"
_POINTS_BACK = re.compile(rf"(?<!\bof )\b{_BACK}\W*$|\bwhat else\b", re.IGNORECASE)
_PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"^(?:please |can you )?compar(?:e|ing)\s+(.+?)\s+(?:with|to|against|and)\s+(.+)$",
        r"\bdifferences?\s+between\s+(.+?)\s+and\s+(.+)$",
        r"^(.+?)\s+differs?\s+from\s+(.+)$",
        r"^(.+?)\s+compared?\s+(?:with|to|against)\s+(.+)$",
        r"^(.+?)\s+(?:versus|as opposed to|in contrast to)\s+(.+)$",
    )
)
_EDGES = " \t\n,;.?!"
_WORD = re.compile(r"[A-Za-z0-9_$]+")


def split(question: str, scopes: Collection[str] = ()) -> tuple[str, ...]:
    """Returns the aspects of a question in its order, () when it has only one.

    Every content word of the question but RELATIONS is in an aspect, and no aspect has aspects of
    its own.

    Args:
        question: free text.
        scopes: lower-case names that say where to look, such as folders; one that the question
            writes like a name (a capital or a digit in it) is added to each aspect without it.
    """
    parts = _pair(question) or _clauses(question)
    if not 2 <= len(parts) <= MOST:
        return ()
    named = [w for w in _WORD.findall(question) if w.lower() in scopes and not w.islower()]
    named += [w for w in _WORD.findall(question) if w.lower() in scopes and _digit(w)]
    return tuple(_scoped(part, named) for part in parts)


def interleaved(whole: Sequence[int], parts: Sequence[Sequence[int]]) -> list[int]:
    """Returns the ranking of a question, the first of each aspect's after its own first.

    The first place is the whole question's, so a question wrongly parted loses none. The first of
    an aspect counts only where it is among the first NEAR of the whole.

    Args:
        whole: item numbers ranked for the whole question.
        parts: the same items ranked for each aspect.
    """
    near = frozenset(whole[:NEAR])
    first = dict.fromkeys([*whole[:1], *(part[0] for part in parts if part and part[0] in near)])
    return [*first, *(one for one in whole[:NEAR] if one not in first), *whole[NEAR:]]


def _digit(word: str) -> bool:
    return any(ch.isdigit() for ch in word)


def _pair(question: str) -> list[str]:
    """Returns the two sides of a comparison, [] when the question compares nothing."""
    text = question.strip().rstrip(".?! ")
    for pattern in _PAIRS:
        found = pattern.search(text)
        if found and not _BOUNDARY.search(text) and all(_full(side) for side in found.groups()):
            head = text[: found.start()].strip()
            return [f"{head} {found[1]}".strip(), found[2]]
    return []


def _clauses(question: str) -> list[str]:
    """Returns the clauses, joined to the one before or after where they cannot stand alone."""
    parts: list[str] = []
    begin, stop, last, asked = 0, 0, 0, False  # the open part, the piece before, whether it asks
    for start, end in [*(m.span() for m in _BOUNDARY.finditer(question)), (len(question),) * 2]:
        piece = question[last:start].strip()
        asks = _full(piece) and bool(_ASKS.search(piece))
        if asked and asks and not _POINTS_BACK.search(piece):
            parts.append(question[begin:stop])
            begin, asked = last, False
        asked, stop, last = asked or asks, start, end
    return [text.strip(_EDGES) for text in (*parts, question[begin:])]


def _full(piece: str) -> bool:
    return len(question_terms(piece)) >= LEAST_TERMS


def _scoped(part: str, named: list[str]) -> str:
    held = {word.lower() for word in _WORD.findall(part)}
    lacking = [name for name in dict.fromkeys(named) if name.lower() not in held]
    return f"{part} ({' '.join(lacking)})" if lacking else part
