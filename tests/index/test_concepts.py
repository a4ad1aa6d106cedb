"""Concepts in the graph, on disk, and in the comparison of methods."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import msgspec
import pytest
from _concepts import about, answer, ask_about, files, settings_for
from _graphs import design_records, module, record

from hdlgraph.errors import CallError
from hdlgraph.eval.bench.replies import Replies, stage_of
from hdlgraph.eval.bench.tokens import EXPLANATIONS, CountingServer, Stage, ratios, request_tokens
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.concepts.ask import ask_concepts, planned_calls
from hdlgraph.index.concepts.kept import (
    Concept,
    ConceptLink,
    FileConcepts,
    read_concepts,
    write_concepts,
)
from hdlgraph.index.estimate.methods import compare_extraction
from hdlgraph.index.graphrag.entities import entities_of, relationship_columns
from hdlgraph.index.link.link import link
from hdlgraph.llm.tokens import count_messages
from hdlgraph.prompts import prompt_text
from hdlgraph.settings.records import Settings
from hdlgraph.store.explanations import read_jsonl


@pytest.fixture
def stub():
    with Stub(reply=answer) as server:
        yield server


def tables(graph) -> str:
    rows = [[msgspec.to_builtins(one) for one in part] for part in (graph.nodes, graph.edges)]
    return json.dumps([*rows, [msgspec.to_builtins(one) for one in graph.unresolved]])


def concepts_for(path: str, *concepts: Concept, links=()) -> FileConcepts:
    return FileConcepts(path=path, key="", model="m", concepts=concepts, links=tuple(links))


def design_concepts() -> dict[str, FileConcepts]:
    top, stage, *_ = sorted(r.path for r in design_records() if r.path.startswith("rtl/"))
    shared = Concept("flow control", "holds words back", "", "IMPLEMENTS")
    found = [
        concepts_for(
            top,
            shared,
            Concept("word width", "sets it", "Width", "PARAMETERIZES"),
            links=[ConceptLink("flow control", "word width", "needs it")],
        ),
        concepts_for(stage, shared, Concept("prose", "says so", "", "DESCRIBED_BY")),
        concepts_for("gone/away.sv", shared),
    ]
    return {one.path: one for one in found}


def test_without_concepts_the_graph_is_as_before():
    records = design_records()
    told = about(records)
    plain = tables(link(records, told))
    assert tables(link(records, told, concepts={})) == plain
    assert tables(link(records, told, concepts=None)) == plain


def test_concepts_only_add_to_the_graph():
    records = design_records()
    told = about(records)
    plain, both = link(records, told), link(records, told, concepts=design_concepts())
    for part in ("nodes", "edges"):
        before, after = list(getattr(plain, part)), list(getattr(both, part))
        assert after[: len(before)] == before
        added = after[len(before) :]
        assert added
        assert {one.origin for one in added} == {"llm"}
        assert all(one.confidence < 1 for one in added)
    shuffled = dict(reversed(design_concepts().items()))
    assert tables(link(tuple(reversed(records)), told, concepts=shuffled)) == tables(both)


def test_elements_have_their_place():
    records = [
        record("a.sv", module("a", ports="clk_i data_o", line=7)),
        record("b.sv", module("b")),
    ]
    told = about(records)
    told["b.sv"] = msgspec.structs.replace(told["b.sv"], concepts=("Back pressures",))
    found = {
        "a.sv": concepts_for(
            "a.sv",
            Concept("back pressure", "stops", "data_o", "CONNECTS"),
            Concept("gone", "was renamed", "nothing", "PARAMETERIZES"),
        )
    }
    graph = link(records, told, concepts=found)
    names = {node.id: (node.kind, node.name) for node in graph.nodes}
    found = [
        (e.kind, names[e.source], names[e.target], e.path, e.line)
        for e in graph.edges
        if e.origin == "llm"
    ]
    assert found == [
        ("CONNECTS", ("port", "a.data_o"), ("concept", "Back pressures"), "a.sv", 7),
        ("IMPLEMENTS", ("module", "a"), ("concept", "gone"), "a.sv", 7),
        ("IMPLEMENTS", ("file", "a.sv"), ("concept", "gone"), "a.sv", 1),
    ]


def test_concepts_of_several_files_become_entities():
    records = design_records()
    graph = link(records, about(records), concepts=design_concepts())
    kinds = Settings().graphrag.entities
    found = {e.name: e for e in entities_of(graph, about(records), kinds) if e.kind == "concept"}
    assert found.keys() == {"flow control"}, "a concept of one file joins nothing"
    assert found["flow control"].description.endswith(". holds words back")
    entities = entities_of(graph, about(records), kinds)
    columns = relationship_columns(graph, entities, lambda path, line: [path])
    assert "FLOW CONTROL" in columns["target"]


def test_methods_side_by_side(stub):
    records = files(20)
    settings = settings_for(stub)
    ast, both, llm = compare_extraction(records, about(records), settings)
    assert (ast.method, ast.calls, ast.input_tokens) == ("ast", 0, 0)
    planned = planned_calls(records, about(records), settings)
    assert both.calls == 3
    assert both.input_tokens == round(sum(map(count_messages, planned)) / 20, 1)
    assert llm.calls == 20
    assert llm.input_tokens > 4 * both.input_tokens


def test_sorted_by_path(tmp_path):
    found = {f"{n}.sv": concepts_for(f"{n}.sv") for n in "cab"}
    write_concepts(tmp_path / "d.jsonl", found)
    lines = (tmp_path / "d.jsonl").read_text().splitlines()
    assert all(a < b for a, b in pairwise(json.loads(line)["path"] for line in lines))
    (tmp_path / "d.jsonl").write_text("{broken\n" + lines[1] + "\n\xff\n", encoding="latin-1")
    assert read_concepts(tmp_path / "d.jsonl").keys() == {"b.sv"}
    assert read_concepts(tmp_path / "none.jsonl") == {}


def test_a_model_that_raises_is_not_hidden(stub):
    class Dead:
        async def complete(self, call):
            raise CallError("the endpoint is gone", "unreachable")

    records = files(9)
    found = asyncio.run(ask_concepts(Dead(), records, about(records), settings_for(stub)))
    assert len(found.failed) == 9


def test_the_benchmark_counts_what_is_sent(stub):
    told = dict(list(read_jsonl(EXPLANATIONS).items())[:9])
    records = [record(path) for path in told]
    counted = CountingServer(told)
    with counted.stub:
        found = ask_about(counted.stub, records, told)
        assert {stage_of(body) for body in counted.stub.requests} == {"concepts"}
        counted.take("hdlgraph")
    planned = planned_calls(records, told, settings_for(stub))
    (stage,) = counted.stages
    assert (stage.stage, stage.calls) == ("concepts", 2)
    assert stage.input_tokens == sum(map(count_messages, planned))
    assert stage.output_tokens > 9 * 40
    assert all(one.concepts for one in found.files.values())


def test_shares_of_the_benchmark():
    stages = [
        Stage("stock", "extract", 1, 600, 0),
        Stage("stock", "report", 1, 400, 0),
        Stage("hdlgraph", "explain", 1, 200, 0),
        Stage("hdlgraph", "concepts", 1, 50, 0),
    ]
    assert list(ratios(stages).values()) == [0.25, 250 / 600, 0.05, 50 / 600]
    schema = {"json_schema": {"schema": {"type": "object"}}}
    body = {"messages": [{"role": "user", "content": "one two"}]}
    assert request_tokens({**body, "response_format": schema}) > request_tokens(body) == 10


def test_replies_have_the_form_that_graphrag_reads():
    path, about = next(iter(read_jsonl(EXPLANATIONS).items()))
    prompt = prompt_text("extract_graph").format(entity_types="module", input_text=about.to_text())
    body = {"messages": [{"role": "user", "content": prompt}]}
    records = Replies({path: about})(body).removesuffix("<|COMPLETE|>").split("##")
    parts = [one.strip().strip("()").split("<|>") for one in records]
    assert {len(one) for one in parts} == {4, 5}
    names = {one[1] for one in parts if one[0] == '"entity"'}
    assert len(names) > 3
    assert all({one[1], one[2]} <= names for one in parts if one[0] == '"relationship"')
