"""Names that a question misspells: what the index has that is spelt nearly so."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from hdlgraph.query.lexicon import Lexicon

LEAST = 8
"""Letters of the shortest name that is looked at: shorter ones are near to too many."""
PART = 4
"""Letters of the shortest part between two `_` that may differ: `tl_d` is no misspelt `tl_a`."""
SHORT_PART = 6
"""Letters below which a part may have one letter too many or too few, no two: `mode`, `module`."""
LETTERS = 2
"""Letters of a part that may be others, by `difflib`: two that changed places count so."""
MOST_NAMES = 4
"""Names of one question that are looked up."""
_NAME = re.compile(r"(?<![\w.$`])[A-Za-z]\w*(?![\w.])")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_DIGITS = re.compile(r"\d+")


def respelt(text: str, names: Mapping[str, str]) -> str:
    """Returns a text with names as the index spells them.

    A name without `_` keeps its place, as its capitals part its words, and the other follows it.

    Args:
        text: of a question.
        names: a name as the question has it -> as the index has it.
    """

    def spelt(match: re.Match[str]) -> str:
        name = match[0]
        near = names.get(name, name)
        return near if near == name or "_" in name else f"{name} {near}"

    return _NAME.sub(spelt, text) if names else text


def misspelt(text: str, lexicon: Lexicon) -> dict[str, str]:
    """Returns the names of a text that the index lacks, each with the one that is spelt nearly so.

    A name has a `_` or a capital inside. Digits are the same in both, and parts of a few letters;
    what is near to several names equally is left out.
    """
    found: dict[str, str] = {}
    looked_up = 0
    for name in dict.fromkeys(_NAME.findall(text)):
        is_name = "_" in name.strip("_") or _INNER_CAPITAL.search(name)
        if not is_name or len(name) < LEAST or lexicon.document_frequency(name.lower()):
            continue
        looked_up += 1
        if looked_up > MOST_NAMES:
            break
        near = _nearest(name.lower(), lexicon)
        if near:
            found[name] = near
    return found


def _nearest(name: str, lexicon: Lexicon) -> str:
    """Returns the term of the index that is spelt most nearly like a name, "" for none or two."""
    ranked = sorted(
        (-difflib.SequenceMatcher(None, name, term, autojunk=False).ratio(), term)
        for term in lexicon.half_alike(name)
        if _may_mean(name, term)
    )
    if not ranked or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return ""
    return ranked[0][1]


def _may_mean(name: str, term: str) -> bool:
    """Returns whether two spellings differ only in few letters of long parts."""
    if _DIGITS.findall(name) != _DIGITS.findall(term):
        return False
    own, other = name.split("_"), term.split("_")
    return len(own) == len(other) and all(map(_is_near, own, other))


def _is_near(part: str, other: str) -> bool:
    if part == other:
        return True
    shorter = min(len(part), len(other))
    if shorter < PART or (shorter < SHORT_PART and abs(len(part) - len(other)) > 1):
        return False
    changes = difflib.SequenceMatcher(None, part, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in changes if tag != "equal") <= LETTERS
