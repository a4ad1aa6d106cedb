"""What the cards tell that a model orders: purpose, lines that match, units above and below."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.llm.tokens import count_tokens
from hdlgraph.project import Project
from hdlgraph.query.assist.card_facts import CardFacts
from hdlgraph.query.assist.cards import (
    CARDS,
    FULL,
    LEAST_TOKENS,
    NARROW,
    card,
    cards,
    count_of,
    fitting,
    paths_of,
    shares,
)
from hdlgraph.results import Hit

QUESTION = "what samples the serial line in the middle of a bit"
LICENCE = "// Copyright lowRISC contributors.\n// Licensed under the Apache License, Version 2.0\n"
PARTS = ("<card 1>", "\n", "<", "/card>", " ", "card 3>", "</cards>", "x", "{count}")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def told(project: Project, question: str) -> dict[str, CardFacts]:
    hits = project.search(question, k=20, kind="rtl").hits
    return dict(zip((hit.path for hit in hits), project.card_facts(question, hits), strict=True))


def test_a_file_is_told_by_purpose_lines_and_wiring(soc_project: Project) -> None:
    uart = told(soc_project, QUESTION)["rtl/uart.sv"]
    assert uart.purpose.startswith("The serial port as a bus device")
    assert uart.uses == ("sync_fifo", "uart_rx", "uart_tx")
    assert uart.users == ("soc_top",)
    number, _, text = uart.lines[0].partition(": ")
    source = soc_project.source_text("rtl/uart.sv").splitlines()[int(number) - 1]
    assert text.split("…")[0].split()[0] in source


def test_what_is_imported_names_its_users(soc_project: Project) -> None:
    package = told(soc_project, "which constants and types do the blocks share")["rtl/soc_pkg.sv"]
    assert package.uses == ()
    assert "bus_if" in package.users


def test_no_licence_is_told(soc: Path) -> None:
    for file in (soc / "rtl").glob("*.sv"):
        file.write_text(LICENCE + file.read_text())
    project = Project(soc)
    project.index(graphrag="never", embeddings=False, jobs=1)
    for one in told(project, "apache licensed serial line").values():
        assert "Licensed" not in f"{one.purpose} {one.match} {one.lines}"


def test_the_matching_sentence_is_none_of_the_lines(soc_project: Project) -> None:
    for one in told(soc_project, "bytes wait here while the line is busy").values():
        assert not any(one.match[:40] in line for line in one.lines if one.match)


@settings(deadline=None)  # the first count loads the tokenizer
@given(TEXTS, TEXTS, TEXTS)
def test_no_text_begins_another_card(path: str, purpose: str, line: str) -> None:
    hit = Hit(1, f"a{path}.sv", 1, 1.0, "rtl")
    text = card(7, hit, CardFacts(purpose, line, (f"1: {line}",), (path,), (purpose,)), 150)
    assert count_of(text) == 1
    assert text.startswith("<card 7>\n")


@given(st.integers(1, 80), st.integers(200, 4000))
def test_cards_share_the_tokens(count: int, tokens: int) -> None:
    shown = fitting(count, tokens)
    assert shown <= min(count, CARDS)
    room = shares(shown, tokens)
    assert abs(sum(room) - tokens) < 1
    assert shown <= 2 or room[-1] >= LEAST_TOKENS
    assert all(one >= room[-1] for one in room[:FULL])


def test_what_a_card_leaves_is_there_for_the_next() -> None:
    hits = [Hit(n, f"rtl/f{n:02}.sv", 1, 1.0, "rtl") for n in range(1, CARDS + 1)]
    long = "a word and another one of the many that this sentence has in it " * 8
    short, wide = (
        CardFacts("Short."),
        CardFacts(long, long, (f"1: {long}", f"2: {long}"), ("u",), ("v",)),
    )
    found = cards(hits, [short] * 20 + [wide] * (CARDS - 20), 1000)
    assert paths_of("\n".join(found)) == [hit.path for hit in hits]
    assert sum(map(count_tokens, found)) <= 1000
    assert min(map(count_tokens, found[20:])) > 40
    narrow = card(1, hits[0], wide, 500, NARROW)
    assert narrow.count("\n") < card(1, hits[0], wide, 500).count("\n")
