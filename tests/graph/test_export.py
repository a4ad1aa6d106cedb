"""Exports: readable by others, escaped, deterministic."""

import datetime
import io
import json
import re
import tracemalloc
from pathlib import Path

import hypothesis.strategies as st
import pytest
from _graphs import design_graph
from hypothesis import given, settings

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.graph import graph_xml
from hdlgraph.graph.cypher import cypher_string
from hdlgraph.graph.export import FORMATS, export, lines
from hdlgraph.graph.graph import Graph
from hdlgraph.graph.graph_xml import NOT_XML
from hdlgraph.model import Edge, Node

NASTY = "'); MATCH (n) DETACH DELETE n; // \\u0027 \\' \" <a> & \x00\x1b\x7f\ud800 \u2028\n\r\té"


def nasty_graph() -> Graph:
    nodes = [Node("a", "module", NASTY, "a.sv", 1, text=NASTY), Node("b", "macro", "b", "b", 2)]
    return Graph.of(nodes, [Edge("a", "b", "USES", "a.sv", 1, NASTY)])


def written(graph: Graph, fmt: str, folder: Path) -> str:
    path = folder / f"graph.{fmt}"
    export(graph, fmt, path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("graph", [design_graph(), nasty_graph()], ids=["design", "nasty"])
@pytest.mark.parametrize("fmt", ["graphml", "gexf", "json"])
def test_networkx_reads_it(graph: Graph, fmt: str, tmp_path: Path):
    import networkx as nx

    text = written(graph, fmt, tmp_path)
    if fmt == "graphml":
        found = nx.parse_graphml(text, force_multigraph=True)
    elif fmt == "gexf":
        found = nx.read_gexf(io.BytesIO(text.encode()))
    else:
        found = nx.node_link_graph(json.loads(text), edges="edges")
    assert list(found.nodes) == [node.id for node in graph.nodes]
    assert found.number_of_edges() == len(graph.edges)
    first = graph.nodes[0]
    assert found.nodes[first.id]["kind"] == first.kind
    assert found.nodes[first.id]["line"] == first.line


def parsed(text: str, fmt: str):
    import networkx as nx

    if fmt == "graphml":
        return nx.parse_graphml(text, force_multigraph=True)
    return nx.read_gexf(io.BytesIO(text.encode()))


names = st.text(
    st.sampled_from("<&>\"']\r\n\t\x00\x1b\ud800\ufffe ab") | st.characters(), min_size=1
)


@pytest.mark.parametrize("fmt", ["graphml", "gexf"])
@given(st.lists(names, min_size=1, max_size=5, unique=True), names)
@settings(max_examples=40, deadline=None)
def test_any_text_comes_back_from_xml(fmt: str, ids: list[str], text: str):
    nodes = [Node(one, "module", "n", text, 3, text=text) for one in ids]
    edges = [Edge(one, ids[0], "USES", "a.sv", row, text) for row, one in enumerate(ids)]
    found = parsed("".join(lines(Graph.of(nodes, edges), fmt)), fmt)
    assert found.number_of_nodes() == len(ids)  # what XML cannot hold does not make two one
    assert found.number_of_edges() == len(ids)
    plain = NOT_XML.sub("\ufffd", text)
    for node, shown in zip(ids, found, strict=True):
        assert shown == node or NOT_XML.search(node)
        assert found.nodes[shown]["path"] == found.nodes[shown]["text"] == plain
    rows = sorted(fields["line"] for _, _, fields in found.edges(data=True))
    assert rows == list(range(len(ids)))
    assert {fields["text"] for _, _, fields in found.edges(data=True)} == {plain}


def sorted_edges(found) -> list[tuple]:
    return sorted(found.edges(keys=True, data=True), key=lambda edge: edge[2])


@pytest.mark.parametrize("fmt", ["graphml", "gexf"])
def test_batches_make_no_difference(fmt: str, monkeypatch: pytest.MonkeyPatch):
    graph = design_graph()
    whole = parsed("".join(lines(graph, fmt)), fmt)
    monkeypatch.setattr(graph_xml, "BATCH", 7)
    parts = parsed("".join(lines(graph, fmt)), fmt)
    assert dict(parts.nodes(data=True)) == dict(whole.nodes(data=True))
    assert sorted_edges(parts) == sorted_edges(whole)
    edge = graph.edges[9]
    fields = parts.edges[edge.source, edge.target, 9]
    assert (fields["kind"], fields["path"], fields["line"]) == (edge.kind, edge.path, edge.line)


@pytest.mark.parametrize("fmt", ["graphml", "gexf"])
def test_an_empty_graph_is_a_document_too(fmt: str):
    assert parsed("".join(lines(Graph.of([], []), fmt)), fmt).number_of_nodes() == 0


def test_no_day_is_written():
    text = "".join(lines(design_graph(), "gexf"))
    assert "lastmodified" not in text
    assert str(datetime.date.today()) not in text


def test_memory_is_that_of_a_batch(monkeypatch: pytest.MonkeyPatch):
    graph = Graph.of([Node(f"n{n}", "module", "n", "a.sv", n) for n in range(1500)], [])
    peaks = []
    for size in (100, 1500):
        monkeypatch.setattr(graph_xml, "BATCH", size)
        tracemalloc.start()
        for _ in lines(graph, "graphml"):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < peaks[1] / 5


@pytest.mark.parametrize("fmt", FORMATS)
def test_same_graph_gives_same_text(fmt: str, tmp_path: Path):
    assert written(design_graph(), fmt, tmp_path) == "".join(lines(design_graph(), fmt))
    assert not list(tmp_path.glob(".*"))


def test_cypher_has_a_statement_per_node_and_edge(tmp_path: Path):
    graph = design_graph()
    statements = written(graph, "cypher", tmp_path).splitlines()
    assert len(statements) == 1 + len(graph.nodes) + len(graph.edges)
    assert all(statement.endswith(";") for statement in statements)
    nasty = written(nasty_graph(), "cypher", tmp_path).splitlines()
    assert len(nasty) == 1 + 2 + 1


def literal_value(text: str) -> str:
    """Reads a literal as Neo4j does: \\uXXXX anywhere first, then the string's escapes."""
    text = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda m: chr(int(m[1], 16)), text)
    assert text[0] == text[-1] == "'"
    inner = text[1:-1]
    assert re.fullmatch(r"(?:[^'\\]|\\[\\'nrt])*", inner, re.S), "the literal ends early"
    plain = {"\\": "\\", "'": "'", "n": "\n", "r": "\r", "t": "\t"}
    return re.sub(r"\\(.)", lambda m: plain[m[1]], inner)


@given(st.text(st.sampled_from("\\u0027'\"n;\n\t\x00abcU{}`") | st.characters(codec="utf-8")))
@settings(max_examples=300, deadline=None)
def test_no_text_ends_a_cypher_literal(value: str):
    assert literal_value(cypher_string(value)) == value


def test_unknown_format_names_the_known_ones(tmp_path: Path):
    with pytest.raises(UsageError, match="graphml, gexf, json, cypher"):
        export(design_graph(), "dot", tmp_path / "g.dot")


def test_unwritable_place_is_named(tmp_path: Path):
    with pytest.raises(HdlgraphError, match="cannot be written"):
        export(design_graph(), "json", tmp_path / "missing" / "g.json")


@pytest.mark.parametrize("fmt", FORMATS)
def test_connections_are_exported_with_instance_and_direction(fmt: str, tmp_path: Path):
    graph, path = design_graph(), tmp_path / "out"
    export(graph, fmt, path)
    text = path.read_text("utf-8")
    edge = next(e for e in graph.edges if e.kind == "CONNECTS" and e.direction == "driver")
    assert edge.instance.startswith("instance:")
    assert text.count(edge.instance) > 1
    assert "driver" in text
    if fmt == "json":
        found = json.loads(text)["edges"]
        assert [(e["instance"], e["direction"], e["reason"]) for e in found] == [
            (e.instance, e.direction, e.reason) for e in graph.edges
        ]
