"""Which names of a unit are one bit wide."""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.store.design.flows import FlowUnit

_SELECTED = re.compile(r"([A-Za-z_][\w$]*)((?:\s*\[[^\[\]:]*\])*)")
_PLAIN = re.compile(
    r"(?:(?:input|output|inout|var|wire|tri|logic|reg|bit|signed|unsigned)\s+)*"
    r"(?:wire|logic|reg|bit|input|output)\s*((?:\[[^\[\]]*\]\s*)*)"
)


class Bits:
    """Knows which names of a unit, and which elements of them, are one bit."""

    def __init__(self, graph: Graph, unit: FlowUnit) -> None:
        self._graph, self._unit = graph, unit

    def is_bit(self, text: str) -> bool:
        """Returns whether a text is a name of one bit, or so many elements of one with ranges."""
        found = _SELECTED.fullmatch(text)
        if found is None:
            return False
        whole = f"{self._unit.path}#{self._unit.name}.{found[1]}"
        details = self._graph.nodes.column("detail")
        rows = (self._graph.row(f"{kind}:{whole}") for kind in ("signal", "port"))
        told = [_PLAIN.fullmatch(details[row]) for row in rows if row >= 0]
        return bool(told) and all(
            one is not None and one[1].count("[") == found[2].count("[") for one in told
        )
