"""What `show` adds of clocks: where a signal is a register, and what a register cell does."""

from __future__ import annotations

from typing import Any

from hdlgraph.query.signals.access import drivers
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.records import Access

MOST = 20
"""Registers that are listed of one signal."""


def with_clocks(design: Design, found: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer of `show`: signals with `clocked`, cells with `register_outputs`."""
    for one in found["definitions"]:
        if one["kind"] in ("port", "signal"):
            clocked = _clocked(design, one["name"], one["path"])
            if clocked:
                one["clocked"] = clocked
        elif one["kind"] == "module" and one["id"] in design.flows.by_id:
            outputs = design.cell(design.flows.by_id[one["id"]])
            if outputs:
                one["register_outputs"] = outputs
    return found


def _clocked(design: Design, name: str, path: str) -> list[dict[str, Any]]:
    unit, _, signal = name.partition(".")
    for row in design.flows.by_name.get(unit, ()):
        if design.flows.units[row].path == path and design.has(row, signal):
            return [_told(one) for one in _distinct(drivers(design, row, signal))][:MOST]
    return []


def _distinct(found: list[Access]) -> list[Access]:
    """Returns the first place of each clock, the reset branch of a process last."""
    kept: dict[tuple[object, ...], Access] = {}
    for one in sorted(found, key=lambda access: access.reset):
        if one.clock[1]:
            kept.setdefault((one.clock, one.how, one.instance), one)
    return list(kept.values())


def _told(one: Access) -> dict[str, Any]:
    return {
        "edge": one.clock[0],
        "clock": one.clock[1],
        "reset": one.cell_reset,
        "how": one.how,
        "through": f"{one.instance}.{one.port} of {one.of}" if one.instance else "",
        "sure": one.sure,
        "location": one.location,
    }
