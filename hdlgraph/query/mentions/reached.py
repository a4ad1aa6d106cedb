"""The lines that reach a signal by a path through an instance of its unit: `dut.u_core.busy`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.mentions.lines import SURE, Line, Sources, holding, matching, owner_of, use

INSTANTIATES, INSTANCE = EdgeKind.INSTANTIATES.value, NodeKind.INSTANCE.value
SIGNALS = frozenset({NodeKind.PORT.value, NodeKind.SIGNAL.value})
MOST = 8
"""Signals of one name, beyond which none is looked for: a clock is reached from everywhere."""
NAMES, FILES = 40, 100
"""Names of instances of one unit, and files, that are looked at."""


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
    for row in rows if len(rows) <= MOST else ():
        owner, name = owner_of(graph, row), graph.nodes.column("name")[row].rpartition(".")[2]
        instances = _instances(graph, owner)[:NAMES] if owner >= 0 else []
        if not instances:
            continue
        ways = "|".join(map(re.escape, instances))
        reach = re.compile(rf"(?<![\w$`])(?:{ways})(?:\[[^\[\]]*\])?\.{re.escape(name)}(?![\w$])")
        near = {path for one in instances for path in holding(sources.lexicon, one)}
        for path in [one for one in holding(sources.lexicon, name) if one in near][:FILES]:
            for number, text in matching(sources.text(path), reach):
                if (path, number) not in known:
                    line = Line(path, number, text)
                    found[path, number] = use(graph, row, line, sure=SURE, resolved="unique")
    return [found[place] for place in sorted(found)]


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
