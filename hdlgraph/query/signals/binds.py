"""Connections that bind directives make: they stand outside the unit whose signals they use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.parsers.text.expressions import names, paths
from hdlgraph.query.design.joined import likeliest
from hdlgraph.query.signals.design import INOUT, INPUT, INTERFACE, OUTPUT, Design
from hdlgraph.query.signals.records import Access

CONNECTS = EdgeKind.CONNECTS.value
_KINDS = (NodeKind.SIGNAL.value, NodeKind.PORT.value)
KEPT = 200
"""Characters that the graph keeps of a connection."""
_INDEX = re.compile(r"\[[^\]]*\]")


def used(text: str, base: str) -> list[str]:
    """Returns the names that the text of a connection uses of one signal: `bus`, `bus.valid`.

    Where the text does not tell, as of `.*`, that is the signal itself.
    """
    dotted = [_INDEX.sub("", one) for one in paths(text)]
    found = [one for one in dotted if one.startswith(base + ".")]
    is_whole = names(text).count(base) > len(found) or len(text) >= KEPT
    return list(dict.fromkeys([base, *found] if is_whole or not found else found))


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


def nets_of(design: Design, row: int, wanted: str) -> list[tuple[int, str, str, int]]:
    """Returns (unit row, signal, path, line) of what binds connect to a port of a bound unit.

    `wanted` is the port, or a member of it: of a port that is an interface the member counts.
    """
    graph, unit = design.graph, design.flows.units[row]
    port, _, member = wanted.partition(".")
    is_interface = design.view(row).ports.get(port, ("", 0, ""))[0] == INTERFACE
    node = graph.row(f"port:{unit.path}#{unit.name}.{port}")
    edges, nodes = graph.edges, graph.nodes
    found = []
    for edge in graph.in_edges(node).tolist() if node >= 0 else ():
        instance = edges.column("instance")[edge]
        if instance not in design.binds or edges.column("kind")[edge] != CONNECTS:
            continue
        source = edges.column("source")[edge]
        owner, _, base = nodes.column("name")[source].partition(".")
        place = nodes.column("path")[source]
        for at in design.flows.by_name.get(owner, ()):
            if design.flows.units[at].path != place:
                continue
            for name in _plain(design, at, edge, base):
                signal = f"{name}.{member}" if is_interface and member else name
                if design.has(at, signal):
                    line = edges.column("line")[edge]
                    found.append((at, signal, edges.column("path")[edge], line))
    return found


def _plain(design: Design, row: int, edge: int, base: str) -> list[str]:
    """Returns the names that a connection uses of a signal; a modport stands for all of it."""
    modports = {f"{base}.{one}" for one in design.modports(row, base)}
    told = used(design.graph.edges.column("text")[edge], base)
    return [base if one in modports else one for one in told]


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
            if kinds[edge] != CONNECTS or made[edge] not in binds:
                continue
            for one in _plain(design, row, edge, base):
                if f"{one}.".startswith(f"{signal}.") or f"{signal}.".startswith(f"{one}."):
                    yield edge, made[edge]
                    break
