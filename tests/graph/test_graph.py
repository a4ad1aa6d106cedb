"""The graph's storage, walks and digest."""

from pathlib import Path

import hypothesis.strategies as st
import pytest
from _graphs import design_graph, module, record
from hypothesis import given, settings

from hdlgraph.errors import IndexVersionError
from hdlgraph.graph import file_edges
from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model import Edge, Node, Unresolved

FILES = ("nodes", "edges", "unresolved", "file_edges")


def contents(graph: Graph) -> tuple:
    return list(graph.nodes), list(graph.edges), list(graph.unresolved)


def test_saved_graph_reads_back_the_same(tmp_path: Path):
    design_graph().save(tmp_path)
    assert contents(Graph.load(tmp_path)) == contents(design_graph())


def test_empty_graph_can_be_saved(tmp_path: Path):
    link([]).save(tmp_path)
    loaded = Graph.load(tmp_path)
    assert contents(loaded) == ([], [], [])
    assert loaded.neighbours(["file:a"], 2) == []
    assert file_edges.load(tmp_path)["kind"] == []


def test_same_graph_gives_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        design_graph().save(tmp_path / name)
    Graph.load(tmp_path / "a").save(tmp_path / "c")
    for name in FILES:
        one, two, again = ((tmp_path / f / f"{name}.parquet").read_bytes() for f in "abc")
        assert one == two == again, name


@pytest.mark.parametrize("content", [None, b"", b"PAR1 no table PAR1"])
def test_damaged_table_is_an_error_with_a_remedy(tmp_path: Path, content: bytes | None):
    design_graph().save(tmp_path)
    (tmp_path / "edges.parquet").unlink()
    if content is not None:
        (tmp_path / "edges.parquet").write_bytes(content)
    with pytest.raises(IndexVersionError, match=r"edges\.parquet.*hdlgraph index"):
        Graph.load(tmp_path)


def test_table_of_another_schema_is_refused(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    design_graph().save(tmp_path)
    pq.write_table(pa.table({"id": ["x"]}), tmp_path / "nodes.parquet")
    with pytest.raises(IndexVersionError, match="schema ''"):
        Graph.load(tmp_path)


def test_neighbours_are_nearest_first_and_limited():
    graph = design_graph()
    start = "module:rtl/link_parts.sv#link_loop"
    near = graph.neighbours([start], 1, {"INSTANTIATES"})
    assert [one.id for one in near] == [
        "module:rtl/link_parts.sv#link_user",
        "instance:rtl/link_parts.sv#link_user.u_loop",
    ]
    far = graph.neighbours([start], 2, {"INSTANTIATES"})
    assert far[: len(near)] == near
    assert [one.hops for one in far] == sorted(one.hops for one in far)
    assert graph.neighbours([start], 2, {"INSTANTIATES"}, limit=3) == far[:3]
    assert graph.edges[near[0].edge].source == start
    assert graph.neighbours(["module:nowhere#x"], 3) == []


def test_networkx_has_all_edges_and_fields():
    graph = design_graph()
    found = graph.to_networkx()
    assert (found.number_of_nodes(), found.number_of_edges()) == (
        len(graph.nodes),
        len(graph.edges),
    )
    source, target, key, data = next(iter(found.edges(keys=True, data=True)))
    edge = graph.edges[key]
    assert (edge.source, edge.target, edge.kind) == (source, target, data["kind"])


def test_file_edges_join_files_and_say_where(tmp_path: Path):
    design_graph().save(tmp_path)
    columns = file_edges.load(tmp_path)
    assert tuple(columns) == file_edges.COLUMNS
    rows = list(zip(*columns.values(), strict=True))
    assert rows == sorted(rows)
    assert all(row[0] and row[2] and row[0] != row[2] for row in rows)
    by_ends = {(row[1], row[3], row[4]): row for row in rows}
    made = by_ends["link_top", "link_stage", "INSTANTIATES"]
    assert made[5] == "rtl/link_top.sv"
    assert made[9] == 2
    assert made[7].startswith("u_stage")
    assert ("link_stage", "link_checks", "BINDS") in by_ends
    assert ("link_pkg", "", "INCLUDES") not in by_ends
    assert ("", "", "INCLUDES") in by_ends
    assert ("link_top", "link_loop", "INSTANTIATES") not in by_ends


def test_file_edges_of_many_instances_are_one_row():
    tops = [record("top.sv", *(module(f"t{n}", "leaf", line=10 * n + 1) for n in range(3)))]
    graph = link([*tops, record("leaf.sv", module("leaf"))])
    columns = file_edges.digest(graph.nodes, graph.edges).to_pydict()
    assert columns["src_name"] == ["t0", "t1", "t2"]
    assert columns["line"] == [2, 12, 22]


names = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(names, max_size=6, unique=True), st.data())
@settings(max_examples=30, deadline=None)
def test_any_text_survives_a_round_trip(tmp_path_factory, ids, data):
    nodes = [Node(name, "module", name, name, 3, text=data.draw(names)) for name in ids]
    edges = [
        Edge(a, b, "USES", data.draw(names), 1, data.draw(names), confidence=0.3)
        for a in ids
        for b in ids[:2]
    ]
    graph = Graph.of(nodes, edges, [Unresolved("module", name, name, 1) for name in ids])
    folder = tmp_path_factory.mktemp("graph")
    graph.save(folder)
    assert contents(Graph.load(folder)) == (nodes, edges, contents(graph)[2])


@pytest.mark.parametrize("end", [-1, 9999])
def test_edges_to_nodes_that_there_are_not_are_damage(tmp_path: Path, end: int):
    import pyarrow as pa
    import pyarrow.parquet as pq

    design_graph().save(tmp_path)
    place = tmp_path / "edges.parquet"
    table = pq.read_table(place)
    targets = [end, *table.column("target").to_pylist()[1:]]
    column = pa.array(targets, pa.int64())
    made = table.set_column(table.schema.get_field_index("target"), "target", column)
    pq.write_table(made.replace_schema_metadata(table.schema.metadata), place)
    with pytest.raises(IndexVersionError, match=r"edges\.parquet.*no node.*hdlgraph index"):
        Graph.load(tmp_path)
