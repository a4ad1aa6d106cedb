"""Questions for relations of no known form: their kinds, the edges around both ends, the lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations import feature
from hdlgraph.query.relations.design import Design, design_of
from hdlgraph.query.relations.joint.attributes import attributes
from hdlgraph.query.relations.joint.cue_words import features
from hdlgraph.query.relations.joint.decide import LIKELY
from hdlgraph.query.relations.joint.kinds import KINDS, kinds
from hdlgraph.query.relations.joint.pairs import (
    bundled,
    inside,
    joined,
    nested,
    outside,
    passed,
    stated_by,
    through,
    used,
    within,
)
from hdlgraph.query.relations.joint.rows import WIDTH
from hdlgraph.query.relations.joint.score import model, scores_of
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.readings.read import readings
from hdlgraph.query.relations.resolve import Resolver, resolver_of

VECTOR_LENGTH = 384
DESIGN = Path(__file__).parents[1] / "designs" / "soc"


@pytest.fixture(scope="module")
def resolver(soc_words: Path) -> Resolver:
    found = resolver_of(Project.open(soc_words).searcher().index)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def design(soc_words: Path) -> Design:
    found = design_of(Project.open(soc_words).searcher().index)
    assert found is not None
    return found


def unit(design: Design, name: str) -> int:
    (row,) = [row for row in design.units if design.names[row] == name]
    return row


def line(path: str, words: str) -> int:
    text = (DESIGN / path).read_text().split("\n")
    return next(number for number, one in enumerate(text, 1) if words in one)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("dma_top: which submodules does it instantiate?", "child"),
        ("dma_ctrl is instantiated by which module?", "parent"),
        ("dma_busy in dma_top, which block drives it?", "drives"),
        ("what sits between the dma engine and the memory port?", "between"),
        ("which modules import dma_pkg, and only those?", "imports"),
        ("dma_cfg_t, the struct of the ports, declared where?", "declared"),
        ("testbench whose dut is the dma engine", "tested"),
    ],
)
def test_the_kind_of_a_question_is_told(question: str, kind: str) -> None:
    likely = kinds(question, readings(question))
    assert len(likely) == len(KINDS)
    assert sum(likely) > LIKELY
    assert KINDS[likely.index(max(likely))] == kind


@pytest.mark.parametrize(
    "question",
    ["how does the transmitter send bytes?", "why is the reset released late?",
     "what happens to a write while the queue is full, and how is software told?"],
)  # fmt: skip
def test_what_is_done_is_no_relation(question: str) -> None:
    assert sum(kinds(question, readings(question))) < LIKELY


def test_a_question_for_the_file_of_a_thing_asks_for_no_parent() -> None:
    text = "which file holds the dma engine dma_top?"
    assert kinds(text, readings(text))[:2] == (0.0, 0.0)


def test_the_model_fits_the_code() -> None:
    cues = len(features("which unit drives it?", [])) + len(model()["patterns"])
    for name, rows in (("kinds", len(KINDS) + 1), ("placed", 2)):
        for given, more in ((f"{name} by cues", 0), (name, VECTOR_LENGTH)):
            assert np.shape(model()[given]["weights"]) == (rows, cues + more)
    assert np.shape(model()["rows"]["hidden"])[0] == WIDTH
    better = np.zeros((2, WIDTH), np.float32)
    better[1, 0] = 1.0  # what the plain ranking has first
    assert scores_of(better)[1] > scores_of(better)[0]


def test_pairs_of_the_hierarchy_go_both_ways(design: Design) -> None:
    top, uart, send = (unit(design, name) for name in ("soc_top", "uart", "uart_tx"))
    below = {(one.rows[1], one.rows[0], one.level) for one in inside(design, [send], [])}
    assert {(send, uart, 0), (send, top, 1)} <= below
    above = {(one.rows[1], one.rows[0], one.level) for one in outside(design, [send], [])}
    assert {(uart, send, 0), (top, send, 1)} <= above


def test_pairs_of_nets_and_siblings(design: Design) -> None:
    send, queue, uart = (unit(design, name) for name in ("uart_tx", "sync_fifo", "uart"))
    driven = {one.rows[1] for one in passed(design, [send], drive=True)}
    assert queue in driven
    parents = {one.rows[1] for one in joined(design, [send, queue])}
    assert uart in parents


def test_parts_drive_and_read_the_nets_of_their_unit(design: Design) -> None:
    send, queue, uart = (unit(design, name) for name in ("uart_tx", "sync_fifo", "uart"))

    def parts(net: str, drive: bool) -> set[int]:
        return {one.rows[1] for one in within(design, [uart], lambda name: name == net, drive)}

    assert parts("tx_valid", drive=True) == {queue}
    assert parts("tx_valid", drive=False) == {send}
    assert send in parts("tx_o", drive=True)
    assert {queue, send} <= parts("clk_i", drive=False)
    assert parts("no_net", drive=True) == set()


def test_what_a_net_joins_and_what_lies_between(design: Design) -> None:
    send, queue, uart, top = (
        unit(design, name) for name in ("uart_tx", "sync_fifo", "uart", "soc_top")
    )
    joined_by = {one.rows[:2] for one in through(design, [uart], lambda name: name == "tx_valid")}
    assert joined_by == {(queue, send), (send, queue)}
    middle = {(one.rows[1], one.rows[0], one.rows[2]) for one in nested(design, [top, send])}
    assert middle == {(uart, top, send)}


def test_an_interface_joins_units_both_ways(tmp_path: Path) -> None:
    shutil.copy(DESIGN.parent / "signals" / "link.sv", tmp_path)
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    design = design_of(Project(tmp_path).searcher().index)
    assert design is not None
    send, take = unit(design, "sender"), unit(design, "receiver")
    assert take in {one.rows[1] for one in bundled(design, [send])}
    assert send in {one.rows[1] for one in bundled(design, [take])}


def test_of_names_that_say_nothing_one_of_each_file_is_looked_at(design: Design) -> None:
    bus, package = unit(design, "bus_if"), unit(design, "soc_pkg")
    found = [one for one in used(design, [bus], lambda _: False) if one.level == 0]
    assert [one.asked for one in found].count(design.file(package)) == 1


def test_pairs_of_imports_name_both_ends(design: Design) -> None:
    package = unit(design, "soc_pkg")
    found = list(stated_by(design, [package], ("IMPORTS",)))
    own = design.file(package)
    assert own in {one.asked for one in found}
    assert own in {one.known for one in found}


def test_attributes_tell_what_a_file_has(resolver: Resolver, design: Design) -> None:
    has = dict(zip(KINDS, attributes(design.file(unit(design, "soc_pkg")), resolver), strict=True))
    assert has["declared"]
    assert not has["child"]
    assert not has["drives"]
    bench = dict(zip(KINDS, attributes(design.file_of("dv/soc_tb.sv"), resolver), strict=True))
    assert bench["tested"]


def test_words_count_by_how_rare_they_are(resolver: Resolver) -> None:
    words = Words("which unit reads frame_err_o of the receiver?", resolver)
    assert words.said(["frame_err_o"]) > words.said(["unit_x"])
    assert words.named(["frame_err_o"]) == 1.0
    assert words.named(["other"]) == 0.0
    assert 0.0 <= words.said(["frame_err_o", "receiver", "reads"]) <= 1.0


def test_the_edge_that_answers_is_shown_with_its_line(soc_project: Project) -> None:
    result = soc_project.search("uart_tx lies inside which module?", k=5)
    places = {(one.path, one.line) for hit in result.hits for one in hit.evidence
              if one.kind == "relation"}  # fmt: skip
    assert result.hits[0].path == "rtl/uart.sv"
    assert ("rtl/uart.sv", line("rtl/uart.sv", "uart_tx u_tx")) in places
    again = soc_project.search("uart_tx lies inside which module?", k=5)
    assert again.hits == result.hits


def test_without_hops_no_edge_is_read(soc_project: Project) -> None:
    result = soc_project.search("uart_tx lies inside which module?", k=5, hops=0)
    assert all(one.kind != "relation" for hit in result.hits for one in hit.evidence)


def test_edges_in_doubt_are_told_and_change_no_order(
    soc_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "uart_tx lies inside which module?"

    def asked(told: float, decides: float) -> tuple[list[tuple[str, float]], list[list[str]]]:
        monkeypatch.setattr(feature, "TOLD", told)
        monkeypatch.setattr(feature, "LIKELY", decides)
        monkeypatch.setattr(feature, "by_readings", lambda *_: None)  # which decide by themselves
        hits = soc_project.search(text, k=5).hits
        kinds = [[one.kind for one in hit.evidence] for hit in hits]
        return [(hit.path, hit.score) for hit in hits], kinds

    without, in_doubt, sure = asked(2.0, 2.0), asked(0.0, 2.0), asked(0.0, 0.0)
    assert in_doubt[0] == without[0] != sure[0]
    assert not any("relation" in kinds for kinds in without[1])
    assert sure[1][0][0] == "relation"
    told = [kinds for kinds in in_doubt[1] if "relation" in kinds]
    assert told
    assert all(kinds[0] != "relation" for kinds in told)
