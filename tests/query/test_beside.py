"""Edges and words take turns where a question may ask for a relation: the likelier order leads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.project import Project
from hdlgraph.query.beside import PART, edges_lead, in_turn
from hdlgraph.query.listwise.order import asks_for_relation

ORDERS = st.lists(st.integers(0, 30), unique=True, max_size=12)


def test_two_of_one_order_and_one_of_the_other_take_turns() -> None:
    assert in_turn([1, 2, 3, 4, 5], [9, 1, 8, 7]) == [1, 2, 9, 3, 4, 8, 5, 7]
    assert in_turn([], [3, 4]) == [3, 4]


@given(ORDERS, ORDERS)
def test_no_file_is_lost_or_stands_twice(lead: list[int], follow: list[int]) -> None:
    found = in_turn(lead, follow)
    assert sorted(found) == sorted({*lead, *follow})
    assert [one for one in found if one in lead and one not in follow] == [
        one for one in lead if one not in follow
    ]
    for place, one in enumerate(follow):
        assert found.index(one) <= 3 * place + 2


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("who instantiates sync_fifo?", True),  # a form that is known
        ("arbiter testbench", False),  # words alone, though some tests are edges
    ],
)
def test_edges_lead_where_a_relation_is_asked_for(
    soc_project: Project, question: str, lead: bool
) -> None:
    searcher = soc_project.searcher()
    ranking = searcher.ranking(question, 1)
    assert asks_for_relation(ranking)
    assert edges_lead(ranking, searcher.signs(ranking.question)) is lead


def test_all_that_answers_a_known_form_stands_before_the_rest(soc_project: Project) -> None:
    hits = soc_project.search("what does uart instantiate?").hits
    assert {hit.path for hit in hits[:3]} == {
        "rtl/uart_rx.sv", "rtl/uart_tx.sv", "rtl/sync_fifo.sv",
    }  # fmt: skip


def test_a_file_that_words_have_first_stays_near_the_top(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    question = "which block keeps one host from starving the others?"
    ranking = searcher.ranking(question, 1)
    assert PART in ranking.parts
    scores = [float(ranking.score[one]) for one in ranking.order]
    assert scores == sorted(scores, reverse=True)
    assert sorted(ranking.order) == list(range(searcher.lexicon.n_files))
    paths = [searcher.lexicon.paths[one] for one in ranking.order]
    assert paths.index("rtl/bus_arbiter.sv") < 3


def test_edges_stand_behind_an_answer_that_words_lead(soc_project: Project) -> None:
    question = "where does the byte that arrives on the line wait until it is read?"
    searcher = soc_project.searcher()
    ranking = searcher.ranking(question, 1)
    assert asks_for_relation(ranking)
    assert not edges_lead(ranking, searcher.signs(ranking.question))
    assert soc_project.ask(question).text.startswith("Most likely ")
    for hit in soc_project.search(question).hits:
        places = [one.kind == "relation" for one in hit.evidence if one.kind != "graph"]
        assert places == sorted(places)
