"""Connections know the instance that makes them, and which way they lead."""

from pathlib import Path

import pytest
from _graphs import design_graph, module, record

from hdlgraph.errors import IndexVersionError
from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model import Bind, Connection, FileRecord, Instance, Port, Scope, Unit

LEAF = Unit(
    kind="module",
    name="leaf",
    line=1,
    end_line=9,
    ports=(
        Port("a_i", "input", "logic", 2),
        Port("b_o", "output", "logic", 3),
        Port("pad", "inout", "wire", 4),
        Port("bus", "interface", "my_if.target", 5),
        Port("raw", "interface", "my_if", 6),
    ),
)


def wires(*pairs: str) -> tuple[Connection, ...]:
    split = [pair.partition("=") for pair in pairs]
    return tuple(Connection(port, expr, (expr,), 4) for port, _, expr in split)


def parent(*instances: Instance, name: str = "top") -> Unit:
    ports = tuple(Port(one, "input", "logic", 1) for one in ("x", "y"))
    return Unit(kind="module", name=name, line=1, end_line=20, ports=ports, instances=instances)


def told(graph: Graph) -> list[tuple[str, str, str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return [
        (names.get(edge.instance, ""), edge.direction, names[edge.target], edge.text)
        for edge in graph.edges
        if edge.kind == "CONNECTS"
    ]


def test_direction_is_that_of_the_port():
    made = Instance("u", "leaf", 3, 5, (), wires("a_i=x", "b_o=y", "pad=x", "bus=y", "raw=y"))
    found = told(link([record("top.sv", parent(made)), record("leaf.sv", LEAF)]))
    assert found == [
        ("top.u", "load", "leaf.a_i", "x"),
        ("top.u", "driver", "leaf.b_o", "y"),
        ("top.u", "inout", "leaf.pad", "x"),
        ("top.u", "interface.target", "leaf.bus", "y"),
        ("top.u", "interface", "leaf.raw", "y"),
    ]


def test_direction_is_that_of_the_chosen_definition():
    other = Unit(
        kind="module", name="leaf", line=1, end_line=9,
        ports=(Port("a_i", "output", "logic", 2), Port("b_o", "input", "logic", 3)),
    )  # fmt: skip
    made = Instance("u", "leaf", 3, 5, (), wires("a_i=x"))
    files = [
        record("a/top.sv", parent(made)), record("a/leaf.sv", other), record("b/leaf.sv", LEAF)
    ]  # fmt: skip
    assert told(link(files)) == [("top.u", "driver", "leaf.a_i", "x")]


def test_instances_on_one_line_are_told_apart():
    pair = [Instance(name, "leaf", 4, 4, (), wires(f"a_i={net}")) for name, net in ("ux", "vy")]
    found = told(link([record("top.sv", parent(*pair)), record("leaf.sv", LEAF)]))
    assert [one[:2] for one in found] == [("top.u", "load"), ("top.v", "load")]


def test_star_connections_have_their_instance():
    found = {(e.instance, e.direction) for e in design_graph().edges if e.kind == "CONNECTS"}
    fast = "instance:rtl/link_top.sv#link_top.gen_fast.u_stage"
    assert (fast, "load") in found
    assert (fast, "driver") in found
    assert "" not in {instance for instance, _ in found}


def test_a_bound_instance_is_a_node_with_its_connections():
    bind = Bind("top", "leaf", "u_chk", 7, wires("a_i=x"))
    graph = link([
        record("top.sv", parent()), record("leaf.sv", LEAF), record("bind.sv", binds=(bind,))
    ])  # fmt: skip
    assert told(graph) == [("top.u_chk", "load", "leaf.a_i", "x")]
    (node,) = [n for n in graph.nodes if n.kind == "instance"]
    assert (node.path, node.line, node.name) == ("bind.sv", 7, "top.u_chk")
    made = [(e.source, e.target) for e in graph.edges if e.kind == "INSTANTIATES"]
    assert made == [(node.id, "module:leaf.sv#leaf")]
    bound = [e for e in graph.edges if e.kind == "BINDS"]
    assert {e.instance for e in bound} == {node.id}


def test_a_bind_to_one_instance_is_none_to_the_others():
    pair = [Instance(name, "leaf", 4, 4) for name in ("u_a", "u_b")]
    bind = Bind("top.u_a", "chk", "u_chk", 7)
    graph = link([
        record("top.sv", parent(*pair)), record("leaf.sv", LEAF), record("chk.sv", module("chk")),
        record("bind.sv", binds=(bind,)),
    ])  # fmt: skip
    places = {
        (e.source, e.target)
        for e in graph.edges
        if e.kind == "BINDS" and e.source.startswith("instance:")
    }
    assert places == {("instance:top.sv#top.u_a", "module:chk.sv#chk")}


def bound(files: list[FileRecord]) -> set[str]:
    """Returns the instances that a bind is bound to alone."""
    return {
        edge.source.partition("#")[2]
        for edge in link(files).edges
        if edge.kind == "BINDS" and edge.source.startswith("instance:")
    }


@pytest.mark.parametrize(
    ("path", "parent", "only"),
    [
        ("core_i.left_i.filter_i", "bench", "left.filter_i"),
        ("core_i.right_i.filter_i", "bench", "right.filter_i"),
        ("core_i.right_i.filter_i", "", "right.filter_i"),
        ("bench.core_i.left_i.filter_i", "", "left.filter_i"),
        ("core_i.left_i.gen_more.filter_i", "bench", "left.gen_more.filter_i"),
        ("filter_i", "right", "right.filter_i"),
    ],
)
def test_a_bind_to_a_listed_instance_means_the_one_of_its_path(path: str, parent: str, only: str):
    def unit(name: str, *made: tuple[str, str], label: str = "") -> Unit:
        scopes = (Scope(label, "MORE", 4),) if label else ()
        instances = [Instance(one, of, 4, 4) for one, of in made]
        if label:
            instances.append(Instance("filter_i", "filter", 6, 6, scopes=scopes))
        return Unit("module", name, 1, 9, instances=tuple(instances))

    bind = Bind("filter", "chk", "u_chk", 7, instances=(path,), parent=parent)
    files = [
        record("bench.sv", unit("bench", ("core_i", "core"))),
        record("core.sv", unit("core", ("left_i", "left"), ("right_i", "right"))),
        record("left.sv", unit("left", ("filter_i", "filter"), label="gen_more")),
        record("right.sv", unit("right", ("filter_i", "filter"))),
        record("filter.sv", module("filter")), record("chk.sv", module("chk")),
        record("bind.sv", binds=(bind,)),
    ]  # fmt: skip
    assert bound(files) == {only}


def test_a_path_that_fits_no_instance_better_means_all_of_its_name():
    bind = Bind("leaf", "chk", "u_chk", 7, instances=("elsewhere.u_a",))
    tops = [
        record(f"{name}.sv", Unit("module", name, 1, 9, instances=(Instance("u_a", "leaf", 4, 4),)))
        for name in ("one", "two")
    ]
    files = [*tops, record("leaf.sv", LEAF), record("chk.sv", module("chk"))]
    assert bound([*files, record("bind.sv", binds=(bind,))]) == {"one.u_a", "two.u_a"}


def test_instance_and_direction_are_stored(tmp_path: Path):
    design_graph().save(tmp_path)
    again = Graph.load(tmp_path)
    assert [(e.instance, e.direction, e.reason) for e in again.edges] == [
        (e.instance, e.direction, e.reason) for e in design_graph().edges
    ]


@pytest.mark.parametrize("row", [-2, 10_000_000])
def test_an_instance_that_is_no_node_is_damage(tmp_path: Path, row: int):
    import pyarrow as pa

    from hdlgraph.store import tables

    design_graph().save(tmp_path)
    path = tmp_path / "edges.parquet"
    table = tables.read(path)
    at = table.column_names.index("instance")
    values = [row, *table.column("instance").to_pylist()[1:]]
    tables.write(path, table.set_column(at, "instance", pa.array(values, pa.int32())))
    with pytest.raises(IndexVersionError, match="instance"):
        Graph.load(tmp_path)


def test_why_a_definition_was_chosen_is_told():
    made = Instance("u", "leaf", 3, 5)
    graph = link([
        record("a/top.sv", parent(made)), record("a/leaf.sv", LEAF), record("b/leaf.sv", LEAF)
    ])  # fmt: skip
    why = {e.target: e.reason for e in graph.edges if e.kind == "INSTANTIATES"}
    assert why == {"module:a/leaf.sv#leaf": "nearest folder", "module:b/leaf.sv#leaf": ""}


def test_a_path_into_an_instance_comes_from_its_port():
    inner = Instance("u_a", "leaf", 3, 3)
    wire = Connection("a_i", "g[0].u_a.b_o", (), 4, paths=("g[0].u_a.b_o",))
    outer = Instance("u_b", "leaf", 4, 4, (), (wire,))
    graph = link([record("top.sv", parent(inner, outer)), record("leaf.sv", LEAF)])
    (edge,) = [e for e in graph.edges if e.kind == "CONNECTS"]
    assert edge.source == "port:leaf.sv#leaf.b_o"
    assert (edge.target, edge.direction) == ("port:leaf.sv#leaf.a_i", "load")
    assert edge.instance == "instance:top.sv#top.u_b"
