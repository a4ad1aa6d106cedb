"""A quoted answer shortened for models: what is kept, what is told, and its size."""

from __future__ import annotations

import re
from pathlib import Path

from hdlgraph.project import Project
from hdlgraph.query.result.short_answer import CHARACTERS, LEAD, short_answer
from hdlgraph.results import Answer, Citation, SearchResult
from hdlgraph.serve.cli.text.answers import bounded

QUESTION = "when does the FIFO raise overflow?"


def block(path: str, first: int, *lines: str) -> str:
    code = "\n".join(f"{number:5}| {line}" for number, line in enumerate(lines, first))
    return f"{code}\n[{path}:{first}-{first + len(lines) - 1}]"


FILLER = [f"  assign other_{n} = plain_{n} & mask_{n};" for n in range(60)]
ANSWER = "\n".join(
    [
        "Most likely rtl/fifo.sv, module fifo:",
        "Described as: Keeps words in order.",
        block("rtl/fifo.sv", 20, "  // full", *FILLER, "  assign overflow = push &", "    full;"),
        block("rtl/fifo.sv", 90, *FILLER[:30], "  //", "  fifo_overflow_q <= overflow;"),
        "",
        "Also rtl/count.sv, module count:",
        *(f"  S{n} -> S{n + 1} when go [rtl/count.sv:{n}]" for n in range(40)),
        "",
        "Also rtl/last.sv, module last:",
        block("rtl/last.sv", 7, *FILLER),
    ]
)


def test_a_short_answer_is_left_as_it_is() -> None:
    text = "Most likely rtl/a.sv:\n    1| module a;\n[rtl/a.sv:1]"
    assert short_answer("a", text) == (text, 3, 3)


def test_what_says_most_is_kept_whole_with_its_place() -> None:
    short = short_answer(QUESTION, ANSWER)
    lines = short.text.splitlines()
    assert len(short.text) <= CHARACTERS
    assert lines[:2] == ANSWER.splitlines()[:2]
    at = lines.index("   81|   assign overflow = push &")
    assert lines[at + 1] == "   82|     full;"  # a statement is not cut
    assert lines.index("[rtl/fifo.sv:20-82]") <= 2 + LEAD + 6
    assert "  121|   fifo_overflow_q <= overflow;" in lines
    assert not any(line.endswith("|   //") for line in lines)
    assert "  ..." in lines


def test_every_line_is_one_of_the_answer_in_order() -> None:
    short = short_answer(QUESTION, ANSWER)
    whole = iter(ANSWER.splitlines())
    assert all(line in whole for line in short.text.splitlines() if line != "  ...")
    assert short.total == sum(1 for line in ANSWER.splitlines() if line)
    assert short.kept == sum(1 for line in short.text.splitlines() if line.strip(" ."))


def test_files_of_which_nothing_is_kept_are_named() -> None:
    text = ANSWER + "\n\nAlso rtl/empty.sv, module empty:\nDescribed as: Nothing."
    assert "Also rtl/empty.sv, module empty:" in short_answer(QUESTION, text).text


def test_lines_without_end_are_no_trouble() -> None:
    text = "\n".join([*(f"    {n}| {'(' * 5000}" for n in range(1, 200)), "[a.sv:1-199]"])
    short = short_answer("x", text)
    assert 0 < short.kept <= short.total
    assert len(short.text) <= CHARACTERS


def test_answers_of_a_design(soc_words: Path) -> None:
    project = Project(soc_words)
    for question in ("how does the arbiter grant", "which states has the uart receiver"):
        answer = project.ask(question, writer="extractive")
        short = short_answer(question, answer.text)
        assert len(short.text) <= CHARACTERS
        assert answer.citations[0].path in short.text


def test_a_sentence_and_the_code_that_bears_it_out_are_told_together() -> None:
    told = [
        (f"- always_comb sets it, if way_{n} && gate_{n}:", block("a.sv", 10 * n, f"  o = v{n};"))
        for n in range(1, 90)
    ]
    answer = "\n".join(["m.o is driven in 89 places:", *(f"{one}\n{two}" for one, two in told)])
    lines = short_answer("when is o of m set by v7?", answer).text.split("\n")
    assert len(lines) < 3 * 89
    for at, line in enumerate(lines):
        if line.startswith("- "):
            number = line.partition("way_")[2].split()[0]
            assert lines[at + 1].endswith(f"| o = v{number};") or f"o = v{number};" in lines[at + 1]
        elif "|" in line:
            assert lines[at - 1].startswith("- always_comb sets it")


def test_the_facts_that_begin_an_answer_are_kept_whatever_their_words() -> None:
    edge = "- top.we is connected to fifo.push_i: we"
    facts = ["rtl/top.sv:", edge, "   12|   .push_i (we),", "[rtl/top.sv:12]"]
    second = "- fifo drives full_q [rtl/fifo.sv:31]"
    worthy = [f"- fifo raises its overflow when {n} [rtl/fifo.sv:{n}]" for n in range(200)]
    short = short_answer(QUESTION, "\n".join([*facts, second, *worthy]))
    assert short.text.splitlines()[:5] == [*facts, second]
    assert len(short.text) <= CHARACTERS


def _long(lines: int) -> Answer:
    parts, places = [], []
    for number, first in enumerate(range(1, lines, 60), 1):
        rows = [f"assign bank_{n} = spare_{n};" for n in range(first, first + 59)]
        path = f"rtl/f{first}.sv"
        parts.append(f"Also {path}, module f{first}:\n{block(path, first, *rows)}")
        places.append(Citation(number, path, first, first + 58))
    result = SearchResult("how many banks?", (), 0, 9)
    return Answer("how many banks?", "\n\n".join(parts), tuple(places), result)


def test_an_answer_in_a_pipe_is_bounded_and_says_what_shows_the_rest() -> None:
    more = "`hdlgraph ask --whole`"
    assert bounded(_long(50), more).text == _long(50).text
    long = _long(600)
    found = bounded(long, more)
    rows = found.text.splitlines()
    assert len(rows) < 200 < len(long.text.splitlines())
    assert re.fullmatch(rf"\d+ of 610 lines of the answer; {more} shows all", rows[-1])
    assert found.citations
    assert all(f"[{one.place}]" in found.text for one in found.citations)
