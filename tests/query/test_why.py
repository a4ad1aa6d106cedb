"""Why a file is a hit, in words, and how likely the right one is among them."""

from __future__ import annotations

import re

import pytest

from hdlgraph.project import Project
from hdlgraph.query.result.likely import LEVELS, in_words

QUESTIONS = (
    "round robin between hosts",
    "what holds bytes in order until they are read?",
    "how are bytes sent over a serial line",
    "sync_fifo",
    "what instantiates sync_fifo?",
)
PLAIN = re.compile(
    r"named by the question: \S+|its text has: .+|by its name an? .+"
    r"|its (?:explanation|header) is near(?:est)? in meaning"
    r"|(?:instantiates|binds|imports|includes|extends|uses|instantiated by|bound into|imported by"
    r"|included by|extended by|used by) \S+ \(\S+:\d+\)|reached from \S+: .+"
    r"|relation: .+ \(\S+:\d+\)|has \d+ words of the question in their order"
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_reasons_are_few_plain_and_different(soc_project: Project, question: str) -> None:
    for hit in soc_project.search(question).hits:
        assert len(hit.why) <= 3
        kinds = [re.split(r"[:(]| is | an? ", reason)[0] for reason in hit.why]
        assert len(kinds) == len(set(kinds))
        assert [reason for reason in hit.why if not PLAIN.fullmatch(reason)] == []


def test_only_one_explanation_is_nearest(soc_project: Project) -> None:
    hits = soc_project.search("how are bytes sent over a serial line", k=20).hits
    told = [reason for hit in hits for reason in hit.why]
    assert told.count("its explanation is nearest in meaning") <= 1
    assert any(reason.endswith("in meaning") for reason in told)


def test_words_are_those_of_the_question(soc_project: Project) -> None:
    first = soc_project.search("which block arbitrates round-robin between hosts?").hits[0]
    (told,) = [one for one in first.why if one.startswith("its text has: ")]
    assert set(told.removeprefix("its text has: ").split(", ")) <= {
        *("arbitrates", "round", "robin", "hosts")
    }


def test_a_name_and_a_relation_come_first(soc_project: Project) -> None:
    assert soc_project.search("sync_fifo").hits[0].why[0] == "named by the question: sync_fifo"
    hits = {hit.path: hit for hit in soc_project.search("what instantiates sync_fifo?").hits}
    assert hits["rtl/uart.sv"].why[0] == "instantiates sync_fifo (rtl/uart.sv:25)"


def test_without_evidence_there_are_no_reasons(soc_project: Project) -> None:
    assert not any(
        hit.why for hit in soc_project.searcher().search("round robin", evidence=False).hits
    )


@pytest.mark.parametrize(
    ("confidence", "word"),
    [
        (1.0, "very likely"),
        (0.9, "very likely"),
        (0.899, "likely"),
        (0.65, "likely"),
        (0.649, "perhaps"),
        (0.3, "perhaps"),
        (0.299, "unlikely"),
        (0.0, "unlikely"),
        (None, ""),
    ],
)
def test_words_of_confidence(confidence: float | None, word: str) -> None:
    assert in_words(confidence) == word


def test_a_search_says_its_confidence_in_words(soc_project: Project) -> None:
    result = soc_project.search("round robin between hosts")
    assert result.likely == in_words(result.confidence)
    assert result.to_dict()["likely"] in {word for _, word in LEVELS}
    assert soc_project.search("what is it?").likely == ""
