"""What `show` adds of clocks: where a signal is a register, and what a register cell does."""

from __future__ import annotations

from typing import Any

from hdlgraph.query.signals.access import drivers
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.meaning.scopes import guard_of
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.unit import UnitView

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
            view = design.view(row)
            found = [(one, _generated(view, signal, one)) for one in drivers(design, row, signal)]
            return [_told(*one) for one in _distinct(found)][:MOST]
    return []


def _generated(view: UnitView, signal: str, one: Access) -> str:
    """Returns the conditions of the generate blocks around a register, "" for none."""
    if one.instance:
        return one.condition  # nothing else is around an instance
    for name, _ in view.spelled(signal):
        for block, step in view.writes.get(name, ()):
            if step.line == one.line and block.kind == one.how:
                return view.condition(guard_of(view.flow, block))
    return ""


def _distinct(found: list[tuple[Access, str]]) -> list[tuple[Access, str]]:
    """Returns the first place of each clock and condition, the reset branch of a process last."""
    kept: dict[tuple[object, ...], tuple[Access, str]] = {}
    for one, condition in sorted(found, key=lambda told: told[0].reset):
        if one.clock[1]:
            key = (one.clock, one.how, one.instance, condition, one.ifdef)
            kept.setdefault(key, (one, condition))
    return list(kept.values())


def _told(one: Access, condition: str) -> dict[str, Any]:
    return {
        "edge": one.clock[0],
        "clock": one.clock[1],
        "reset": one.cell_reset,
        "how": one.how,
        "through": f"{one.instance}.{one.port} of {one.of}" if one.instance else "",
        "condition": condition,
        "ifdef": one.ifdef,
        "sure": one.sure,
        "location": one.location,
    }
