"""Where an elaboration and the design graph say different things; neither is changed by it."""

from __future__ import annotations

from hdlgraph.index.elaborate.closure import Closure
from hdlgraph.index.elaborate.design import DEFINES, Design
from hdlgraph.store.design.elaborated import Difference, Elaborated

MOST = 1000
"""Differences that are kept."""


def differences(design: Design, found: Closure, result: Elaborated) -> tuple[Difference, ...]:
    """Returns the differences, by kind, place and name.

    Instances of units are compared by unit, name and line: those that only the elaboration has,
    and those of elaborated units that it has neither in a generate block that was taken nor in
    one that was not, as code that an `ifdef leaves out.
    """
    listed = [*_definitions(design, found), *_instances(design, result)]
    return tuple(sorted(listed, key=lambda one: (one.kind, one.place, one.name))[:MOST])


def _definitions(design: Design, found: Closure) -> list[Difference]:
    return [
        Difference("definition", name, place, design.place(row), design.place(chosen))
        for (name, place), row in found.others.items()
        if (chosen := found.chosen[name]) != row
    ]


def _instances(design: Design, result: Elaborated) -> list[Difference]:
    """Returns the instances that only the elaboration has, and those that only the graph has."""
    seen: dict[int, set[tuple[str, str, int]]] = {}
    closed: set[int] = set()
    for body in result.bodies:
        held = seen.setdefault(body.unit, set())
        for child in body.children:
            name = child.name.rpartition(".")[2].partition("[")[0]
            what = child.unit or result.units[result.bodies[child.body].unit].name
            held.add((name, what, child.line))
        if any(not branch.taken for branch in body.branches):
            closed.add(body.unit)
    listed = []
    for number, held in seen.items():
        unit = result.units[number]
        row = _row(design, unit.name, unit.path)
        if row < 0:
            continue
        known = _known(design, row)
        names = {name for name, _ in known}
        for name, what, line in sorted(held):
            if name not in names:
                place = f"{unit.path}:{line}"
                listed.append(Difference("instance", f"{unit.name}.{name}", place, "", what))
        if number not in closed:
            got = {name for name, _, _ in held}
            listed += [
                Difference("absent", f"{unit.name}.{name}", f"{unit.path}:{line}", name, "")
                for name, line in sorted(known)
                if name not in got
            ]
    return listed


def _row(design: Design, name: str, path: str) -> int:
    return next((row for row in design.units.get(name, ()) if design.paths[row] == path), -1)


def _known(design: Design, row: int) -> set[tuple[str, int]]:
    """Returns (name, line) of the instances that the graph has in a unit."""
    return {
        (design.names[one.target].rpartition(".")[2], one.line)
        for one in design.links(row)
        if one.kind == DEFINES and design.kinds[one.target] == "instance"
    }
