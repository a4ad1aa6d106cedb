"""Which lines are told of a file that answers a question for a relation, and in which order."""

from __future__ import annotations

import math
from importlib.resources import files

import msgspec
import numpy as np
import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations import evidence
from hdlgraph.query.relations.evidence.chosen import EACH, LINES, choices, chosen
from hdlgraph.query.relations.evidence.heads import HEADS
from hdlgraph.query.relations.evidence.weighed import Told, features, single, values
from hdlgraph.query.relations.feature import FIRST, RelatedScores
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.joint.score import of_files

QUESTION = "uart_tx lies inside which module?"


def test_the_weights_are_those_of_features() -> None:
    found = msgspec.json.decode(files(evidence.__name__).joinpath("weights.json").read_bytes())
    assert found
    assert found.keys() <= {*features()}
    assert len({*features()}) == len(features())


def test_a_line_is_told_once_and_each_place_once(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    ranking = searcher.ranking(QUESTION, 1)
    scores = ranking.scores["relation"]
    assert isinstance(scores, RelatedScores)
    assert scores.question is not None
    first = ranking.order[:FIRST]
    number = first[0]
    lines = scores.told(searcher.index, number, first)
    seen = values(single(lines), scores.design, scores.question, number, first)
    assert seen.shape == (len(single(lines)), len(features()))
    assert np.isfinite(seen).all()
    told = {one: scores.told(searcher.index, one, first) for one in first}
    found = chosen(told, scores.design, scores.question)
    assert list(found) == first
    places = [(one.path, one.line) for one in found[number]]
    assert len(places) == len({*places}) > 1
    assert "uart_tx" in found[number][0].text
    assert chosen({number: []}, scores.design, scores.question) == {number: []}
    hits = soc_project.search(QUESTION, k=FIRST).hits
    shown = [[one for one in hit.evidence if one.kind == "relation"] for hit in hits]
    assert all(len(some) <= EACH + HEADS for some in shown)
    assert sum(map(len, shown)) <= LINES + FIRST * (1 + HEADS)


def test_each_file_keeps_its_best_line_and_a_place_is_shown_once() -> None:
    weighed = [np.asarray([3.0, 2.0, 1.0]), np.asarray([2.5, 0.5])]
    places = [[("t.v", 1), ("t.v", 2), ("b.v", 9)], [("t.v", 1), ("b.v", 9)]]
    found = [(one.file, one.line) for one in choices(weighed, places, ["a.v", "b.v"])]
    # t.v:2 stands beside t.v:1; b.v:9 is that of its own file, which tells it too.
    assert found == [(0, 0), (1, 0), (1, 1)]


def test_no_more_lines_are_shown_than_a_card_has_room_for() -> None:
    weighed = [np.arange(40.0), np.arange(40.0)]
    places = [[(name, 9 * at) for at in range(40)] for name in ("a.v", "b.v")]
    found = [one.file for one in choices(weighed, places, ["a.v", "b.v"])]
    assert [found.count(0), found.count(1)] == [EACH, EACH]
    many = [np.arange(40.0)] * 5
    names = [f"{at}.v" for at in range(5)]
    places = [[(name, 9 * at) for at in range(40)] for name in names]
    assert len(list(choices(many, places, names))) == LINES


def test_of_the_same_line_the_first_counts() -> None:
    one, other = Stated("a.v", 1, "a instantiates b as u_b"), Stated("a.v", 1, "a uses b: b")
    lines = [Told(one, "edges", 2), Told(other, "used"), Told(one, "answer")]
    assert single(lines) == lines[:2]


def test_the_score_of_a_file_is_that_of_all_its_rows() -> None:
    found = of_files([3, 1, 3], np.asarray([1.0, 2.0, 1.0]))
    assert found == {1: 2.0, 3: pytest.approx(1.0 + math.log(2), abs=1e-6)}
