"""Aspects: how questions fall into parts, and what the parts do to a ranking."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.project import Project
from hdlgraph.query.question.aspects import MOST, NEAR, RELATIONS, interleaved, split
from hdlgraph.words import question_terms, stem


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How does Foo7 drop a packet, and which unit counts the dropped ones?",
            ("How does Foo7 drop a packet", "which unit counts the dropped ones"),
        ),
        (
            "Where is the baud rate divided? What shifts the stop bit out?",
            ("Where is the baud rate divided", "What shifts the stop bit out"),
        ),
        (
            "What holds the map; and who decodes an address, while what answers a hole in it?",
            ("What holds the map", "who decodes an address, while what answers a hole in it"),
        ),
        (
            "Compare the fair bus arbiter with the fixed priority arbiter.",
            ("the fair bus arbiter", "the fixed priority arbiter"),
        ),
        (
            "What is the difference between the write pointer and the read pointer?",
            ("What is the the write pointer", "the read pointer"),
        ),
    ],
)
def test_questions_fall_into_their_parts(question: str, parts: tuple[str, ...]) -> None:
    assert split(question) == (parts)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "which block divides the clock and drives the pin?",
        "A read misses the cache. What fetches the line from memory?",  # a scene and a question
        "On a cache miss, what fetches the line from memory?",
        "When the queue is full, what stalls the writer?",
        "What decides which way gets evicted and what else?",
        "How is the counter loaded, and what resets it?",  # points back
        "sync_fifo",
        "; ".join(f"how does unit{n} stop its clock" for n in range(MOST + 1)),
    ],
)
def test_a_question_with_one_aspect_is_left_alone(question: str) -> None:
    assert split(question) == ()


def test_a_part_gets_the_scope_that_the_question_names() -> None:
    question = "In Foo7, how are bytes sent, and where are bytes received on the target?"
    assert split(question, {"foo7", "target"}) == (
        "In Foo7, how are bytes sent",
        "where are bytes received on the target (Foo7)",
    )


WORDS = [
    "what",
    "which",
    "how",
    "where",
    "when",
    "and",
    "or",
    "but",
    "while",
    "then",
    "compare",
    "with",
    "between",
    "difference",
    "it",
    "them",
    "the",
    "a",
    "in",
    "of",
    "does",
    "is",
    "fifo",
    "queue",
    "clock",
    "timer",
    "bus",
    "arbiter",
    "drives",
    "writes",
    "full",
    "empty",
    ".",
    ",",
    ";",
    "?",
    ":",
    "\n",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=120))
def test_parts_are_whole_and_have_no_parts(question: str) -> None:
    parts = split(question)
    assert len(parts) != 1
    relations = {stem(word) for word in RELATIONS}
    for part in parts:
        assert question_terms(part)
        assert split(part) == ()
    if parts:
        covered = {term for part in parts for term in question_terms(part)}
        assert set(question_terms(question)) - relations <= covered


def test_the_first_place_is_the_whole_questions() -> None:
    assert interleaved([3, 1, 2, 0], [[1, 3, 2, 0], [0, 3, 2, 1]]) == [3, 1, 0, 2]
    assert interleaved([3, 1, 2, 0], [[3, 1, 2, 0], [2, 3, 1, 0]]) == [3, 2, 1, 0]
    assert interleaved([], [[], []]) == []


def test_what_a_part_finds_far_from_the_whole_question_stays_there() -> None:
    whole = list(range(NEAR + 2))
    assert interleaved(whole, [[NEAR - 1, 0], [NEAR, 0]])[:3] == [0, NEAR - 1, 1]


QUESTION = "What holds bytes in order until they are read, and which block releases the reset?"


def test_each_part_brings_its_first_file(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    whole = searcher.search(QUESTION, aspects=False)
    result = searcher.search(QUESTION)
    first = [searcher.search(part).hits[0].path for part in split(QUESTION)]
    wanted = dict.fromkeys([whole.hits[0].path, *first])
    assert [hit.path for hit in result.hits[: len(wanted)]] == list(wanted)
    assert sorted(h.path for h in result.hits) == sorted(h.path for h in whole.hits)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert any(note.startswith("also searched by its parts: ") for note in result.notes)


def test_one_aspect_changes_nothing(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    question = "what holds bytes in order until they are read?"
    with_, without = searcher.search(question), searcher.search(question, aspects=False)
    assert with_.hits == without.hits
    assert with_.notes == without.notes
