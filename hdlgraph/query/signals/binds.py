"""Connections that bind directives make: they stand outside the unit whose signals they use."""

from __future__ import annotations

from collections.abc import Iterator

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.joined import likeliest
from hdlgraph.query.signals.design import INOUT, INPUT, OUTPUT, Design
from hdlgraph.query.signals.records import Access

CONNECTS = EdgeKind.CONNECTS.value
_KINDS = (NodeKind.SIGNAL.value, NodeKind.PORT.value)


def of_binds(design: Design, row: int, signal: str, *, drives: bool) -> Iterator[Access]:
    """Yields the ports of bound instances that drive or read a signal of the unit at a row."""
    graph, unit = design.graph, design.flows.units[row]
    edges, nodes = graph.edges, graph.nodes
    for edge, bind in _edges(design, row, signal):
        way = edges.column("direction")[edge]
        flows = {"driver": OUTPUT, "load": INPUT}.get(way, INOUT)
        if flows == (INPUT if drives else OUTPUT):
            continue
        _, _, port = nodes.column("name")[edges.column("target")[edge]].rpartition(".")
        bound = likeliest(graph, bind)
        yield Access(
            unit.name, unit.id, signal, edges.column("path")[edge], edges.column("line")[edge],
            "bind", instance=nodes.column("name")[bind].rpartition(".")[2], port=port,
            of=nodes.column("name")[bound] if bound >= 0 else "",
            of_id=nodes.column("id")[bound] if bound >= 0 else "", sure=flows != INOUT,
        )  # fmt: skip


def nets_of(design: Design, row: int, port: str) -> list[tuple[int, str, str, int]]:
    """Returns (unit row, signal, path, line) of what binds connect to a port of a bound unit."""
    graph, unit = design.graph, design.flows.units[row]
    node = graph.row(f"port:{unit.path}#{unit.name}.{port}")
    edges, nodes = graph.edges, graph.nodes
    found = []
    for edge in graph.in_edges(node).tolist() if node >= 0 else ():
        instance = edges.column("instance")[edge]
        if instance not in design.binds or edges.column("kind")[edge] != CONNECTS:
            continue
        source = edges.column("source")[edge]
        owner, _, signal = nodes.column("name")[source].partition(".")
        place = nodes.column("path")[source]
        for at in design.flows.by_name.get(owner, ()):
            if design.flows.units[at].path == place and design.has(at, signal):
                line = edges.column("line")[edge]
                found.append((at, signal, edges.column("path")[edge], line))
    return found


def _edges(design: Design, row: int, signal: str) -> Iterator[tuple[int, int]]:
    """Yields (connection, bind) of what binds connect to a signal of the unit at a row."""
    graph, unit = design.graph, design.flows.units[row]
    own = graph.row(unit.id)
    if own < 0 or not design.binds:
        return
    kinds, made = graph.edges.column("kind"), graph.edges.column("instance")
    binds = design.binds_of(own)
    base = signal.partition(".")[0]
    nodes = [graph.row(f"{kind}:{unit.path}#{unit.name}.{base}") for kind in _KINDS]
    for node in nodes if binds else ():
        for edge in graph.out_edges(node).tolist() if node >= 0 else ():
            if kinds[edge] == CONNECTS and made[edge] in binds:
                yield edge, made[edge]
