"""Which tokens of a question tell of what it asks for, and which of what it names.

A linear model over each token: where it stands towards the question word, behind which small word,
what kind the question is of, and the token's vector. Fitted by `hdlgraph.eval.fit.relations` so
that with the right weights the file that answers is nearer to a question than the one it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.relations.readings.clauses import wanted_at

BEHIND = (
    *("of", "in", "inside", "within", "from", "by", "to", "into", "onto", "for", "with", "between"),
    *("on", "at", "below", "under", "through", "via", "and", "that", "which", "who"),
)
"""Small words behind which a token may stand."""
VERBS = {"do": ("do", "does", "did"), "be": ("is", "are", "was", "were", "be", "gets", "get"),
         "have": ("has", "have", "had", "can", "must")}  # fmt: skip
FAR = (2, 5, 10)
"""Words from the question word up to which a token is near."""
PLACES = len(FAR) + 1
WHERE = 2 * PLACES + 1 + 3 + 2 * (len(BEHIND) + 1) + 2 * (len(VERBS) + 1)
SIDES = 3
VECTOR = 2.0
_WORD = re.compile(r"[\w$`'\"./]+|[,:;?.]")
_STOPS = frozenset(",:;?.")


class Place(NamedTuple):
    """A word of a question: from where to where, words behind the question word, its clause."""

    begin: int
    end: int
    distance: int
    clause: int
    behind: int
    verb: int


def places(text: str) -> list[Place]:
    """Returns the words of a question with what stands before each of them."""
    wanted = wanted_at(text)
    words = [(one.start(), one.end(), one[0].lower()) for one in _WORD.finditer(text)]
    first = next((at for at, one in enumerate(words) if wanted and one[0] >= wanted[0]), -1)
    clauses = np.cumsum([one[2] in _STOPS for one in words]).tolist()
    own = clauses[first] if first >= 0 else 0
    verbs = [word for words_of in VERBS.values() for word in words_of]
    out, behind, verb = [], len(BEHIND), len(VERBS)
    for at, (begin, end, word) in enumerate(words):
        if word in _STOPS:
            behind, verb = len(BEHIND), len(VERBS)
        out.append(Place(begin, end, at - first if first >= 0 else 0, clauses[at] - own, behind,
                         verb))  # fmt: skip
        if word in BEHIND and at != first:
            behind = BEHIND.index(word)
        if word in verbs:
            verb = next(at for at, one in enumerate(VERBS.values()) if word in one)
    return out


def features(
    text: str, spans: Sequence[tuple[int, int]], tokens: np.ndarray, likely: Sequence[float]
) -> np.ndarray:
    """Returns what tells of the role of each token, float32 (tokens, features).

    Args:
        text: the question.
        spans: from where to where each token stands.
        tokens: their vectors.
        likely: the probability of each kind of relation.
    """
    words = places(text)
    roots = np.sqrt(np.asarray(likely, np.float32))
    count = min(len(spans), len(tokens))
    told = np.zeros((count, WHERE), np.float32)
    sides = np.zeros((count, SIDES), np.float32)
    for at, (begin, end) in enumerate(spans[:count]):
        word = next((one for one in words if one.begin < end and one.end > begin), None)
        if word is None:
            continue
        after = word.distance > 0
        side = PLACES * after + sum(abs(word.distance) > far for far in FAR)
        told[at, side] = 1
        told[at, 2 * PLACES] = 1
        told[at, 2 * PLACES + 1 + (1 + max(-1, min(1, word.clause)))] = 1
        begin_of = 2 * PLACES + 4
        told[at, begin_of + after * (len(BEHIND) + 1) + word.behind] = 1
        begin_of += 2 * (len(BEHIND) + 1)
        told[at, begin_of + after * (len(VERBS) + 1) + word.verb] = 1
        sides[at] = 1, after, word.clause < 0
    by_kind = (sides[:, :, None] * roots).reshape(count, SIDES * len(roots))
    return np.concatenate([told, by_kind, VECTOR * tokens[:count]], axis=1)
