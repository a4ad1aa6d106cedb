"""What stands around a node in the graph: declarers, connections, port maps, binds."""

from __future__ import annotations

from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit, place, spot

DEFINES, CONNECTS = EdgeKind.DEFINES.value, EdgeKind.CONNECTS.value
BINDS, INSTANTIATES = EdgeKind.BINDS.value, EdgeKind.INSTANTIATES.value
DRIVER, OTHER = "driver", {"to": "from", "from": "to"}
OUTSIDE = {"driver": "drives", "load": "reads"}
"""What an instance does with a net that is connected to its port, by the direction."""
INSIDE = {"driver": "is driven by", "load": "drives"}
"""What a net does with the port of an instance that it is connected to."""


def declarers(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns what declares a node: the unit of a port, the file of a macro."""
    kinds, sources = graph.edges.column("kind"), graph.edges.column("source")
    found = [sources[edge] for edge in graph.in_edges(row).tolist() if kinds[edge] == DEFINES]
    return [place(graph, one) for one in dict.fromkeys(found)]


def connections(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns the connections of a port or net, each with its instance and direction.

    The other end is `to` where the value goes there (from an output port to the net, from a net to
    an input), `from` where it comes from there; else `to` is a port, `from` the net at one.
    """
    kinds = graph.edges.column("kind")
    found = []
    for edges, end, way in (
        (graph.out_edges(row), "target", "to"),
        (graph.in_edges(row), "source", "from"),
    ):
        for edge in edges.tolist():
            if kinds[edge] == CONNECTS:
                far, made = place(graph, graph.edges.column(end)[edge]), made_by(graph, edge)
                # An edge leads from the net to the port, and an output drives the net.
                direction = OTHER[way] if made["direction"] == DRIVER else way
                found.append({direction: far, **spot(graph, edge), **made})
    return found


def made_by(graph: Graph, edge: int) -> dict[str, Any]:
    """Returns the instance that makes a connection, and what its port does with the net."""
    row, names = graph.edges.column("instance")[edge], graph.nodes
    return {
        "instance": names.column("id")[row] if row >= 0 else "",
        "instance_name": names.column("name")[row] if row >= 0 else "",
        "direction": graph.edges.column("direction")[edge],
    }


def port_map(graph: Graph, row: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns what an instance's ports are connected to, and the ports that are left open.

    Both are in the order of the ports; the second are those of its likeliest unit.
    """
    edges, names = graph.edges, graph.nodes.column("name")
    kinds, sources, targets = (edges.column(name) for name in ("kind", "source", "target"))
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for edge in graph.made_edges(row).tolist():
        if kinds[edge] != CONNECTS:
            continue
        site, port = spot(graph, edge), int(targets[edge])
        one = found.setdefault((port, site["text"]), {
            "port": place(graph, port), "expr": site["text"], "signals": [],
            "location": site["location"], "direction": edges.column("direction")[edge],
        })  # fmt: skip
        if sources[edge] != row:
            one["signals"].append(names[sources[edge]])
    unit = likeliest(graph, row)
    order = {port: at for at, port in enumerate(ports_of(graph, unit))}
    joined = {port for port, _ in found}
    ordered = sorted(found, key=lambda key: order.get(key[0], len(order)))
    open_ports = [port for port in order if port not in joined]
    return [found[key] for key in ordered], [place(graph, port) for port in open_ports]


def likeliest(graph: Graph, instance: int) -> int:
    """Returns the row of the likeliest unit of an instance, -1 where it has none."""
    kinds = graph.edges.column("kind")
    for edge in graph.out_edges(instance).tolist():
        if kinds[edge] == INSTANTIATES:
            return int(graph.edges.column("target")[edge])
    return -1


def ports_of(graph: Graph, unit: int) -> list[int]:
    """Returns the rows of the ports of a unit in their order."""
    if unit < 0:
        return []
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    of_kind = graph.nodes.column("kind")
    return [
        int(targets[edge])
        for edge in graph.out_edges(unit).tolist()
        if kinds[edge] == DEFINES and of_kind[targets[edge]] == NodeKind.PORT.value
    ]


def binds(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns what is bound into a unit or an instance.

    `only` are the names of the instances that a bind is for, [] where it is for all of the unit.
    """
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    bound = graph.edges.column("instance")
    found = []
    for edge in graph.out_edges(row).tolist():
        target = targets[edge]
        if kinds[edge] == BINDS and is_unit(graph.nodes.column("kind")[target]):
            site = spot(graph, edge)
            only = [graph.nodes.column("name")[one] for one in bound_to(graph, bound[edge])]
            stated = {"stated_at": site["location"], "text": site["text"], "only": only}
            sure = {key: site[key] for key in ("confidence", "resolved", "witnesses", "trust")}
            found.append({**place(graph, target), **stated, **sure})
    return found


def bound_to(graph: Graph, bind: int) -> list[int]:
    """Returns the rows of the instances that a bind names; [] where it is for all of a unit."""
    if bind < 0:
        return []
    edges, of_kind = graph.edges, graph.nodes.column("kind")
    sources = edges.column("source")
    found = [
        sources[edge]
        for edge in graph.made_edges(bind).tolist()
        if edges.column("kind")[edge] == BINDS and of_kind[sources[edge]] == NodeKind.INSTANCE.value
    ]
    return list(dict.fromkeys(found))
