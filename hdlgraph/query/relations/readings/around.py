"""Answers what holds a unit some levels up, and what stands between two things."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.model import EdgeKind
from hdlgraph.query.relations.design import BELOW, CONNECTS, NETS, PORT, Design, Fact
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.hierarchy import DEPTHS, stated, typed
from hdlgraph.query.relations.nets import is_clocking, meant
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.query.relations.sought import Asked

MORE, MOST_UNITS = 3, 4
"""Edges to other files of an answer that are told of a file, and units of it that are looked at."""
ENDS = 5
"""Things that each of two phrases may mean."""
EXTENDS, IMPORTS = EdgeKind.EXTENDS.value, EdgeKind.IMPORTS.value
MOST = 60
ONE_SIDE = 0.35
"""Share of the weight of what is joined to one of two things only."""


def holders(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units in which a unit lies, one to three levels up."""
    design, found = resolver.design, Found()
    for one in resolver.units(asked.name, design.parents):
        levels = _above(design, one.row)
        found.mean(one.weight, design.file(one.row))
        rows = [fact.row for fact, _ in levels]
        fits = resolver.fit(asked.type, rows) if asked.type else {}
        for fact, level in levels:
            weight = one.weight * (DEPTHS[level] ** (0.5 if asked.type else 1.0))
            weight *= typed(fits, fact.row) if asked.type else 1.0
            found.add(design.file(fact.row), weight, [stated(design, fact.edge)])
    return found


def _above(design: Design, row: int) -> list[tuple[Fact, int]]:
    """Returns what lies above a unit, each unit once, with its level from 0."""
    found: dict[int, tuple[Fact, int]] = {}
    front = [row]
    for level in range(len(DEPTHS)):
        reached: list[int] = []
        for below in front:
            for fact in design.parents(below)[:MOST]:
                if fact.row not in found and fact.row != row:
                    found[fact.row] = fact, level
                    reached.append(fact.row)
        front = reached[:MOST]
    return list(found.values())


def middle(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units that nets join to both of two things, in the unit that holds them."""
    design, found = resolver.design, Found()
    sides = [_joined(name, resolver) for name in (asked.name, asked.other)]
    units = sorted({*sides[0], *sides[1]})
    ends = [set(_ends(name, resolver)) for name in (asked.name, asked.other)]
    fits = resolver.fit(asked.type, units) if asked.type else {}
    for unit in units:
        weights = [side.get(unit, (0.0, []))[0] for side in sides]
        if unit in ends[0] or unit in ends[1]:
            continue
        both = (weights[0] * weights[1]) ** 0.5
        weight = both or ONE_SIDE * max(weights)
        weight *= typed(fits, unit) if fits else 1.0
        edges = [edge for side in sides for edge in side.get(unit, (0.0, []))[1][:2]]
        found.mean(both)
        found.add(design.file(unit), weight, [stated(design, edge) for edge in edges])
        above = [fact for fact in design.parents(unit)[:4]]
        for fact in above:
            found.add(design.file(fact.row), weight * 0.4, [stated(design, fact.edge)])
    return found


def _ends(name: str, resolver: Resolver) -> dict[int, float]:
    """Returns the units that a phrase may mean."""
    return {one.row: one.weight for one in resolver.units(name)[:ENDS]}


def _joined(name: str, resolver: Resolver) -> dict[int, tuple[float, list[int]]]:
    """Returns the units that a net joins to what a phrase may mean, with the edges."""
    design = resolver.design
    found: dict[int, tuple[float, list[int]]] = {}
    nets: dict[int, float] = {one.row: one.weight for one in meant(name, resolver)[:ENDS]}
    units = _ends(name, resolver)
    if units and max(units.values()) >= max(nets.values(), default=0.0):
        nets = {}
    for unit, weight in units.items():
        for port in design.declared(unit, frozenset({PORT})):
            if is_clocking(design.last(port)):
                continue
            for fact in design.into(port, CONNECTS):
                if design.kinds[fact.row] in NETS:
                    nets[fact.row] = max(weight, nets.get(fact.row, 0.0))
    for net, weight in nets.items():
        for fact in design.out(net, CONNECTS):
            owner = design.owner(fact.row)
            if owner in units or design.kinds[fact.row] != PORT:
                continue
            best, edges = found.get(owner, (0.0, []))
            found[owner] = max(best, weight), [*edges, fact.edge]
    return found


def joining_first(
    design: Design, number: int, first: Sequence[int], known: Sequence[Stated]
) -> list[Stated]:
    """Returns edges between the units of a file and those of the other files of an answer.

    Args:
        design: the design.
        number: the file.
        first: the files that are shown first.
        known: what is told of the file already.
    """
    kinds = (*BELOW, EXTENDS, IMPORTS)
    if number not in first:
        return []
    found: list[Stated] = []
    for row in design.units_of.get(number, ())[:MOST_UNITS]:
        for fact in (*design.into(row, *kinds), *design.out(row, *kinds)):
            if design.is_unit[fact.row] and design.file(fact.row) in first:
                one = stated(design, fact.edge)
                if one not in known and one not in found and design.file(fact.row) != number:
                    found.append(one)
    return found[:MORE]
