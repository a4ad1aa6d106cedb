"""Tells which lines of a unit stand in the branches of `ifdefs, and what these ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from hdlgraph.model.flow import Region
from hdlgraph.parsers.flow.join import UnitFlow
from hdlgraph.parsers.text.inventory import Inventory

MOST = 1000
"""Runs of lines that are kept of one unit."""
CHARS = 400
"""Characters that are kept of what one of them asks for."""


def with_regions(
    flows: Iterable[UnitFlow], inventory: Inventory, aside: Iterable[tuple[int, int]] = ()
) -> list[UnitFlow]:
    """Returns the flows of a file, each with the lines of its unit that depend on macros.

    `aside` are (first, last) of the branches that the default build leaves out.
    """
    left_out = _runs(aside)
    conditions = inventory.conditions
    if not conditions:
        return list(flows)
    found = []
    for one in flows:
        inside = ((max(a, one.line), min(b, one.end_line)) for a, b in left_out)
        lines = tuple((a, b) for a, b in inside if a <= b)[:MOST]
        regions = _regions(conditions, one)
        flow = msgspec.structs.replace(one.flow, regions=regions, aside=lines)
        found.append(one._replace(flow=flow))
    return found


def _regions(conditions: Sequence[str], unit: UnitFlow) -> tuple[Region, ...]:
    found: list[Region] = []
    begin, former = unit.line, ""
    for line in range(unit.line, min(unit.end_line, len(conditions) - 1) + 2):
        now = conditions[line] if line < len(conditions) and line <= unit.end_line else ""
        if now != former:
            if former:
                found.append((begin, line - 1, _cut(former)))
            begin, former = line, now
    return tuple(found[:MOST])


def _runs(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns runs of lines in order, those that overlap or touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _cut(text: str) -> str:
    return text if len(text) <= CHARS else text[: CHARS - 4] + " ..."
