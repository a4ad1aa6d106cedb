"""What `search` prints for people: on terminals of two widths, without colour, and into a pipe.

HDLGRAPH_WRITE_GOLDEN=1 writes the golden file anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hdlgraph.results import Evidence, Hit, SearchResult, SourceLine
from hdlgraph.serve.cli import output
from hdlgraph.serve.cli.text.hits import show_result

GOLDEN = Path(__file__).parents[1] / "golden" / "search_hits.txt"
WORDY = "split: the second half of a misaligned access waits in " + "a_long_signal_name_" * 4
RESULT = SearchResult(
    question="how are misaligned accesses split?",
    hits=(
        Hit(
            1,
            "rtl/load_store_unit.sv",
            219,
            4.043,
            "rtl",
            "Performs the data memory accesses of the processor and splits those that are not"
            " aligned to a word into two transfers",
            (
                Evidence("lexical", "rtl/load_store_unit.sv", 219, "terms split:219", 1.8),
                Evidence(
                    "graph", "rtl/core.sv", 28, "reached from rtl/core.sv", 0.1, ("a -X-> b",)
                ),
            ),
            ("board/load_store_unit.sv", "vendor/load_store_unit.sv"),
            (
                SourceLine(219, "if (split_misaligned_access) begin", ((4, 27),)),
                SourceLine(1042, f"// {WORDY}", ((3, 8), (31, 41), (42, 48))),
            ),
            (
                "its text has: misaligned, accesses, split",
                "its explanation is nearest in meaning",
                "instantiated by core (rtl/core.sv:28)",
            ),
        ),
        Hit(2, "rtl/aligner.sv", 1, -0.16, "testbench", copies=("b/aligner.sv",)),
    ),
    hops=1,
    total_files=14,
    seconds=0.012,
    confidence=0.934,
    likely="very likely",
)
Shows = Callable[..., str]


@pytest.fixture
def shows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shows:
    """Returns what is printed to a terminal of so many columns, or to a pipe for 0."""

    def show(
        columns: int, colour: bool = False, explain: bool = False, result: SearchResult = RESULT
    ) -> str:
        for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
            monkeypatch.delenv(name, raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", str(columns))
            monkeypatch.setenv("TERM", "xterm-256color")
            monkeypatch.setenv("FORCE_COLOR", "1")
        if not colour:
            monkeypatch.setenv("NO_COLOR", "1")
        output._console.cache_clear()
        show_result(result, explain)
        output._console.cache_clear()
        return capsys.readouterr().out

    return show


def test_hits_are_printed_as_before(shows: Shows) -> None:
    ways = {
        "pipe": shows(0),
        "pipe, explained": shows(0, explain=True),
        "80 columns, no colour": shows(80),
        "120 columns, no colour": shows(120),
        "80 columns": shows(80, colour=True),
    }
    text = "\n".join(f"== {name}\n{told}" for name, told in ways.items())
    text = text.replace("\x1b", "ESC")
    if "HDLGRAPH_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_no_line_is_wider_than_the_terminal_and_no_word_is_cut(shows: Shows) -> None:
    for columns in (60, 80, 120):
        plain = re.sub(r"\x1b\[[\d;]*m", "", shows(columns))
        assert max(map(len, plain.split("\n"))) <= columns
    words = RESULT.hits[0].summary.split()
    told = " ".join(shows(40).split())
    assert " ".join(words) in told


def test_marks_survive_without_colour(shows: Shows) -> None:
    assert "\x1b[1;4msplit_misaligned_access\x1b[0m) begin\n" in shows(80)
    assert "\x1b" not in shows(0)


def test_scores_are_for_those_who_ask(shows: Shows) -> None:
    assert "4.043" not in shows(0)
    assert "4.043" in shows(0, explain=True)


def test_confidence_is_said_once_in_words(shows: Shows) -> None:
    assert shows(0).startswith("Right file among the first five: very likely (93 %).\n\n")
    unknown = SearchResult("x", RESULT.hits, 1, 14)
    assert shows(0, result=unknown).startswith(" 1  rtl/load_store_unit.sv")


def test_what_a_repository_writes_steers_no_terminal(shows: Shows) -> None:
    line = SourceLine(1, "a\x1b[31m \u202eb split", ((8, 13),))
    hit = Hit(1, "a\nb.sv", 1, 1.0, "rtl", "x\x1b[2J", copies=("c\x1b.sv",), lines=(line,))
    told = shows(0, explain=True, result=SearchResult("x", (hit,), 1, 1))
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert told.count("\n") == 4  # the hit, its copy, its summary and its line
