"""Makes a follow-up a question that stands by itself, by rule.

One that says "it" of the unit that the last question named, and asked something of, has that name
in its place. Else one that points back ("what resets it?") takes over the last question's words and
the names of its best files, and one that is merely short ("and the receiver?") the words alone,
since a name would pull the former file back in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hdlgraph.query.answer.page import NOWHERE
from hdlgraph.results import Answer
from hdlgraph.words import STOP_WORDS, words

Units = Callable[[str], Sequence[str]]
"""Gives the units of the design that a question names."""
CARRIED = 8  # words that the rule takes over
WHOLE = 2  # content words, from which a question counts as whole
OWN = 3  # content words, after which "it" points at what the question says itself
_SINGULAR = re.compile(r"\b(it|its|itself|this|that|there)\b", re.I)
_PLURAL = re.compile(r"\b(they|them|their|these|those)\b", re.I)
_NO_POINTER = re.compile(
    r"\b(is|are|was|were) there\b"
    r"|\b(this|that|these|those) (?=repo\w*|design\b|project\b|chip\b)"
    r"|(?<=[a-z]) that (?=[a-z]+s\b|is\b|are\b|has\b|can\b)",
    re.I,
)
"""Phrases in which these words point at nothing said before: "is there a", "the unit that"."""
_OF_ALL = re.compile(
    r"^\s*(?:is|are|was|were) there\b|\b(?:this|the whole) (?:repo\w*|design|project|chip)\b", re.I
)
"""A question about all of a design, which is whole however short it is."""
_NOWHERE = re.compile(rf"{NOWHERE}(.*?)\.(?=\s|$)")
_CONTINUES = re.compile(r"\s*(and|but|or|also|then|so|what about|how about)\b", re.I)
_FILLER = frozenset(
    ["else", "about", "instead", "again", "too", "ok", "okay", "please", "thanks", "yes", "mean"]
)
_FOR_UNIT = re.compile(
    r"\s*(?:(?:and|but|so|then) )?(?:who|which (?:file|module|unit|block|instance))\b", re.I
)
"""Of a question that a unit or a file answers."""
_ITS_SIGNAL = re.compile(r"\bits (\w+_\w+)\b", re.I)
_ITS = re.compile(r"\bits\b(?! own\b)", re.I)
_IT = re.compile(
    r"\b(?:it|itself|(?:this|that) (?:module|unit|block|interface|package|class))\b", re.I
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was typed, what was asked for it, and the answer."""

    typed: str
    asked: str
    answer: Answer


def best_files(turn: Turn, count: int) -> list[str]:
    """Returns the paths of a turn's first hits."""
    return [hit.path for hit in turn.answer.result.hits[:count]]


def follow_up(text: str, last: Turn, units: Units | None = None) -> str:
    """Returns the question with what it leaves out taken from the last turn, by rule.

    Args:
        text: as typed.
        last: the turn before.
        units: gives the units that a question names; None knows none.
    """
    named = _subject(last, units) if units is not None and _pointed_at(text) == 1 else ""
    if named and (written := _with_name(text, named, last.asked)) != text:
        return written
    own = content_words(text)
    files = _pointed_at(text)
    whole = len(own) >= WHOLE or any("_" in word or "." in word for word in own)
    whole = whole or bool(own and _OF_ALL.search(text))
    if not files and whole and not _CONTINUES.match(text):
        return text
    carried = [path.rsplit("/", 1)[-1] for path in best_files(last, files)]
    known = {word.lower() for word in own}
    # Names that the rule itself put there stood for an older "it".
    words = [w for w in content_words(last.asked) if w in last.typed or "." not in w]
    nowhere = _NOWHERE.match(last.answer.text)
    words = [w for w in words if not nowhere or w not in nowhere[1].split(", ")]
    carried += [w for w in words if w.lower() not in known][:CARRIED]
    carried = list(dict.fromkeys(carried))
    return f"{text.strip()} ({', '.join(carried)})" if carried else text


def _subject(last: Turn, units: Units) -> str:
    """Returns the unit that the last question is about, "" where it names none or several.

    What a rule added in brackets is none of its own. Of several the only one that is no plain word.
    """
    found = units(last.asked.partition(" (")[0])
    written = [one for one in found if "_" in one]
    return next((each[0] for each in (found, written) if len(each) == 1), "")


def _with_name(text: str, name: str, asked: str) -> str:
    """Returns a question with a name for "it"; `its data_o` becomes `data_o of NAME`.

    Where a unit was asked for ("who instantiates uart_rx?"), "it" is that unit, which is not named.
    """
    text = _ITS_SIGNAL.sub(lambda found: f"{found[1]} of {name}", text, count=1)
    if _FOR_UNIT.match(asked):
        return text
    text = _ITS.sub(f"{name}'s", text, count=1)
    return _IT.sub(name, text, count=1)


def _pointed_at(text: str) -> int:
    """Returns how many of the last files a question points back at: 0, 1 or 3."""
    plain = _NO_POINTER.sub(lambda m: "-" * len(m[0]), text)
    for pattern, count in ((_PLURAL, 3), (_SINGULAR, 1)):
        found = pattern.search(plain)
        if found and len(content_words(text[: found.start()])) < OWN:
            return count
    return 0


def content_words(text: str) -> list[str]:
    """Returns the words and file names of a question that carry its topic, once each."""
    found = [m[0] for m in re.finditer(r"[\w$]+\.s?vh?\b", text)]
    rest = re.sub(r"[\w$]+\.s?vh?\b", " ", text)
    found += [w for w in words(rest) if w.lower() not in STOP_WORDS | _FILLER]
    return list(dict.fromkeys(found))
