"""What a model is shown, and what is quoted without one."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.index.discover.texts import TextReader
from hdlgraph.llm.tokens import count_tokens
from hdlgraph.project import Project
from hdlgraph.query.answer.comments import sentences
from hdlgraph.query.answer.context import Context, Sources, build_context
from hdlgraph.query.answer.quote import extractive_answer
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.result.weak import weakness

LICENCE = "// Copyright Someone.\n// Licensed under the Apache License, see LICENSE.\n"
QUESTIONS = ("what detects a missing stop bit?", "round robin between hosts", "the queue of bytes")


def context(project: Project, question: str, budget: int = 3000) -> Context:
    sources = Sources(TextReader(project.root), cache(project.explanations), project.graph)
    result = project.search(question)
    return build_context(question, result, project.searcher().lexicon, sources, budget)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("budget", [150, 400, 1500, 6000])
def test_the_material_keeps_its_budget(soc_project: Project, question: str, budget: int) -> None:
    found = context(soc_project, question, budget)
    assert count_tokens(found.text) == found.tokens <= budget


@pytest.mark.parametrize("question", QUESTIONS)
def test_numbered_lines_are_those_of_the_file(soc_project: Project, question: str) -> None:
    found = context(soc_project, question)
    read = TextReader(soc_project.root)
    numbered: dict[str, set[int]] = {}
    path = ""
    for line in found.text.split("\n"):
        if head := re.match(r"File \d+ of \d+: (.*)", line):
            path = head[1]
        elif code := re.match(r"(\d+)\| (.*)", line):
            number = int(code[1])
            assert read(path).split("\n")[number - 1].expandtabs(4).rstrip() == code[2]
            numbered.setdefault(path, set()).add(number)
    assert numbered
    for path, lines in numbered.items():
        said = {n for a, b in found.shown.ranges[path] for n in range(a, b + 1)}
        assert lines <= said


def test_places_in_brackets_are_known_as_shown(soc_project: Project) -> None:
    found = context(soc_project, "who instantiates the fifo")
    places = re.findall(r"^(?:Description|Link) \[(.+):(\d+)\]", found.text, re.M)
    assert {kind for kind in re.findall(r"^(Description|Link) \[", found.text, re.M)} == {
        "Description",
        "Link",
    }
    for path, line in places:
        assert found.shown.supported(path, int(line), int(line)) == (int(line), int(line))


def test_the_best_file_is_first_and_a_small_one_is_shown_whole(soc_project: Project) -> None:
    found = context(soc_project, QUESTIONS[0], 1500)
    parts = re.split(r"^File ", found.text, flags=re.M)[1:]
    assert parts[0].startswith("1 of")
    assert found.files[0] == "rtl/uart_rx.sv"
    lines = TextReader(soc_project.root)("rtl/uart_rx.sv").split("\n")
    for number, line in enumerate(lines, 1):
        assert "<=" not in line or f"\n{number}| " in parts[0]


def test_what_cannot_be_read_any_more_is_left_out(soc_project: Project) -> None:
    result = soc_project.search(QUESTIONS[0])
    gone = Sources(lambda path: "", soc_project.explanations)
    found = build_context("q", result, soc_project.searcher().lexicon, gone, 3000)
    assert (found.text, found.files) == ("", ())


def test_the_unit_begins_after_the_licence() -> None:
    assert SourceText(f"{LICENCE}\nmodule m;\n  wire a;\nendmodule\n").unit_line == 4


TEXT = st.text(alphabet='ab /*\n{};=\t"', max_size=400)


@settings(max_examples=150, deadline=None)
@given(TEXT)
def test_sentences_of_any_text_stand_on_its_lines(text: str) -> None:
    source = SourceText(text)
    for sentence in sentences(source):
        assert 1 <= sentence.line <= sentence.end_line <= len(source.lines)


def test_sentences_of_comments_have_their_lines() -> None:
    text = (
        f"{LICENCE}\n/**\n * Counts the words\n * of a line. Stops at the end of it.\n */\n"
        'module m; // says what this line is for\n  string s = "// no comment at all here";\n'
        "  // ---------------------------- \n  // a, b, c, d, e, f, g, h\n  // assign x = y + z;\n"
        "endmodule\n"
    )
    found = [(s.text, s.line, s.end_line) for s in sentences(SourceText(text))]
    assert found == [
        ("Counts the words of a line.", 5, 6),
        ("Stops at the end of it.", 6, 6),
        ("says what this line is for", 8, 8),
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_quoted_comment_stands_where_it_is_cited(soc_project: Project, question: str) -> None:
    read = TextReader(soc_project.root)
    result = soc_project.search(question)
    sources = Sources(read, soc_project.explanations, soc_project.graph)
    answer = extractive_answer(soc_project.searcher(), question, result, sources)
    assert answer.found
    said = re.findall(r"^(?!Path: )(\S.*?)\.? \[([^\]:]+):(\d+)(?:-(\d+))?\]$", answer.text, re.M)
    # What the lines of code show anyway is not said before them.
    assert said or re.search(r"^ *\d+\| *(?://|/\*)", answer.text, re.M)
    assert len({text for text, *_ in said}) == len(said)  # nothing is said twice
    quoted = 0
    for text, path, line, end in said:
        lines = read(path).split("\n")[int(line) - 1 : int(end or line)]
        cited = re.sub(r"[^a-z0-9]", "", " ".join(lines).lower())
        quoted += re.sub(r"[^a-z0-9]", "", text.lower()) in cited
    assert quoted >= len(said) // 2  # the rest describes a unit at its first line


ON_TOPIC = (
    "what detects a missing stop bit?",
    "round robin between hosts",
    "who instantiates the fifo",
    "which file holds the address map",
    "how are bytes sent over a serial line",
    "what drives the pins",
    "testbench of the queue",
    "timer interrupt",
    "where is memory",
    "who decides which host may use the bus",
    "divide the clock down to the baud rate",
    "sync_fifo",
    "what is it?",
)
OFF_TOPIC = (
    "what is the best recipe for chocolate cake with walnuts",
    "where is the SQL query optimiser",
    "how do I deploy this to Kubernetes with Helm",
    "which class renders the HTML template for the login page",
    "who won the football world cup in 1998",
    "where is the blockchain wallet balance updated",
    "how to knit a sweater for my grandmother",
)


@pytest.mark.parametrize("question", ON_TOPIC)
def test_no_question_about_the_design_is_weak(soc_project: Project, question: str) -> None:
    assert weakness(soc_project.search(question)) == ""


def test_what_is_not_refused_may_still_be_called_unlikely(soc_project: Project) -> None:
    # At the limit: no question of the training sets may be refused, so that a few others pass.
    assert soc_project.search("how long do I boil an egg").likely == "unlikely"


@pytest.mark.parametrize("question", OFF_TOPIC)
def test_questions_about_other_things_are_weak(soc_project: Project, question: str) -> None:
    assert weakness(soc_project.search(question))


def test_words_alone_tell_as_well(indexed_soc: Path) -> None:
    project = Project(indexed_soc)
    weak = [q for q in OFF_TOPIC if weakness(project.search(q))]
    assert len(weak) >= 6
    strong = [q for q in ON_TOPIC if not weakness(project.search(q))]
    assert len(strong) >= len(ON_TOPIC) - 1
