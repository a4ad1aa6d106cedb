"""Finds pairs of units that an edge of a kind joins, around the files that a question may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from hdlgraph.model import EdgeKind
from hdlgraph.query.relations.design import (
    CONNECTS,
    DEFINES,
    INSTANCE,
    NETS,
    PORT,
    SETTINGS,
    Design,
    Fact,
)
from hdlgraph.query.relations.ends import drivers, readers
from hdlgraph.query.relations.facts.meetings import PORTS
from hdlgraph.query.relations.facts.value import fits
from hdlgraph.query.relations.nets import is_clocking

IMPORTS, INCLUDES = EdgeKind.IMPORTS.value, EdgeKind.INCLUDES.value
EXTENDS, BINDS, USES = EdgeKind.EXTENDS.value, EdgeKind.BINDS.value, EdgeKind.USES.value
SETS, GUARDED_BY = EdgeKind.PARAMETERIZES.value, EdgeKind.GUARDED_BY.value
LEVELS = 3
WIDE = 40
"""Units above or below one that are looked at."""
NETS_EACH, ENDS, MANY = 3, 12, 4
JOINING = NETS | {INSTANCE}
"""What is connected to ports: an instance is one of an interface."""


class Way(IntEnum):
    """How an edge was found, where that tells something of it: see `joint.inner`."""

    PLAIN = 0
    GUARDED = 1
    DEEPER = 2
    OUTWARDS = 3
    CROSSING = 4
    CLOCKED_IN = 5
    WIRED = 6
    ROUTED = 7
    DECLARED = 8
    NAMESAKE = 9
    BESIDE = 10
    LOGIC = 11
    TIED = 12


class Pair(NamedTuple):
    """An edge that may answer: files of the end that is asked for and of that which is known.

    `edges` state it, the one that says most first; `rows` are the graph's nodes whose names it has:
    the known end, the asked end, nets; `names` are others. `level` counts the levels of the
    hierarchy less one. `agrees`, -1 to 1, is whether it is of the branch, or goes the way, that is
    asked for; 0 where nothing tells.
    """

    asked: int
    known: int
    edges: tuple[int, ...]
    rows: tuple[int, ...]
    level: int = 0
    way: Way = Way.PLAIN
    names: tuple[str, ...] = ()
    agrees: float = 0.0


def inside(design: Design, units: Iterable[int], named: Iterable[int]) -> Iterator[Pair]:
    """Yields (asked below, known above): all above some units, all below those named."""
    seen: set[tuple[int, int]] = set()
    for row in units:
        for above, edges, level in up(design, row):
            if (row, above) not in seen:
                seen.add((row, above))
                yield _pair(design, row, above, edges, level)
    for row in named:
        for below, edges, level in _down(design, row):
            if (below, row) not in seen:
                seen.add((below, row))
                yield _pair(design, below, row, edges, level)


def outside(design: Design, units: Iterable[int], named: Iterable[int]) -> Iterator[Pair]:
    """Yields (asked above, known below) of the same edges as `inside`, the upper edge first."""
    for one in inside(design, units, named):
        yield Pair(one.known, one.asked, one.edges[::-1], one.rows[1::-1], one.level)


def _pair(
    design: Design, asked: int, known: int, edges: tuple[int, ...], level: int, *nets: int
) -> Pair:
    return Pair(design.file(asked), design.file(known), edges, (known, asked, *nets), level)


def up(design: Design, row: int) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Yields each unit above one, the edges from the unit upwards, and the level."""
    front: list[tuple[int, tuple[int, ...]]] = [(row, ())]
    seen = {row}
    for level in range(LEVELS):
        reached: list[tuple[int, tuple[int, ...]]] = []
        for below, edges in front:
            for fact in design.parents(below)[:WIDE]:
                if fact.row not in seen and design.paths[fact.row]:
                    seen.add(fact.row)
                    reached.append((fact.row, (*edges, fact.edge)))
                    yield fact.row, (*edges, fact.edge), level
        front = reached[:WIDE]


def _down(design: Design, row: int) -> Iterator[tuple[int, tuple[int, ...], int]]:
    front: list[tuple[int, tuple[int, ...]]] = [(row, ())]
    seen = {row}
    for level in range(LEVELS):
        reached: list[tuple[int, tuple[int, ...]]] = []
        for above, edges in front:
            for fact in design.children(above)[:WIDE]:
                if fact.row not in seen and design.paths[fact.row]:
                    seen.add(fact.row)
                    reached.append((fact.row, (fact.edge, *edges)))
                    yield fact.row, (fact.edge, *edges), level
        front = reached[:WIDE]


def passed(
    design: Design, known: Iterable[int], drive: bool, clocking: bool = False
) -> Iterator[Pair]:
    """Yields (asked, known) where the asked unit drives the known one, or reads what it drives."""
    follow = drivers if drive else readers
    for row in known:
        ports = [p for p in design.declared(row, frozenset({PORT}))
                 if is_clocking(design.last(p)) == clocking
                 and (design.is_input(p) if drive else design.is_output(p))]  # fmt: skip
        for port in ports[:PORTS]:
            for fact in _nets(design, port):
                for end in follow(design, fact.row)[:ENDS]:
                    if end.unit != row:
                        yield _pair(design, end.unit, row, (end.edge, fact.edge), end.depth,
                                    port, fact.row)  # fmt: skip


def within(
    design: Design, units: Iterable[int], meant: Callable[[str], bool], drive: bool
) -> Iterator[Pair]:
    """Yields (part, unit that has it) for the parts that drive or read the nets of some units.

    Args:
        design: the design.
        units: in which nets are looked up.
        meant: whether a net of a name is one of those.
        drive: whether parts drive the nets, or read them.
    """
    follow = drivers if drive else readers
    for row in units:
        nets = [net for net in design.declared(row, NETS) if meant(design.last(net))]
        for net in nets[:PORTS]:
            for end in follow(design, net)[:ENDS]:
                if end.depth == 0 and end.unit != row:
                    yield _pair(design, end.unit, row, (end.edge,), 0, net)


def of_nets(design: Design, nets: Iterable[int], drive: bool) -> Iterator[Pair]:
    """Yields (asked, file of the net) for the units that drive or read some nets."""
    follow = drivers if drive else readers
    for net in nets:
        owner = design.owner(net)
        for end in follow(design, net)[:ENDS]:
            yield _pair(design, end.unit, owner, (end.edge,), end.depth, net)
        yield Pair(design.file(owner), -1, (), (owner, owner, net), 0)


def bundled(design: Design, known: Iterable[int]) -> Iterator[Pair]:
    """Yields (asked, known) for units that an interface joins, whose modports go both ways."""
    for row in known:
        for port in design.declared(row, frozenset({PORT}))[:PORTS]:
            if design.is_interface(port):
                for fact in _nets(design, port):
                    for end in [*design.out(fact.row, CONNECTS)][:ENDS]:
                        unit = design.owner(end.row)
                        if unit != row and design.is_interface(end.row):
                            yield _pair(design, unit, row, (end.edge, fact.edge), 0, port, fact.row)


def through(design: Design, units: Iterable[int], says: Callable[[str], bool]) -> Iterator[Pair]:
    """Yields (part, another one) for parts of some units that a net joins.

    Args:
        design: the design.
        units: whose nets are looked at.
        says: whether the name of a net says anything of the question; what does not is left out.
    """
    for row in units:
        nets = [net for net in design.declared(row, NETS) if says(design.last(net))]
        for net in nets[:PORTS]:
            ends = [end for end in design.out(net, CONNECTS) if design.kinds[end.row] == PORT]
            for one in ends[:MANY]:
                for other in ends[:MANY]:
                    units_of = design.owner(one.row), design.owner(other.row)
                    if units_of[0] != units_of[1]:
                        yield _pair(design, *units_of, (one.edge, other.edge), 0, other.row, net)


def _nets(design: Design, port: int) -> list[Fact]:
    """Returns the nets of the units above that are connected to a port, interfaces too."""
    facts = design.into(port, CONNECTS)
    return [f for f in facts if design.kinds[f.row] in JOINING][:NETS_EACH]


def joined(design: Design, units: list[int]) -> Iterator[Pair]:
    """Yields (unit that instantiates both, one of two): pairs among some units, siblings."""
    above = {row: {f.row: f.edge for f in design.parents(row)[:WIDE]} for row in units}
    for at, one in enumerate(units):
        for other in units[at + 1 :]:
            for parent in sorted(above[one].keys() & above[other].keys()):
                edges = (above[one][parent], above[other][parent])
                yield _pair(design, parent, one, edges, 0, other)


def between(design: Design, units: list[int]) -> Iterator[Pair]:
    """Yields (unit that nets join to both of two, one of two) for pairs among some units."""
    meets: dict[int, dict[int, tuple[int, ...]]] = {}
    ways: dict[tuple[int, int], set[bool]] = {}
    for row in units:
        for port in design.declared(row, frozenset({PORT}))[:PORTS]:
            if is_clocking(design.last(port)):
                continue
            for fact in _nets(design, port):
                for end in list(design.out(fact.row, CONNECTS))[:ENDS]:
                    owner = design.owner(end.row)
                    if owner != row and design.is_unit[owner]:
                        meets.setdefault(owner, {}).setdefault(row, (end.edge, fact.edge))
                        ways.setdefault((owner, row), set()).update(_ways(design, port, end.row))
    for middle, ends in sorted(meets.items()):
        rows = sorted(ends)
        for at, one in enumerate(rows):
            for other in rows[at + 1 :]:
                edges = (*ends[one], *ends[other])
                first, second = ways[middle, one], ways[middle, other]
                on = (True in first and False in second) or (False in first and True in second)
                found = _pair(design, middle, one, edges, 1, other)
                yield found._replace(agrees=1.0 if on else -1.0)


def _ways(design: Design, port: int, other: int) -> Iterator[bool]:
    """Yields whether a net goes from a port to another one, and whether it comes from there."""
    if design.is_interface(port) or design.is_interface(other):
        yield from (True, False)
    if design.is_output(port) and design.is_input(other):
        yield True
    if design.is_input(port) and design.is_output(other):
        yield False


def nested(design: Design, units: Sequence[int]) -> Iterator[Pair]:
    """Yields (unit between, unit that instantiates it) for pairs of some units, one inside it."""
    meant = frozenset(units)
    for row in units:
        for middle in design.children(row)[:WIDE]:
            if middle.row == row or not design.paths[middle.row]:
                continue
            for inner in design.children(middle.row)[:WIDE]:
                if inner.row in meant and inner.row not in (row, middle.row):
                    edges = (middle.edge, inner.edge)
                    yield _pair(design, middle.row, row, edges, 2, inner.row)


def namesakes(design: Design, units: Iterable[int]) -> Iterator[Pair]:
    """Yields (other file, file) for units of one name that several files define."""
    for row in units:
        for other in design.called.get(design.last(row).lower(), ()):
            if design.is_unit[other] and design.paths[other] not in ("", design.paths[row]):
                define = next(design.into(other, DEFINES), None)
                edges = () if define is None else (define.edge,)
                yield Pair(design.file(other), design.file(row), edges, (row, other), 0,
                           Way.NAMESAKE)  # fmt: skip


def beside(design: Design, units: Iterable[int], tests: Callable[[int], bool]) -> Iterator[Pair]:
    """Yields (checker, unit) for what is bound into some units, or into a bench that has them.

    Args:
        design: the design.
        units: what is tested.
        tests: whether a file of a number is of a testbench or a proof.
    """
    for row in units:
        benches = [fact.row for fact in design.parents(row)[:WIDE] if tests(design.file(fact.row))]
        for above in (row, *benches):
            for fact in design.children(above)[:WIDE]:
                number = design.file(fact.row)
                if fact.row != row and number >= 0 and tests(number):
                    yield Pair(number, design.file(row), (fact.edge,), (row, fact.row),
                               int(above != row), Way.BESIDE)  # fmt: skip


def used(
    design: Design, rows: Iterable[int], says: Callable[[str], bool], kinds: Sequence[str] = (USES,)
) -> Iterator[Pair]:
    """Yields (file that declares, user) for what units and files use, the other way at level 1.

    Args:
        design: the design.
        rows: units and files; types, macros and settings stand for what uses them.
        says: whether a name says anything of the question; of those that do not, one of each file
            is looked at.
        kinds: of the edges that count as a use.
    """
    for row in rows:
        every = [*design.out(row, *kinds)]
        facts = [fact for fact in every if says(design.last(fact.row))][:WIDE]
        files = {design.file(fact.row) for fact in facts}
        for fact in every:
            if len(files) < ENDS and design.file(fact.row) not in files:
                files.add(design.file(fact.row))
                facts.append(fact)
        for fact in facts:
            yield Pair(design.file(fact.row), design.file(row), (fact.edge,), (row, fact.row), 0)
        for fact in [*design.into(row, *kinds)][:WIDE]:
            yield Pair(design.file(fact.row), design.file(row), (fact.edge,), (row, fact.row), 1)


def given(
    design: Design, rows: Iterable[int], says: Callable[[str], bool], text: str
) -> Iterator[Pair]:
    """Yields (file that sets a parameter, file of the unit that has it), the other way at level 1.

    Arguments as of `used`, but of the units themselves, and `text`, the question: a pair agrees
    where the value is the one that it tells of.
    """
    for row in rows:
        for setting in design.declared(row, SETTINGS):
            if says(design.last(setting)):
                for fact in [*design.into(setting, SETS)][:ENDS]:
                    yield _set(design, setting, fact, row, 0, text)
        for instance in design.declared(row, frozenset({INSTANCE})):
            for fact in design.out(instance, SETS):
                if says(design.last(fact.row)):
                    yield _set(design, fact.row, fact._replace(row=instance), row, 1, text)


def _set(design: Design, setting: int, fact: Fact, known: int, level: int, text: str) -> Pair:
    """Returns the pair of a setting and of the instance for which it is set."""
    other = design.owner(fact.row if level == 0 else setting)
    agrees = fits(design.graph.edges.column("text")[fact.edge], text)
    return Pair(design.file(other), design.file(known), (fact.edge,), (known, other, setting),
                level, agrees=agrees)  # fmt: skip


def stated_by(design: Design, rows: Iterable[int], kinds: tuple[str, ...]) -> Iterator[Pair]:
    """Yields both directions of the edges of some kinds at some units or files."""
    for row in rows:
        for fact in [*design.out(row, *kinds)][:WIDE]:
            yield Pair(design.file(fact.row), design.file(row), (fact.edge,), (row, fact.row), 0)
            yield Pair(design.file(row), design.file(fact.row), (fact.edge,), (fact.row, row), 1)
        for fact in [*design.into(row, *kinds)][:WIDE]:
            yield Pair(design.file(fact.row), design.file(row), (fact.edge,), (row, fact.row), 1)
            yield Pair(design.file(row), design.file(fact.row), (fact.edge,), (fact.row, row), 0)
            path = design.graph.edges.column("path")[fact.edge]
            yield Pair(design.file_of(path), design.file(row), (fact.edge,), (row, fact.row), 2)
