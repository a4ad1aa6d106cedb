"""Answers who drives or reads a net, what units pass to each other, and what a clock reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from hdlgraph.query.relations.design import CONNECTS, NETS, PORT, Design
from hdlgraph.query.relations.ends import End, drivers, readers
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.hierarchy import TYPED, stated, typed
from hdlgraph.query.relations.resolve import Candidate, Resolver
from hdlgraph.query.relations.sought import Asked, Sought
from hdlgraph.words import REMEMBERED, split_identifier

FALL = 0.8
"""Weight of an end one level further away."""
HOLDER, PLACE = 0.55, 0.6
"""Weight of the unit that declares a net, and of the file in which an end is connected."""
UNIT = 0.08
"""How much better a unit must fit a phrase than any net, to be meant where nets are asked for."""
MOST_UNITS = 4
SAME_NAME = 12
"""Nets of one name that are looked at."""
CLOCK_WORDS = frozenset(("clk", "clock", "ck", "aclk"))
RESET_WORDS = frozenset(("rst", "reset", "rstn", "resetn", "arst", "rstni", "aresetn"))
CLOCKING = CLOCK_WORDS | RESET_WORDS


def ends(asked: Asked, resolver: Resolver) -> Found:
    """Returns who drives or who reads the nets that a phrase may mean."""
    found = Found()
    drive = asked.sought == Sought.DRIVERS
    nets = meant(asked.name, resolver)
    if not (nets and nets[0].exact):
        # "What feeds the decoder": of a unit all nets are meant.
        units = resolver.units(asked.name, resolver.design.parents)
        if units and units[0].weight > UNIT + max((one.weight for one in nets), default=0.0):
            way = Sought.UPSTREAM if drive else Sought.DOWNSTREAM
            return passed(replace(asked, sought=way), resolver)
    for one in nets:
        _add_ends(one, drive, asked, resolver, found)
    return found


def _add_ends(one: Candidate, drive: bool, asked: Asked, resolver: Resolver, found: Found) -> None:
    design = resolver.design
    reached = drivers(design, one.row) if drive else readers(design, one.row)
    # The unit of an output port that nothing in it drives does so itself: it is an answer.
    own = not reached and design.kinds[one.row] == PORT and design.is_output(one.row) == drive
    found.mean(one.weight, -1 if own else design.file(one.row))
    fits = resolver.fit(asked.type, [end.unit for end in reached]) if asked.type else {}
    owner = design.owner(one.row)
    for end in reached:
        weight = one.weight * FALL**end.depth
        weight *= typed(fits, end.unit) if asked.type else 1.0
        said = stated(design, end.edge)
        found.add(design.file(end.unit), weight, [said])
        found.end(design.file(end.unit), end.edge)
        found.add(design.file_of(said.path), one.weight * FALL**end.depth * PLACE, [said])
    # What no part of the unit drives is made in the unit itself.
    place = Stated(
        design.paths[one.row], _line(design, one.row), f"{design.names[one.row]} is declared"
    )
    found.add(design.file(owner), one.weight * (HOLDER if reached else 0.95), [place])


def _line(design: Design, row: int) -> int:
    return int(design.graph.nodes.column("line")[row])


def meant(text: str, resolver: Resolver) -> list[Candidate]:
    """Returns the nets that a phrase may mean: by their name, then those of a unit it names."""
    design = resolver.design
    nets = resolver.nets(text)
    if nets and nets[0].exact:
        return _joined_first(nets, design)
    phrase = resolver.phrase(text)
    if phrase.rest:
        found = dict.fromkeys(nets)
        for unit in resolver.units(phrase.rest)[:MOST_UNITS]:
            for one in resolver.nets(text, [unit.row])[:3]:
                found[Candidate(one.row, min(1.0, one.weight * (0.6 + 0.5 * unit.weight)))] = None
        nets = sorted(found, key=lambda one: (-one.weight, design.names[one.row]))
    return nets[:6]


def _joined_first(nets: Iterable[Candidate], design: Design) -> list[Candidate]:
    """Returns nets of one name, those that join most parts of their unit first."""

    def ends(one: Candidate) -> int:
        return sum(1 for _ in design.out(one.row, CONNECTS))

    ranked = sorted(nets, key=lambda one: (-min(ends(one), 3), design.paths[one.row], one.row))
    shares = (0.7, 0.85, 1.0)
    return [
        one._replace(weight=one.weight * shares[min(ends(one), 2)]) for one in ranked[:SAME_NAME]
    ]


def passed(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units to which a unit passes something, or from which it gets something."""
    design, found = resolver.design, Found()
    down = asked.sought == Sought.DOWNSTREAM
    follow: Callable[[Design, int], list[End]] = readers if down else drivers
    for unit in resolver.units(asked.name, design.parents)[:MOST_UNITS]:
        ports = design.declared(unit.row, frozenset({PORT}))
        ways = [p for p in ports if (design.is_output(p) if down else not design.is_output(p))]
        weights = _weights(asked, resolver, unit, ways)
        if weights:
            found.mean(max(weights.values()))
        for port, weight in weights.items():
            for fact in design.into(port, CONNECTS):
                if design.kinds[fact.row] not in NETS:
                    continue
                for end in follow(design, fact.row):
                    if end.unit == unit.row:
                        continue
                    own = weight * FALL**end.depth
                    if asked.type:
                        own *= 1 - TYPED + TYPED * resolver.fit(asked.type, [end.unit])[end.unit]
                    said = [stated(design, end.edge), stated(design, fact.edge)]
                    found.add(design.file(end.unit), own, said)
                    found.end(design.file(end.unit), end.edge)
                    found.add(design.file_of(said[0].path), own * PLACE, said)
        found.add(design.file(unit.row), unit.weight * 0.4, ())
    return found


def _weights(
    asked: Asked, resolver: Resolver, unit: Candidate, ports: list[int]
) -> dict[int, float]:
    """Returns the weight of each port: how well what is passed fits its name."""
    design = resolver.design
    ports = [p for p in ports if not is_clocking(design.last(p))]
    if not asked.other:
        return {port: unit.weight * 0.9 for port in ports}
    phrase = resolver.phrase(asked.other)
    scores = resolver.net_scores(phrase, ports)
    for port in ports:  # the net above may say more than the port
        for fact in design.into(port, CONNECTS):
            if design.kinds[fact.row] in NETS:
                above = resolver.net_scores(phrase, [fact.row]).get(fact.row, 0.0)
                scores[port] = max(scores.get(port, 0.0), above)
    best = max(scores.values(), default=0.0)
    kept = {port: score for port, score in scores.items() if score > 0.6 * best}
    return {port: (unit.weight * (0.4 + 0.6 * score)) for port, score in kept.items()}


@lru_cache(maxsize=REMEMBERED)
def is_clocking(name: str) -> bool:
    """Returns whether a name is of a clock or a reset."""
    return not CLOCKING.isdisjoint(split_identifier(name))


def neighbours(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units that share nets with a unit, and the unit in which they do."""
    design, found = resolver.design, Found()
    nets = resolver.nets(asked.name)
    if nets and nets[0].exact:
        for sought in (Sought.DRIVERS, Sought.READERS):
            for one in _joined_first(nets, design):
                _add_ends(one, sought == Sought.DRIVERS, asked, resolver, found)
        return found
    for unit in resolver.units(asked.name, design.parents)[:MOST_UNITS]:
        found.mean(unit.weight, design.file(unit.row))
        shared: dict[int, tuple[int, int]] = {}
        for port in design.declared(unit.row, frozenset({PORT})):
            if is_clocking(design.last(port)):
                continue
            for fact in design.into(port, CONNECTS):
                for other in design.out(fact.row, CONNECTS):
                    owner = design.owner(other.row)
                    if owner != unit.row:
                        count, edge = shared.get(owner, (0, other.edge))
                        shared[owner] = count + 1, edge
        most = max((count for count, _ in shared.values()), default=1)
        for owner, (count, edge) in shared.items():
            weight = unit.weight * (0.5 + 0.5 * count / most)
            found.add(design.file(owner), weight, [stated(design, edge)])
        for fact in design.parents(unit.row):
            found.add(design.file(fact.row), unit.weight * 0.7, [stated(design, fact.edge)])
    return found


def clocked(asked: Asked, resolver: Resolver) -> Found:
    """Returns the units to which a clock or reset net goes."""
    design, found = resolver.design, Found()
    words = CLOCK_WORDS if asked.sought == Sought.CLOCKED else RESET_WORDS
    for one in meant(asked.name, resolver):
        found.mean(one.weight, design.file(one.row))
        for fact in design.out(one.row, CONNECTS):
            if not words.isdisjoint(split_identifier(design.last(fact.row))):
                said = [stated(design, fact.edge)]
                found.add(design.file(design.owner(fact.row)), one.weight, said)
                found.add(design.file_of(said[0].path), one.weight * 0.8, said)
    return found


def clocks(asked: Asked, resolver: Resolver) -> Found:
    """Returns where a unit gets its clock or reset from: the units above that connect it."""
    design, found = resolver.design, Found()
    words = CLOCK_WORDS if asked.sought == Sought.CLOCKS else RESET_WORDS
    for unit in resolver.units(asked.name, design.parents)[:MOST_UNITS]:
        found.mean(unit.weight, design.file(unit.row))
        for port in design.declared(unit.row, frozenset({PORT})):
            if words.isdisjoint(split_identifier(design.last(port))) or design.is_output(port):
                continue
            for fact in design.into(port, CONNECTS):
                said = [stated(design, fact.edge)]
                found.add(design.file_of(said[0].path), unit.weight, said)
                for end in drivers(design, fact.row):
                    own = unit.weight * 0.9 * FALL**end.depth
                    found.add(design.file(end.unit), own, [stated(design, end.edge)])
        found.add(design.file(unit.row), unit.weight * 0.6, ())
    return found
