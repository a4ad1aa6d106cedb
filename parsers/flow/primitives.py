"""The flow of primitives that a user defines: the output and the inputs of their tables."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.model.flow import Block, Flow, Step
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.slang.primitives import read_primitive_ports

ROWS = 5000
"""Rows of a table that are read."""
# Clause 29.3.6: symbols may stand together without blanks.
_SYMBOL = re.compile(r"\([^()]{1,4}\)|[01xb?rfpn*]", re.I)
_EDGES = {"r": "posedge", "p": "posedge", "(01)": "posedge"}
_EDGES |= {"f": "negedge", "n": "negedge", "(10)": "negedge"}


def primitive_flow(node: Any, at: NodeText) -> Flow:
    """Returns the flow of a primitive: one block that assigns its output from its inputs.

    Its kind is `always` with the edges at which the table changes the output, `always_latch` for
    other tables that keep a state, and `assign` for those without one.
    """
    ports = read_primitive_ports(node, at)
    names = tuple(one.name for one in ports)
    outputs = tuple((n, "") for n, one in enumerate(ports) if one.direction == "output")
    inputs = tuple(n for n, one in enumerate(ports) if one.direction == "input")
    line = at.line(node.body) or at.token_line(node.name)
    keeps, edges = _table(node.body, at)
    events = tuple((edge, inputs[n], line) for n, edge in edges.items() if n < len(inputs))
    kind = ("always" if events else "always_latch") if keeps else "assign"
    step = Step(line, -1, outputs[:1], inputs)
    end = max(at.end_line(node), line)
    return Flow(names, (), (Block(kind, line, end, "", events, (step,)),))


def _table(body: Any, at: NodeText) -> tuple[bool, dict[int, str]]:
    """Returns whether a table keeps a state, and the edge of each input that changes it."""
    keeps, edges = False, dict[int, str]()
    for row in list(body.entries)[:ROWS]:
        if not is_node(row) or row.next is None:
            continue
        keeps = keeps or row.current is not None
        if at.text(row.next) == "-":
            continue
        symbols = _SYMBOL.findall("".join(at.text(one) for one in row.inputs if is_node(one)))
        for place, symbol in enumerate(symbols):
            if symbol.lower() in _EDGES:
                edges.setdefault(place, _EDGES[symbol.lower()])
    return keeps, edges
