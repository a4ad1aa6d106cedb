"""The network that puts the first files of a search in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.errors import WeightsMissingError
from hdlgraph.project import Project
from hdlgraph.query.listwise import order
from hdlgraph.query.listwise.inputs import NAMES, places, rows
from hdlgraph.query.rank import FEATURES
from hdlgraph.query.search import Searcher
from hdlgraph.query.weights import Weights, total

QUESTIONS = (
    "where is a missing stop bit noticed?",
    "how are bytes sent over the serial line?",
    "how does the queue tell full from empty?",
    "round robin",
    "where do bytes wait while the line is busy?",
)


def searchers(project: Project) -> tuple[Searcher, Searcher]:
    """Returns the searcher by the sum alone, and the one whose first files a network orders."""
    index = project.searcher().index
    return Searcher(index, listwise=False), Searcher(index)


@pytest.mark.parametrize("question", QUESTIONS)
def test_only_places_change_and_parts_still_sum_to_the_score(
    soc_project: Project, question: str
) -> None:
    plain, ordered = (one.ranking(question, 1) for one in searchers(soc_project))
    assert sorted(ordered.order) == sorted(plain.order)
    assert np.array_equal(ordered.score[ordered.order], plain.score[plain.order])
    assert order.PART in ordered.parts
    assert order.PART not in plain.parts
    assert np.allclose(total(ordered.parts), ordered.score, atol=1e-5)


def test_the_order_is_that_of_the_network(soc_project: Project) -> None:
    plain, ordered = searchers(soc_project)
    before = plain.ranking(QUESTIONS[0], 1)
    signs = plain.signs(before.question)
    value = order.network().scores(rows(before, signs, before.order[: order.FIRST]))
    best = before.order[int(np.argmax(value))]
    assert ordered.ranking(QUESTIONS[0], 1).order[0] == best


def test_files_behind_the_first_keep_their_places(
    soc_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "FIRST", 4)
    for question in QUESTIONS:
        plain, ordered = (one.ranking(question, 1) for one in searchers(soc_project))
        assert ordered.order[4:] == plain.order[4:]
        assert set(ordered.order[:4]) == set(plain.order[:4])


def test_edges_that_a_question_asks_for_decide(soc_project: Project) -> None:
    plain, ordered = searchers(soc_project)
    question = "who instantiates the arbiter?"
    assert order.asks_for_relation(plain.ranking(question, 1))
    paths = [plain.lexicon.paths[one.ranking(question, 1).order[0]] for one in (plain, ordered)]
    assert paths == ["rtl/soc_top.sv", "rtl/soc_top.sv"]


def test_rankings_that_it_was_not_fitted_on_are_left_alone(
    soc_project: Project, soc_words: Path
) -> None:
    index = soc_project.searcher().index
    others = (
        Searcher(index, weights=Weights()),
        Searcher(index, features=FEATURES[:1]),
        Project(soc_words).searcher(),
    )
    for searcher in others:
        assert order.PART not in searcher.ranking(QUESTIONS[0], 1).parts


def test_only_candidates_are_looked_at(soc_project: Project) -> None:
    paths = ["rtl/uart_tx.sv", "rtl/uart_rx.sv", "rtl/timer.v"]
    hits = soc_project.search(QUESTIONS[1], candidates=paths).hits
    assert hits[0].path == "rtl/uart_tx.sv"
    assert {hit.path for hit in hits} == set(paths)


def test_a_file_of_other_inputs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "NAMES", (*NAMES, "another"))
    order.network.cache_clear()
    with pytest.raises(WeightsMissingError, match="of another version"):
        order.network()
    monkeypatch.undo()
    assert order.network().linear.shape == (len(NAMES),)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_places_are_those_of_a_stable_sort(values: list[int], data: st.DataObject) -> None:
    pool = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=6))
    numbers = np.asarray(values, np.float32)
    sorted_ = np.argsort(-numbers, kind="stable").tolist()
    assert places(numbers, np.asarray(pool)).tolist() == [sorted_.index(one) for one in pool]
