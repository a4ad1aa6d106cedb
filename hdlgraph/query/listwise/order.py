"""Puts the first files of a ranking in the order that a network gives them.

A sum of parts cannot say that a file which covers every word of a question is worth more when its
explanation is near as well, or what a near explanation is worth in a large file. A network of the
same numbers can (`hdlgraph.query.listwise.inputs`). `hdlgraph.eval.fit.listwise` fitted it on
questions of all kinds over many repositories, by a softmax over the first files of each.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from hdlgraph.errors import WeightsMissingError
from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.listwise.inputs import NAMES, rows
from hdlgraph.query.network import Network

FIRST = 80
"""Files that may change places; the network learnt from the first half of them."""
PART = "listwise"
"""The part of a score by which a file changed its place."""


class Fitted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted numbers; `names` are those of a row, the others of `Network`."""

    names: tuple[str, ...]
    linear: list[float]
    mean: list[float]
    deviation: list[float]
    hidden: list[list[float]]
    bias: list[float]
    out: list[float]


@cache
def network() -> Network:
    """Returns the network of this version.

    Raises:
        WeightsMissingError: the file is of other inputs.
    """
    path = files(__package__).joinpath("model.json")
    found = msgspec.json.decode(path.read_bytes(), type=Fitted)
    if found.names != NAMES:
        raise WeightsMissingError(f"{path}: of another version; install hdlgraph again")
    return Network(*(np.asarray(getattr(found, name)) for name in Network._fields))


def asks_for_relation(ranking: Ranking) -> bool:
    """Returns whether edges that a question asks for have changed the score of a file."""
    part = ranking.parts.get("relation")
    return part is not None and bool(part.any())


def reorder(ranking: Ranking, signs: np.ndarray) -> None:
    """Puts the first files of a ranking anew; each takes the score of its new place.

    What it gains or loses by that is the part PART of its score.

    Args:
        ranking: order, score, parts and network are changed in place.
        signs: how the question is worded (`hdlgraph.query.question.wording`).
    """
    first = ranking.order[:FIRST]
    if len(first) < 2:
        return
    value = network().scores(rows(ranking, signs, first))
    best = np.argsort(-value, kind="stable")
    anew = [first[at] for at in best.tolist()]
    score = ranking.score.copy()
    score[anew] = ranking.score[first]
    ranking.parts[PART] = score - ranking.score
    ranking.order[:FIRST] = anew
    ranking.network = value[best]
    ranking.score[:] = score
