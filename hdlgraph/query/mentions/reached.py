"""The lines that reach a signal from outside of its unit: through instances, or as an interface.

`dut.u_core.busy` reaches a signal of the unit of `u_core`; `bus.valid` one of the interface that
`bus` is declared as. What the names before a signal are declared as says whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.members.typed import TYPED
from hdlgraph.query.mentions.chains import chains
from hdlgraph.query.mentions.holders import Holders
from hdlgraph.query.mentions.lines import (
    LIKELY,
    SURE,
    Line,
    Sources,
    around,
    holding,
    matching,
    owner_of,
    use,
)

INSTANTIATES, INSTANCE = EdgeKind.INSTANTIATES.value, NodeKind.INSTANCE.value
INTERFACE = NodeKind.INTERFACE.value
SIGNALS = frozenset({NodeKind.PORT.value, NodeKind.SIGNAL.value})
MOST = 8
"""Signals of one name, beyond which none is looked for: a clock is reached from everywhere."""
NAMES, FILES = 40, 100
"""Names of instances of one unit, and files, that are looked at."""
HANDLED = 400
"""Files that are looked at for a signal of an interface."""


def uses_by_path(
    graph: Graph, sources: Sources, rows: Iterable[int], known: Collection[tuple[str, int]]
) -> list[dict[str, Any]]:
    """Returns the lines that reach signals from outside of their units, by path and line.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        rows: ports and signals; none are looked for where there are more than MOST.
        known: (path, line) of uses that are told already.
    """
    rows = list(rows)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    holders = Holders(graph, sources.text)
    for row in rows if len(rows) <= MOST else ():
        owner = owner_of(graph, row)
        for line in _lines(graph, sources, row, owner) if owner >= 0 else ():
            place = line.path, line.number
            sure = 0.0 if place in known else _sureness(graph, holders, line, row, owner)
            if sure > found.get(place, {"confidence": 0.0})["confidence"]:
                resolved = "unique" if sure == SURE else "candidate"
                found[place] = use(graph, row, line, sure=sure, resolved=resolved)
    return [found[place] for place in sorted(found)]


def _lines(graph: Graph, sources: Sources, row: int, owner: int) -> Iterator[Line]:
    """Yields the lines with a name behind that of an instance; of an interface behind any."""
    name = re.escape(graph.nodes.column("name")[row].rpartition(".")[2])
    holds = holding(sources.lexicon, graph.nodes.column("name")[row].rpartition(".")[2])
    if graph.nodes.column("kind")[owner] == INTERFACE:
        paths, reach = holds[:HANDLED], rf"\.\s*{name}(?![\w$])"
    else:
        instances = _instances(graph, owner)[:NAMES]
        if not instances:
            return
        near = {path for one in instances for path in holding(sources.lexicon, one)}
        paths = [one for one in holds if one in near][:FILES]
        ways = "|".join(map(re.escape, instances))
        reach = rf"(?<![\w$`])(?:{ways})(?:\[[^\[\]]*\])?\.{name}(?![\w$])"
    pattern = re.compile(reach)
    for path in paths:
        for number, text in matching(sources.text(path), pattern):
            yield Line(path, number, text)


def _sureness(graph: Graph, holders: Holders, line: Line, row: int, owner: int) -> float:
    """Returns how sure a line reaches a signal of a unit: 0 where it names that of another one."""
    unit = around(graph, line.path, line.number)
    name, sure = graph.nodes.column("name")[row].rpartition(".")[2], 0.0
    is_path = graph.nodes.column("kind")[owner] != INTERFACE
    for words in chains(line.text.partition("//")[0], name):
        meant = _meant(holders, line, unit, words) if words else frozenset[int]()
        if owner in meant:
            return SURE
        if not words or meant:
            continue
        if is_path and not _declares(graph, unit, words[0]):
            sure = LIKELY  # a path that begins in a unit around this one
        elif not is_path and words[1:] and _is_handle(graph, words[-1], owner):
            sure = LIKELY  # a handle in an object of a class that is not known
    return sure


def _is_handle(graph: Graph, name: str, interface: int) -> bool:
    """Returns whether all handles of a name that classes and units have are of an interface."""
    nodes = graph.nodes
    names, details = nodes.column("name"), nodes.column("detail")
    rows = (row for row in graph.ending(name) if names[row].rpartition(".")[2] == name)
    told = [details[row] for row in rows if details[row].startswith(("virtual ", "interface "))]
    wanted = rf"(?<![\w$]){re.escape(names[interface])}(?![\w$])"
    return bool(told) and all(re.search(wanted, one) for one in told)


def _meant(holders: Holders, line: Line, unit: int, words: list[str]) -> frozenset[int]:
    """Returns what names before a signal lead to, past a modport or clocking block."""
    found = holders.of(line.path, line.number, unit, words)
    if not found and words[1:]:
        return holders.of(line.path, line.number, unit, words[:-1])
    return found


def _declares(graph: Graph, unit: int, name: str) -> bool:
    """Returns whether a unit has a port, signal or parameter of a name."""
    kinds, names, edges = graph.nodes.column("kind"), graph.nodes.column("name"), graph.edges
    return any(
        kinds[row] in TYPED and names[row].rpartition(".")[2] == name
        for edge in (graph.out_edges(unit).tolist() if unit >= 0 else ())
        for row in (edges.column("target")[edge],)
    )


def _instances(graph: Graph, unit: int) -> list[str]:
    """Returns the names of the instances of a unit, sorted, each once."""
    edges, nodes = graph.edges, graph.nodes
    kinds, sources = edges.column("kind"), edges.column("source")
    rows = [sources[edge] for edge in graph.in_edges(unit).tolist() if kinds[edge] == INSTANTIATES]
    return sorted(
        {
            nodes.column("name")[row].rpartition(".")[2]
            for row in rows
            if nodes.column("kind")[row] == INSTANCE
        }
    )
