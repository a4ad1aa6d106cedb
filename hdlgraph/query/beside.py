"""Puts two orders of files together: by the edges that may answer, and by words and meaning.

Where a question asks for a relation, edges know the answer; where it only sounds like one ("which
block holds back a request until ..."), they know nothing of it. Both kinds of order therefore stay
within the first files, and the likelier one leads. README has what that gained on the sets
`kinds/ninth` and `relations/eleventh`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.question.wording import SIGNS
from hdlgraph.query.relations.feature import RelatedScores

PART = "beside"
"""The part of a score by which a file changed its place."""
SURE = 0.7
"""Probability that a question asks for a relation from which the order by edges leads."""
LEAD, FOLLOW = 2, 1
"""Files of the order that leads, and of the other one, which take turns."""
FIRST = 60
"""Files of each order that take turns; the others stay where edges have them."""
BARE = {"asks": 0.0, "short": 1.0, "has names": 0.0}
"""Signs of a few words that neither ask nor name anything, such as `receive fifo testbench`."""


def put_beside(ranking: Ranking, plain: Ranking, signs: np.ndarray) -> None:
    """Puts the files of a ranking by edges and of one without them into one order.

    Each takes the score of its new place; what it gains or loses is the part PART of its score.

    Args:
        ranking: by edges; order, score and parts are changed in place.
        plain: of the same files, without the part of edges.
        signs: how the question is worded (`hdlgraph.query.question.wording`).
    """
    by_edges, by_words = ranking.order[:FIRST], plain.order[:FIRST]
    if edges_lead(ranking, signs):
        sure = _answered(ranking)
        first = [*by_edges[:sure], *in_turn(by_edges[sure:], by_words)]
    else:
        first = in_turn(by_words, by_edges)
        _hold_back(ranking)
    first = list(dict.fromkeys(first))
    taken = frozenset(first)
    was = ranking.order[: _reach(ranking.order, taken)]  # behind it nothing changes
    anew = [*first, *(number for number in was if number not in taken)]
    if anew == was:
        return
    score = ranking.score.copy()
    score[anew] = ranking.score[was]
    ranking.parts[PART] = score - ranking.score
    ranking.order[: len(anew)] = anew
    ranking.score[:] = score


def _reach(order: Sequence[int], wanted: frozenset[int]) -> int:
    """Returns how many of the first files of an order have all wanted ones among them."""
    left = len(wanted)
    for place, number in enumerate(order, 1):
        left -= number in wanted
        if not left:
            return place
    return len(order)


def _hold_back(ranking: Ranking) -> None:
    """Lets the edges of a ranking stand behind what its files are found by, as words lead."""
    found = ranking.scores["relation"]
    if isinstance(found, RelatedScores):
        ranking.scores["relation"] = replace(found, decides=False)


def edges_lead(ranking: Ranking, signs: np.ndarray) -> bool:
    """Returns whether a question surely asks for a relation, and is not a few bare words."""
    if all(signs[SIGNS.index(name)] == value for name, value in BARE.items()):
        return False
    found = ranking.scores["relation"]
    if not isinstance(found, RelatedScores) or found.question is None:
        return True
    return sum(found.question.likely) >= SURE


def _answered(ranking: Ranking) -> int:
    """Returns how many of the first files answer a known form ("what does X instantiate?")."""
    found = ranking.scores["relation"]
    answers = found.found.weight if isinstance(found, RelatedScores) else ()
    return next((at for at, one in enumerate(ranking.order) if one not in answers), 0)


def in_turn(lead: Sequence[int], follow: Sequence[int]) -> list[int]:
    """Returns the numbers of two lists, LEAD of one and FOLLOW of the other in turn, each once."""
    out: dict[int, None] = {}
    first, second = iter(lead), iter(follow)
    left = True
    while left:
        before = len(out)
        for numbers, count in ((first, LEAD), (second, FOLLOW)):
            wanted = len(out) + count
            for number in numbers:
                out[number] = None
                if len(out) == wanted:
                    break
        left = len(out) > before
    return list(out)
