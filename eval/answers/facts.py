"""How many facts of a reference an answer shows: the lines that state them stand in it.

A measure without a judge: it knows where the facts of a question stand, not what an answer says in
other words, and not whether they are buried. It compares answers of one question set with each
other; it does not say how good they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ENOUGH = 0.8
"""Share of a fact's lines from which it counts as shown: comments between them may be missing."""
SENTENCE = 6
"""Lines at most that a cited sentence may stand for."""
_PLACE = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?")
_NUMBERED = re.compile(r"(\d{1,9})\| ", re.M)


@dataclass(frozen=True, slots=True)
class FactCount:
    """Facts that answers show: `facts` of `of` facts, all of them in `answers` of `asked`."""

    facts: int = 0
    of: int = 0
    answers: int = 0
    asked: int = 0

    def __add__(self, other: FactCount) -> FactCount:
        return FactCount(
            self.facts + other.facts,
            self.of + other.of,
            self.answers + other.answers,
            self.asked + other.asked,
        )

    def __str__(self) -> str:
        return (
            f"{self.facts} of {self.of} facts shown, "
            f"all of its facts in {self.answers} of {self.asked} answers"
        )


def facts_shown(
    facts: Sequence[Mapping[str, Any]], checked: Sequence[Mapping[str, Any]]
) -> FactCount:
    """Returns which facts of one question an answer shows; nothing is asked of none.

    Args:
        facts: with their `place` ("path:line" or "path:line-line"); those whose `must` is false
            are passed over, as are places of another form.
        checked: what the answer cites, with `text`, `path`, `line` and `end_line`.
    """
    cited = {place for claim in checked for place in _lines(claim)}
    places = [_PLACE.fullmatch(str(fact.get("place", ""))) for fact in facts if fact.get("must")]
    found = [_share(place, cited) >= ENOUGH for place in places if place]
    return FactCount(sum(found), len(found), int(all(found)), 1) if found else FactCount()


def _lines(claim: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yields (path, line) of the source lines that a citation puts before the reader."""
    path, first, last = claim["path"], claim["line"], claim["end_line"]
    numbered = [int(number) for number in _NUMBERED.findall(claim["text"])]
    if not numbered and last - first < SENTENCE:
        numbered = list(range(first, last + 1))
    yield from ((path, number) for number in numbered)


def _share(place: re.Match[str], cited: set[tuple[str, int]]) -> float:
    first = int(place[2])
    wanted = range(first, max(int(place[3] or first), first) + 1)
    return sum((place[1], line) in cited for line in wanted) / len(wanted)
