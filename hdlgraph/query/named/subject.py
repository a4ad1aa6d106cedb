"""What a question is about that asks for a name and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hdlgraph.words import words

MOST = 10
"""Words of the longest text that is taken for names alone."""
LONGEST = 16
"""Words of the longest text of which a part of a name is all that counts."""
_OPENING = frozenset("where which what find show locate grep search".split())
"""Words with which such a question begins."""
_FILLING = frozenset(
    """in on of the a an is are was were does do did it to me for and or file files module modules
        place line code source""".split()
)
"""Words that may stand around a name and say nothing of it."""
_ASKED = frozenset(
    """define defines defined declare declares declared use uses used set sets drive drives driven
        assign assigns assigned instantiate instantiates instantiated connect connects connected
        compute computes computed register registered generated assert asserted call called
        select selected sample sampled write written read located come comes from implemented
        updated cleared checked""".split()
)
"""What is asked of a name; only a question with an opening asks."""
_KINDS = frozenset(
    """parameter param localparam port signal wire reg net macro define enum member state function
        task class interface package type typedef struct field input output constant variable
        generate block label property sequence covergroup instance definition declaration
        register offset verilog systemverilog""".split()
)
"""What a name may be called; said of a name that is written, or of one word."""
_DECLARED = re.compile(r"\b(?:defin(?:e[ds]?|ition)|declar(?:e[ds]?|ation))\b", re.IGNORECASE)
_PART_OF = re.compile(
    r"\b(?:with|having|containing|contain|of)\s+[\"'`]?(\w+)[\"'`]?\s+in\s+(?:its|their|the)\s+names?\b"
    r"|\bnames?\s+(?:that\s+)?(?:start|begin|end|contain|include)s?(?:\s+(?:with|in|by))?\s+"
    r"[\"'`]?(\w+)",
    re.IGNORECASE,
)
"""A part of a name, told as one: "with ACK in its name", "whose names start with ack"."""
_WHERE = re.compile(r"\W*where(?:'s| is| are)\b", re.IGNORECASE)
_WRITTEN = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d+[A-Za-z]")


def is_written(word: str) -> bool:
    """Returns whether a word is spelt as names of code are, in several parts."""
    return "_" in word.strip("_") or _WRITTEN.search(word) is not None


def asks_where(text: str) -> bool:
    """Returns whether a question asks where something is."""
    return _WHERE.match(text) is not None


def asks_declaration(text: str) -> bool:
    """Returns whether a question asks for what declares something."""
    return _DECLARED.search(text) is not None


def subject(text: str) -> tuple[str, ...]:
    """Returns the words of the names that a short question asks for; () where it says more.

    What remains of a question when the words that ask are taken off its ends; of a name that is
    told by its beginning or by what is in it, that part alone.
    """
    found = words(text)
    part = _PART_OF.search(text)
    if part and len(found) <= LONGEST:
        return (part[1] or part[2],)
    if not 0 < len(found) <= MOST:
        return ()
    begun = next((word.lower() for word in found if word.lower() not in _FILLING), "")
    asks = begun in _OPENING
    kept = _inner(found, _OPENING | _FILLING | _ASKED | _KINDS) if asks else tuple(found)
    named = tuple(word for word in kept if word.lower() not in _KINDS | _FILLING)
    if named and (len(named) == 1 or all(map(is_written, named))):
        return named
    return kept


def _inner(found: Sequence[str], dropped: Collection[str]) -> tuple[str, ...]:
    """Returns words without those at both ends that are dropped."""
    begin, end = 0, len(found)
    while begin < end and found[begin].lower() in dropped:
        begin += 1
    while end > begin and found[end - 1].lower() in dropped:
        end -= 1
    return tuple(found[begin:end])
