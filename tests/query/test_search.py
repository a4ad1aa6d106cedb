"""Search over a small index built by the real pipeline parts, without and with vectors."""

import hashlib

import numpy as np
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.surfaces import build_surfaces
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, explain_all
from hdlgraph.index.lexical.write import build_lexical
from hdlgraph.index.link.link import link
from hdlgraph.model import Comment, FileRecord, Instance, Unit
from hdlgraph.query.answer.context import Sources
from hdlgraph.query.answer.quote import extractive_answer
from hdlgraph.query.features.feature import scale
from hdlgraph.query.features.graph import FileEdge, FileGraph
from hdlgraph.query.question.analyse import analyse
from hdlgraph.query.search import Searcher

TEXTS = {
    "rtl/bank_arbiter.sv": (
        "// Round-robin arbiter in front of the banks: the loser of a clash is retried.\n"
        "module bank_arbiter (input logic clk_i);\nendmodule\n"
    ),
    "rtl/memory_top.sv": (
        "// Memory subsystem.\nmodule memory_top;\n"
        "  // decides which port may use a bank\n  bank_arbiter u_arb (.clk_i);\nendmodule\n"
    ),
    "rtl/uart_rx.sv": "// Receives serial characters.\nmodule uart_rx;\nendmodule\n",
    "dv/tb_memory.sv": (
        "// Testbench: both ports hit one bank.\n"
        "module tb_memory;\n  memory_top dut ();\nendmodule\n"
    ),
}


def record(path, units, role="rtl"):
    text = TEXTS[path]
    first = text.split("\n")[0].removeprefix("// ")
    return FileRecord(
        path,
        hashlib.sha256(text.encode()).hexdigest(),
        role,
        "systemverilog",
        len(text),
        text.count("\n"),
        "utf-8",
        header=first,
        units=units,
        comments=(Comment(1, 1, first),),
    )


def make_records():
    arb = Instance("u_arb", "bank_arbiter", 4, 4, comment="decides which port may use a bank")
    dut = Instance("dut", "memory_top", 3, 3)
    return [
        record(
            "dv/tb_memory.sv", (Unit("module", "tb_memory", 2, 4, instances=(dut,)),), "testbench"
        ),
        record("rtl/bank_arbiter.sv", (Unit("module", "bank_arbiter", 2, 3),)),
        record("rtl/memory_top.sv", (Unit("module", "memory_top", 2, 5, instances=(arb,)),)),
        record("rtl/uart_rx.sv", (Unit("module", "uart_rx", 2, 3),)),
    ]


class CountEmbedder:
    """Letter counts as vectors: deterministic, enough to exercise the vector path."""

    name, dim = "letters", 26

    def embed(self, texts, *, query=False):
        out = np.zeros((len(texts), 26), np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    out[row, ord(letter) - 97] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


@pytest.fixture(params=["lexical", "vectors"])
def searcher(request, tmp_path):
    records = make_records()
    explanations = explain_all(records, DeterministicExplainer.for_records(records), {})
    embedder = CountEmbedder() if request.param == "vectors" else None
    build_lexical(records, explanations, TEXTS.__getitem__, None, tmp_path)
    build_surfaces(records, explanations, embedder, None, tmp_path)
    link(records, explanations).save(tmp_path)
    return Searcher.load(tmp_path, lambda: embedder)


def test_the_described_block_is_first(searcher):
    result = searcher.search("who arbitrates when two ports clash on a bank?")
    assert result.hits[0].path == "rtl/bank_arbiter.sv"
    assert result.hits[0].rank == 1
    assert any(e.kind == "lexical" for e in result.hits[0].evidence)


def test_a_verification_question_finds_the_testbench(searcher):
    result = searcher.search("which testbench makes both ports hit one bank?")
    assert result.hits[0].path == "dv/tb_memory.sv"


def test_relation_question_finds_the_parent_with_its_walk(searcher):
    result = searcher.search("what instantiates the bank arbiter?")
    assert result.hits[0].path == "rtl/memory_top.sv"
    walks = [e for e in result.hits[0].evidence if e.kind == "graph"]
    assert walks
    assert walks[0].walk == ("memory_top -INSTANTIATES-> bank_arbiter (rtl/memory_top.sv:4)",)


def test_an_exact_name_wins(searcher):
    assert searcher.search("uart_rx").hits[0].path == "rtl/uart_rx.sv"
    assert searcher.search("what is in uart_rx.sv").hits[0].line >= 1


def test_roles_and_candidates_restrict(searcher):
    assert {h.role for h in searcher.search("bank", roles=["testbench"]).hits} == {"testbench"}
    only = searcher.search("bank", candidates=["rtl/uart_rx.sv"])
    assert [h.path for h in only.hits] == ["rtl/uart_rx.sv"]


def test_zero_hops_gives_no_graph_evidence(searcher):
    hits = searcher.search("bank arbiter", hops=0).hits
    assert not any(e.kind == "graph" for h in hits for e in h.evidence)


@pytest.mark.parametrize("question", ["", "  ", "?!"])
def test_an_empty_question_is_wrong_use(searcher, question):
    with pytest.raises(UsageError, match="empty"):
        searcher.search(question)


def test_very_long_and_very_short_questions_end(searcher):
    assert searcher.search("a").hits
    assert searcher.search("bank arbiter " * 1000).hits[0].path == "rtl/bank_arbiter.sv"


def test_same_question_same_result(searcher):
    first, second = (searcher.search("serial characters").hits for _ in range(2))
    assert first == second
    assert first[0].path == "rtl/uart_rx.sv"


def test_answer_cites_existing_lines(searcher):
    result = searcher.search("who arbitrates when two ports clash on a bank?")
    answer = extractive_answer(searcher, result.question, result, Sources(TEXTS.__getitem__, dict))
    assert "rtl/bank_arbiter.sv" in answer.text
    for citation in answer.citations:
        assert 1 <= citation.line <= TEXTS[citation.path].count("\n") + 1


def test_analysis_knows_what_is_wanted(searcher):
    asked = analyse("Which formal property checks u_arb in memory_top.sv?", searcher.lexicon)
    assert asked.formal
    assert asked.verification
    assert not asked.instantiates
    assert asked.identifiers == ("u_arb", "memory_top.sv")


def test_walks_are_shortest_and_within_the_hops():
    edges = [
        FileEdge(0, 1, "a", "b", "INSTANTIATES", "a.sv", 1, "", 1.0),
        FileEdge(1, 2, "b", "c", "INSTANTIATES", "b.sv", 1, "", 1.0),
    ]
    graph = FileGraph(edges, 3)
    assert graph.walk([0], 1, 1) == (0, [0])
    assert graph.walk([0], 2, 1) is None
    assert graph.walk([0], 2, 2) == (0, [0, 1])


def test_scaling_is_over_the_candidates():
    values = np.asarray([0.0, 5.0, 10.0, 99.0], np.float32)
    assert scale(values, np.asarray([0, 1, 2])).tolist() == [0.0, 0.5, 1.0, 1.0]
    assert not scale(np.ones(3, np.float32), None).any()
