"""Finds pairs inside units: under conditions, deeper along nets, on the way out, at clocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from operator import itemgetter

from hdlgraph.query.relations.design import CONNECTS, INSTANCE, PORT, Design
from hdlgraph.query.relations.facts.meetings import MEETING, PORTS, Meeting, Meetings, Net
from hdlgraph.query.relations.joint.pairs import (
    ENDS,
    JOINING,
    NETS_EACH,
    WIDE,
    Pair,
    Way,
)
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.nets import CLOCK_WORDS, is_clocking
from hdlgraph.words import split_identifier

DEEPEST, EACH = 3, 6
"""Levels below an end of a net, and parts of a unit on one level, that are looked at."""
BRANCHES = 400
"""Instances of a unit whose conditions are looked at."""
BEST, TIED, SHOWN = 12, 4, 60
"""Pairs of a unit, pairs of a unit by what is on ports, and characters of that, that are looked
at."""
_NAME = re.compile(r"[A-Za-z_][\w$]*")
_OFF = re.compile(r"^(?:[\w$]+: )?`?!|== ?(?:0|1'b0)\b")
"""A condition that holds where what it names is off."""
_WITHOUT = re.compile(
    r"\b(?:no|not|without|isn't|aren't|disabled?|off|instead|otherwise|undefined|unset|lacks?"
    r"|in place of|zero)\b|= ?(?:0|1'b0|false)\b", re.I,
)  # fmt: skip
"""Words of a question that ask for the branch where a setting is off."""


def guarded(
    design: Design, units: Iterable[int], says: Callable[[str], bool], text: str
) -> Iterator[Pair]:
    """Yields (part, unit that has it) for the parts under conditions that say something.

    Args:
        design: the design.
        units: whose instances are looked at.
        says: whether a name says anything of the question.
        text: the question; a pair agrees where both are for the same branch of the condition.
    """
    without = _WITHOUT.search(text) is not None
    for row in units:
        for instance in design.declared(row, frozenset({INSTANCE}))[:BRANCHES]:
            parts = [one for one in design.details[instance].split("; ")
                     if any(says(name) for name in _NAME.findall(one))]  # fmt: skip
            if not parts:
                continue
            off = any(_OFF.search(one) for one in parts)
            names = tuple(dict.fromkeys(name for one in parts for name in _NAME.findall(one)))
            for fact in design.out(instance, "INSTANTIATES"):
                if design.is_unit[fact.row] and design.paths[fact.row]:
                    yield Pair(
                        design.file(fact.row), design.file(row), (fact.edge,), (row, fact.row), 2,
                        Way.GUARDED, names, 1.0 if off == without else -1.0,
                    )  # fmt: skip


def deeper(
    design: Design, pairs: Iterable[Pair], says: Callable[[str], bool], drive: bool
) -> Iterator[Pair]:
    """Yields pairs as some do, and those of the parts to which a net goes inside their units.

    Args:
        design: the design.
        pairs: the first edge of each is at a port of the asked unit.
        says: whether the name of a net says anything of the question; others go no deeper.
        drive: whether the parts drive the net, or read it.
    """
    for pair in pairs:
        yield pair
        if pair.edges and any(says(design.last(row)) for row in pair.rows[2:]):
            yield from _below(design, pair, drive)


def _below(design: Design, pair: Pair, drive: bool) -> Iterator[Pair]:
    front = [design.targets[pair.edges[0]]]
    for _ in range(DEEPEST):
        reached: list[int] = []
        for port in front:
            for fact in [*design.out(port, CONNECTS)][:EACH]:
                fits = design.is_output if drive else design.is_input
                if design.kinds[fact.row] == PORT and fits(fact.row):
                    reached.append(fact.row)
                    unit = design.owner(fact.row)
                    rows = (pair.rows[0], unit, fact.row, *pair.rows[2:])
                    yield Pair(design.file(unit), pair.known, (fact.edge, *pair.edges), rows, 1,
                               Way.DEEPER)  # fmt: skip
        front = reached[:EACH]


def outwards(design: Design, units: Iterable[int], says: Callable[[str], bool]) -> Iterator[Pair]:
    """Yields (unit on the way, one of some units) where a port of the unit around both is behind.

    Args:
        design: the design.
        units: one end; the other one is a port of the unit around it.
        says: whether the name of that port says anything of the question.
    """
    for row in units:
        seen: set[int] = set()
        for port in design.declared(row, frozenset({PORT}))[:PORTS]:
            if is_clocking(design.last(port)):
                continue
            for net in [*design.into(port, CONNECTS)][:WIDE]:
                if design.kinds[net.row] not in JOINING - {PORT}:
                    continue
                for end in [*design.out(net.row, CONNECTS)][:ENDS]:
                    unit = design.owner(end.row)
                    if unit in seen or unit == row or not design.is_unit[unit]:
                        continue
                    outer = _outer_port(design, unit, design.owner(net.row), says)
                    if outer >= 0:
                        seen.add(unit)
                        rows = (row, unit, design.owner(net.row), outer)
                        yield Pair(design.file(unit), design.file(row), (end.edge, net.edge),
                                   rows, 1, Way.OUTWARDS)  # fmt: skip


def _outer_port(design: Design, unit: int, around: int, says: Callable[[str], bool]) -> int:
    """Returns a port of the unit around another one that is joined to it, -1 for none."""
    ports = design.part(Meetings).outer(unit).get(around, ())
    return next((port for port in ports if says(design.last(port))), -1)


def crossing(design: Design, units: Iterable[int]) -> Iterator[Pair]:
    """Yields (part, unit that has it) for the parts that two clocks of a unit reach."""
    for row in units:
        for part in dict.fromkeys(fact.row for fact in design.children(row)[:WIDE]):
            nets: dict[int, int] = {}
            for port in design.declared(part, frozenset({PORT}))[:PORTS]:
                if design.is_input(port) and _is_clock(design.last(port)):
                    for fact in design.into(port, CONNECTS):
                        if design.owner(fact.row) == row:
                            nets.setdefault(fact.row, fact.edge)
            if len(nets) > 1 and part != row:
                first, second, *_ = nets
                yield Pair(
                    design.file(part), design.file(row), (nets[first], nets[second]),
                    (row, part, first, second), 2, Way.CROSSING,
                )  # fmt: skip


def _is_clock(name: str) -> bool:
    return not CLOCK_WORDS.isdisjoint(split_identifier(name))


def clocked_in(design: Design, units: Iterable[int]) -> Iterator[Pair]:
    """Yields (unit that makes the clock or reset of a part for it, the part)."""
    for row in units:
        for port in design.declared(row, frozenset({PORT}))[:PORTS]:
            if design.is_input(port) and is_clocking(design.last(port)):
                for fact in [*design.into(port, CONNECTS)][:NETS_EACH]:
                    above = design.owner(fact.row)
                    if design.kinds[fact.row] != PORT and design.is_unit[above]:
                        yield Pair(design.file(above), design.file(row), (fact.edge,),
                                   (row, above, port, fact.row), 2, Way.CLOCKED_IN)  # fmt: skip


def wired(design: Design, units: Iterable[int], words: Words) -> Iterator[Pair]:
    """Yields (unit that joins two of its parts by a net, one of them), the best of each unit.

    Args:
        design: the design.
        units: whose nets are looked at.
        words: of the question; what the names of a net and of both ends say of it counts.
    """
    for row in units:
        found: list[tuple[float, tuple[int, ...], tuple[int, int]]] = []
        for net in _meetings(design, row, words):
            for one, other in combinations(net.ends, 2):
                if other.unit != one.unit and row not in (one.unit, other.unit):
                    names = (net.name, *one.names, *other.names)
                    rows = (one.unit, row, other.unit, one.port, other.port, net.row)
                    said = words.said(names) + words.named(names)
                    found.append((-round(said, 6), rows, (one.edge, other.edge)))
        found.sort(key=itemgetter(0, 1))
        for _, ends, edges in found[:NETS_EACH]:
            yield Pair(design.file(row), design.file(ends[0]), edges, ends, 0, Way.WIRED)


def tied(design: Design, units: Iterable[int], words: Words) -> Iterator[Pair]:
    """Yields (unit, part of it) where the unit puts something on a port: the best of each unit.

    Args:
        design: the design.
        units: whose parts are looked at.
        words: of the question; what the names of the port, the part and what is on it say counts.
            Clocks and resets are left out, and ports whose names say nothing.
    """
    told = design.graph.edges.column("text")
    for row in units:
        found: list[tuple[float, Pair]] = []
        for part, labels in design.part(Meetings).labels(row).items():
            for port in design.declared(part, frozenset({PORT}))[:PORTS]:
                name = design.last(port)
                if is_clocking(name) or not words.says(name):
                    continue
                for fact in [*design.into(port, CONNECTS)][:ENDS]:
                    if design.owner(fact.row) == row != part:
                        names = (*labels, name, told[fact.edge][:SHOWN])
                        pair = Pair(design.file(row), design.file(part), (fact.edge,),
                                    (part, row, port, fact.row), 1, Way.TIED, labels)  # fmt: skip
                        found.append((words.said(names) + words.named(names), pair))
        yield from _first(found, TIED)


def routed(
    design: Design, units: Iterable[int], words: Words,
    derived: Callable[[int], Mapping[str, Sequence[str]]] | None = None,
) -> Iterator[Pair]:  # fmt: skip
    """Yields (part, unit that has it) for parts that stand between two other ends inside a unit.

    Such a part reads a net at one end and drives one at another; an end may be a port of the unit.
    Of each part the two ends count whose names say most.

    Args:
        design: the design.
        units: whose nets are looked at.
        words: of the question; what the names of a net and of both ends say of it counts.
        derived: gives the nets that statements of a unit derive from each of its nets: with it,
            what reads those counts as an end of the net too, and the way is another.
    """
    way = Way.ROUTED if derived is None else Way.LOGIC
    for row in units:
        sides: dict[int, tuple[dict[int, tuple[float, Meeting, int]], ...]] = {}
        meetings = (_meetings(design, row, words) if derived is None
                    else _derived(design, row, words, derived(row)))  # fmt: skip
        for net in meetings:
            ends = [(end, words.said((net.name, *end.names))) for end in net.ends]
            for part, _ in ends:
                for other, said in ends if part.unit != row else ():
                    if other.unit != part.unit:
                        for at, side in enumerate(sides.setdefault(part.unit, ({}, {}))):
                            best = side.get(other.unit)
                            if said > (best[0] if best else 0.0) and _flows(
                                design, part, other, row, at
                            ):  # fmt: skip
                                side[other.unit] = said, other, net.row
        found: list[tuple[float, Pair]] = []
        for unit, (before, behind) in sides.items():
            two = _two(before, behind, words)
            if two:
                said, (one, net_1), (other, net_2) = two
                rows = (row, unit, one.unit, other.unit, one.port, other.port, net_1, net_2)
                pair = Pair(design.file(unit), design.file(row), (one.edge, other.edge), rows, 0,
                            way, (*one.names, *other.names))  # fmt: skip
                found.append((said, pair))
        yield from _first(found, BEST)


def _meetings(design: Design, row: int, words: Words) -> Iterator[Net]:
    """Yields the nets of a unit that meet several ports, at parts and at that of the unit itself.

    Clocks and resets are left out, and nets of which and of whose ends no name says anything.
    """
    for net in design.part(Meetings).joining(row):
        if any(map(words.says, net.names)):
            yield net


def _derived(
    design: Design, row: int, words: Words, behind: Mapping[str, Sequence[str]]
) -> Iterator[Net]:
    """Yields `_meetings`; what reads a net that statements derive from one is an end of it too."""
    nets = design.part(Meetings).every(row)
    for name, net in nets.items():
        more = [end for other in behind.get(name, ()) if other in nets for end in nets[other].ends
                if _reads(design, end, row)]  # fmt: skip
        every = {(end.unit, end.port): end for end in [*net.ends, *more]}
        if len(every) > 1 and (
            words.says(name) or any(words.says(one) for end in every.values() for one in end.names)
        ):
            yield net._replace(ends=list(every.values())[: 2 * MEETING])


def _reads(design: Design, end: Meeting, row: int) -> bool:
    """Returns whether an end reads a net of a unit: the input of a part, or its own output."""
    return design.is_output(end.port) if end.unit == row else design.is_input(end.port)


def _flows(design: Design, part: Meeting, other: Meeting, row: int, way: int) -> bool:
    """Returns whether a net goes to a part from another end (way 0), or from it there (way 1)."""
    inner, outer = (part.port, other.port) if way == 0 else (other.port, part.port)
    if design.is_interface(part.port) or design.is_interface(other.port):
        return True
    if other.unit == row:  # a port of the unit around: its inputs drive what is inside
        return design.is_input(other.port) if way == 0 else design.is_output(other.port)
    return design.is_input(inner) and design.is_output(outer)


def _two(
    before: dict[int, tuple[float, Meeting, int]], behind: dict[int, tuple[float, Meeting, int]],
    words: Words,
) -> tuple[float, tuple[Meeting, int], tuple[Meeting, int]] | None:  # fmt: skip
    """Returns the end before and that behind a part, not the same unit, that say most together."""
    best: tuple[float, tuple[Meeting, int], tuple[Meeting, int]] | None = None
    for said, one, net in sorted(before.values(), key=lambda end: -end[0])[:MEETING]:
        for more, other, net_2 in sorted(behind.values(), key=lambda end: -end[0])[:MEETING]:
            if one.unit != other.unit and (best is None or said + more > best[0]):
                both = words.said((*one.names, *other.names))
                if best is None or both > best[0]:
                    best = both, (one, net), (other, net_2)
    return best


def _first(found: list[tuple[float, Pair]], most: int) -> Iterator[Pair]:
    """Yields the pairs of whose names the question says most."""
    order = sorted(found, key=lambda one: (-round(one[0], 6), one[1].rows))
    yield from (pair for _, pair in order[:most])
