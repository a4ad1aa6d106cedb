"""The heads of the instances whose connections are shown: they say what is connected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hdlgraph.query.relations.design import BELOW, Design
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.hierarchy import stated

HEADS = 2
"""Instances whose heads are added to the lines of a file."""
LONGEST = 400
"""Lines from the head of an instance to a connection of it."""
_CONNECTED = re.compile(r"(?P<unit>[\w$]+)\.[\w$.\[\]]+ is connected to (?P<part>[\w$]+)\.")


def with_heads(lines: Mapping[int, Iterable[Stated]], design: Design) -> dict[int, list[Stated]]:
    """Returns the lines of files, behind a connection the head of its instance, shown nowhere yet.

    Args:
        lines: that are shown of each file.
        design: the design.
    """
    shown = {(one.path, one.line) for some in lines.values() for one in some}
    out: dict[int, list[Stated]] = {}
    for number, some in lines.items():
        out[number] = []
        left = HEADS
        for one in some:
            out[number].append(one)
            head = _head(one, design) if left else None
            if head is not None and (head.path, head.line) not in shown:
                shown.add((head.path, head.line))
                out[number].append(head)
                left -= 1
    return out


def _head(one: Stated, design: Design) -> Stated | None:
    """Returns the head of the instance to which a connection belongs, None for no connection."""
    found = _CONNECTED.match(one.text)
    if found is None:
        return None
    lines = design.graph.edges.column("line")
    number = design.file_of(one.path)
    edges = _instances(design, number, found["unit"], found["part"]) if number >= 0 else ()
    before = [edge for edge in edges if one.line - LONGEST <= lines[edge] <= one.line]
    return stated(design, max(before, key=lambda edge: lines[edge])) if before else None


def _instances(design: Design, number: int, unit: str, part: str) -> Iterator[int]:
    """Yields the edges by which a unit of a file instantiates units of a name."""
    for row in design.units_of.get(number, []):
        if design.last(row) == unit:
            yield from (f.edge for f in design.out(row, *BELOW) if design.last(f.row) == part)
