"""Ranking features: one protocol, one list of weights, and a feature from outside the package."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query import beside
from hdlgraph.query.features.feature import Asked, Scores
from hdlgraph.query.listwise.order import PART
from hdlgraph.query.rank import FEATURES
from hdlgraph.query.search import Searcher
from hdlgraph.query.weights import PARTS, Weights, in_order, total
from hdlgraph.results import Evidence

MOVED = {PART, beside.PART}
"""Parts by which files change places."""

QUESTION = "what instantiates uart_tx and wires up its fifo?"


class Length:
    """A toy: files with long paths come first."""

    name = "length"

    def __init__(self, weight: float = 0.001) -> None:
        self.weight = weight

    def score(self, asked: Asked) -> LengthScores:
        long = np.asarray([len(path) for path in asked.index.lexicon.paths], np.float32)
        return LengthScores({"length": self.weight * long}, {"length": long})


class LengthScores(Scores):
    def evidence(self, ranking, number):
        path = ranking.asked.index.lexicon.paths[number]
        yield Evidence("length", path, 1, f"{len(path)} letters", ranking.part("length", number))


@pytest.fixture(scope="module")
def plain(soc_project):
    return soc_project.searcher()


def test_every_part_takes_weights_that_there_are_and_every_weight_has_a_part(plain):
    named = [weight for weights in PARTS.values() for weight in weights]
    assert sorted(named) == sorted(one.name for one in dataclasses.fields(Weights))
    ranking = plain.ranking(f"{QUESTION} it is soc_top.u_uart.u_tx", 1)
    weighed = [name for name, weights in PARTS.items() if weights]
    assert [name for name in ranking.parts if name not in MOVED] == weighed
    assert set(ranking.scores) == {feature.name for feature in FEATURES}


def test_the_score_is_the_sum_of_the_parts_in_the_order_of_the_weights(plain):
    parts = plain.ranking(QUESTION, 1).parts
    summed = np.zeros_like(parts["text"])
    for name in PARTS:
        summed += parts.get(name, 0)
    assert np.array_equal(total(dict(reversed(parts.items()))), summed)
    assert in_order(["mine", "size", "text"]) == ["text", "size", "mine"]


def test_a_feature_from_outside_changes_ranking_and_evidence(soc_project, plain):
    before = soc_project.search("serial line", k=14)
    with_toy = Project(soc_project.root, features=(Length(100.0),))
    after = with_toy.search("serial line", k=14)
    lengths = [len(hit.path) for hit in after.hits]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths != [len(hit.path) for hit in before.hits]
    for hit in after.hits:
        (line,) = [e for e in hit.evidence if e.kind == "length"]
        assert line.text == f"{len(hit.path)} letters"
        assert line.score == 100.0 * len(hit.path)
        assert hit.evidence[0] == line  # it is what counts most
    parts = with_toy.searcher().ranking("serial line", 1).parts
    assert list(parts)[-1] == "length"


def test_the_others_do_not_notice_a_feature_from_outside(plain):
    ours = plain.ranking(QUESTION, 1).parts
    theirs = Searcher(plain.index, features=(*FEATURES, Length())).ranking(QUESTION, 1).parts
    assert PART not in theirs  # the network was not fitted on it
    assert all(np.array_equal(theirs[name], ours[name]) for name in ours if name not in MOVED)


class Short:
    name = "short"

    def score(self, asked: Asked) -> Scores:
        return Scores({"short": np.zeros(1, np.float32)})


class Borrowed:
    name = "borrowed"

    def score(self, asked: Asked) -> Scores:
        return Scores({"text": np.zeros(asked.n_files, np.float32)})


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (Short(), r"ranking feature short: its part short has the shape \(1,\)"),
        (Borrowed(), "ranking feature borrowed: another one gives the part text too"),
        (FEATURES[0], "ranking feature lexical: there are two"),
    ],
)
def test_a_feature_that_does_not_fit_is_named(plain, feature, message):
    with pytest.raises(UsageError, match=message):
        Searcher(plain.index, features=(*FEATURES, feature)).search("serial line")
