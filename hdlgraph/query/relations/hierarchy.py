"""Answers what is inside a unit, who instantiates one, what tests one, what joins two."""

from __future__ import annotations

from collections.abc import Mapping

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.relations.design import BELOW, CONNECTS, DEFINES, NETS, Design, Fact
from hdlgraph.query.relations.ends import joining
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.resolve import Candidate, Resolver
from hdlgraph.query.relations.sought import Asked

DEPTHS = (1.0, 0.62, 0.45)
"""Weight of what lies one, two or three levels below."""
ITSELF = 0.5
"""Weight of the file of the unit whose parts are asked for: the edges stand in it."""
CHECKER = 0.6
"""Share of the weight of what is bound into a unit to check it, where its parts are asked for."""
SAME_FILE = 0.6
"""The same of a unit that instantiates one of its own file, mostly an example or a test of it."""
TYPED = 0.75
"""Share of an answer's weight that falls off where it is not what the question calls it."""
OWN_FIT, LEAST_FIT = 0.4, 0.15
"""Share of a fit that counts by itself, the other being by the best one; that must be so good."""
SAID = 80
"""Characters of what an edge states that are told."""
MOST = 60
BINDS, FILE = EdgeKind.BINDS.value, NodeKind.FILE.value
_WORDS = {
    "CONNECTS": "is connected to",
    "GUARDED_BY": "has code guarded by",
    "USES": "uses",
}
"""What an edge says where its name in small letters does not."""


def children(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units inside a unit, those that fit what the question calls them first."""
    design, found = resolver.design, Found()
    kind = f"{asked.type} {asked.other}".strip()
    depth = len(DEPTHS) if kind else 1
    for one in resolver.units(asked.name, design.children):
        testing = _tests(resolver, one.row)
        facts = _below(design, one.row, depth)
        found.mean(one.weight, design.file(one.row))
        rows = [fact.row for fact, _ in facts if design.paths[fact.row]]
        fits = resolver.fit(kind, rows) if kind else {}
        for fact, level in facts:
            weight = one.weight * DEPTHS[level]
            if kind:
                weight *= typed(fits, fact.row)
            else:
                weight *= 0.8 + 0.2 * design.specific(fact.row)
            if _tests(resolver, fact.row) and not testing:
                weight *= CHECKER
            found.add(design.file(fact.row), weight, [stated(design, fact.edge)])
        if facts:
            weight = one.weight * ITSELF
            first = max(facts, key=lambda item: (fits.get(item[0].row, 0.0), -item[0].edge))
            found.add(design.file(one.row), weight, [stated(design, first[0].edge)])
    return found


def typed(fits: Mapping[int, float], row: int) -> float:
    """Returns the share of its weight that an answer keeps for being what it is called.

    Args:
        fits: how well each answer fits what the question calls it.
        row: the answer.
    """
    best = max(fits.values(), default=0.0)
    if best < LEAST_FIT:
        return 1 - TYPED + TYPED * fits.get(row, 0.0)
    fit = fits.get(row, 0.0)
    return 1 - TYPED + TYPED * (OWN_FIT * fit + (1 - OWN_FIT) * fit / best)


def _below(design: Design, row: int, depth: int) -> list[tuple[Fact, int]]:
    """Returns what lies below a unit, each unit once, with its level from 0."""
    found: dict[int, tuple[Fact, int]] = {}
    front = [row]
    for level in range(depth):
        reached: list[int] = []
        for above in front:
            for fact in design.children(above):
                if fact.row not in found and fact.row != row:
                    found[fact.row] = fact, level
                    reached.append(fact.row)
        front = reached
        if len(found) > MOST * (level + 1):
            break
    return list(found.values())


def parents(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units that instantiate a unit."""
    design, found = resolver.design, Found()
    for one in resolver.units(asked.name, design.parents):
        facts = design.parents(one.row)
        found.mean(one.weight, design.file(one.row))
        fits = resolver.fit(asked.type, [fact.row for fact in facts]) if asked.type else {}
        for fact in facts:
            weight = one.weight * (1.0 if not _tests(resolver, fact.row) else 0.8)
            weight *= typed(fits, fact.row) if asked.type else 1.0
            weight *= design.graph.edges.column("confidence")[fact.edge] ** 0.25
            if design.paths[fact.row] == design.paths[one.row]:
                weight *= SAME_FILE
            said = [stated(design, fact.edge)]
            found.add(design.file(fact.row), weight, said)
            found.add(design.file_of(said[0].path), weight, said)
    return found


def tests(asked: Asked, resolver: Resolver) -> Found:
    """Returns the testbenches around a unit, directly or through wrappers, and checkers of it."""
    design, found = resolver.design, Found()

    def in_test(row: int) -> bool:
        above = [fact.row for fact in design.parents(row)]
        higher = [fact.row for unit in above[:MOST] for fact in design.parents(unit)]
        return any(_tests(resolver, unit) for unit in (*above, *higher))

    for one in resolver.units(asked.name, in_test):
        front, seen = [one.row], {one.row}
        for weight in DEPTHS:
            reached = []
            for below in front:
                for fact in design.parents(below):
                    if fact.row in seen:
                        continue
                    seen.add(fact.row)
                    reached.append(fact.row)
                    if not _tests(resolver, fact.row):
                        continue
                    found.mean(one.weight, design.file(one.row))
                    label = design.graph.edges.column("text")[fact.edge].partition(" ")[0].lower()
                    own = 1.0 if label in ("dut", "uut", "i_dut", "u_dut") else 0.9
                    own *= 1.0 if _is_bench(design, fact.row) else 0.85
                    said = [stated(design, fact.edge)]
                    found.add(design.file(fact.row), one.weight * weight * own, said)
            front = reached
    if asked.type:
        _add_checkers(asked, resolver, found)
    return found


def _add_checkers(asked: Asked, resolver: Resolver, found: Found) -> None:
    """Adds the proofs and checkers that stand in a unit that is no test itself."""
    design = resolver.design
    for one in resolver.units(asked.name, design.children):
        if _tests(resolver, one.row):
            continue
        inside = [fact for fact in design.children(one.row) if _tests(resolver, fact.row)]
        fits = resolver.fit(asked.type, [fact.row for fact in inside])
        for fact in inside:
            found.mean(one.weight, design.file(one.row))
            weight = one.weight * typed(fits, fact.row)
            found.add(design.file(fact.row), weight, [stated(design, fact.edge)])


def tested(asked: Asked, resolver: Resolver) -> Found:
    """Returns what a testbench instantiates under the name of a device under test, or at all."""
    design, found = resolver.design, Found()
    for one in resolver.units(asked.name, design.children):
        found.mean(one.weight, design.file(one.row))
        for fact in design.children(one.row):
            label = design.graph.edges.column("text")[fact.edge].partition(" ")[0].lower()
            own = 1.0 if "dut" in label or "uut" in label else 0.6
            own *= 0.6 if _tests(resolver, fact.row) else 1.0
            found.add(design.file(fact.row), one.weight * own, [stated(design, fact.edge)])
    return found


def _tests(resolver: Resolver, row: int) -> bool:
    """Returns whether a unit is of a testbench or a proof."""
    number = resolver.design.file(row)
    return (number >= 0 and resolver.tests(number)) or _is_bench(resolver.design, row)


def _is_bench(design: Design, row: int) -> bool:
    name = design.names[row].lower()
    parts = name.split("_")
    return not {"tb", "testbench", "test", "bench", "fv", "fpv"}.isdisjoint(parts) or (
        "testbench" in name
    )


def between(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units that instantiate both of two units, with the nets that join them."""
    design, found = resolver.design, Found()
    firsts = resolver.units(asked.name, lambda row: design.parents(row) or design.children(row))
    seconds = resolver.units(asked.other, lambda row: design.parents(row) or design.children(row))
    for one in firsts:
        for other in seconds:
            if one.row != other.row:
                _joined(design, one, other, found)
    return found


def _joined(design: Design, one: Candidate, other: Candidate, found: Found) -> None:
    weight = (one.weight * other.weight) ** 0.5
    known = len(found.weight)
    above, beside = design.parents(one.row), design.parents(other.row)
    ways = {fact.row: fact.edge for fact in above}
    for fact in beside:
        if fact.row in ways:
            edges = joining(design, one.row, other.row, fact.row)
            said = [stated(design, edge) for edge in edges[:4]]
            said += [stated(design, ways[fact.row]), stated(design, fact.edge)]
            found.add(design.file(fact.row), weight * (1.0 if edges else 0.7), said)
    # One may be a part of the other: then the other's file joins them.
    for part, whole, facts in ((one, other, above), (other, one, beside)):
        for fact in facts:
            if fact.row == whole.row:
                edges = _port_edges(design, part.row, whole.row)
                said = [stated(design, edge) for edge in [*edges[:3], fact.edge]]
                found.add(design.file(whole.row), weight * 0.9, said)
    if len(found.weight) > known:
        for end in (one, other):
            found.mean(weight, design.file(end.row))
    for end in (one, other):
        found.add(design.file(end.row), weight * 0.4, ())


def _port_edges(design: Design, part: int, whole: int) -> list[int]:
    """Returns the edges from nets of a unit to the ports of a unit in it."""
    found = []
    for net in design.declared(whole, NETS):
        found += [f.edge for f in design.out(net, CONNECTS) if design.owner(f.row) == part]
    return found


def stated(design: Design, edge: int) -> Stated:
    """Returns where an edge is stated and what it says."""
    edges, names = design.graph.edges, design.names
    source, target = design.sources[edge], design.targets[edge]
    kind = design.edge_kinds[edge]
    said = _WORDS.get(kind, kind.lower())
    text = f"{names[source]} {said} {names[target]}"
    told = edges.column("text")[edge].split("\n")[0][:SAID]
    if kind == DEFINES:
        return Stated(edges.column("path")[edge], edges.column("line")[edge],
                      f"{names[target]} is declared")  # fmt: skip
    if kind == BINDS and design.kinds[target] == FILE:
        text = f"{names[source]} has a bind in {names[target]}"
    if kind in BELOW and told:
        text += f" as {told.partition(' ')[0]}"
    elif told:
        text += f": {told}"
    return Stated(edges.column("path")[edge], edges.column("line")[edge], text)
