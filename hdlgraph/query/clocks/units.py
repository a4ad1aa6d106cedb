"""What drives each net of one unit, without regard to where the unit is instantiated."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from hdlgraph.model.flow import Block, Child, Link, Step
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.query.clocks.elements.loops import bound, counts, settled, uncounted
from hdlgraph.query.clocks.elements.memories import Memories
from hdlgraph.query.clocks.elements.occurrences import called_in, is_bitwise
from hdlgraph.query.clocks.elements.reading import Reading
from hdlgraph.query.clocks.keys import (
    CHOICE,
    COPY,
    LOGIC,
    OWN,
    PARTS,
    Key,
    below,
    chosen,
    element_of,
    field_of,
    form_of,
    is_among,
    is_indexed,
    joined,
    key_of,
    members,
    overlap,
    owned,
)
from hdlgraph.query.clocks.records import Actual, Driver, Part, Register
from hdlgraph.query.signals.access import direction_of
from hdlgraph.query.signals.clocks import Timing, is_under, timing
from hdlgraph.query.signals.design import INOUT, INPUT, INTERFACE, OUTPUT, Design

LATCH = "latch"
MOST_CHILDREN = 4000
"""Instances of one unit that are read."""
VENDOR_BUFFERS = frozenset(
    """BUFG BUFGP BUFH BUFR BUFIO BUFMR BUFGCE BUFHCE BUFMRCE BUFGMUX BUFGMUX_1 BUFGMUX_CTRL
    IBUF IBUFG IBUFDS IBUFGDS""".split()
)
"""Cells of Xilinx's library that hand on a clock, or one of two, from `I`, `I0` and `I1` to `O`."""
_OUT = re.compile(r"out|(?:^|_)[oq](?:_|\d|$)", re.IGNORECASE)
"""Ports of unknown units that are likelier outputs."""
_TYPE = re.compile(r"(?:(?:input|output|inout|wire|var)\s+)*([A-Za-z_][\w$:]*)")
_IGNORED = frozenset({"initial", "final", "function", "task", "assert"})


class Drivers:
    """The drivers of one unit's nets."""

    def __init__(self, design: Design, row: int) -> None:
        self.design, self.row = design, row
        self.view = design.view(row)
        self.unit = self.view.unit
        self._names = self.view.flow.names
        self._reading = Reading(self.view)
        self._memories = Memories(self._reading)
        self._found: dict[Key, tuple[Driver, ...]] = {}
        self._types: dict[str, str] = {}
        self._written: dict[str, list[tuple[Key, Driver]]] = {}

    def _generate(self, at: int) -> int:
        while at >= 0 and self.view.flow.guards[at].kind != "generate":
            at = self.view.flow.guards[at].outer
        return at

    @cached_property
    def parts(self) -> list[Part]:
        """Returns the instances of the unit, in their order."""
        return [self._part(child) for child in self.view.flow.children[:MOST_CHILDREN]]

    def _part(self, child: Child) -> Part:
        design, actuals = self.design, {}
        targets = design.targets(self.row, child)
        for link in child.links:
            if link.port != "*":
                wire = design.wire(self.row, child, link)
                # A port that is an interface is told member by member, where it is asked for.
                direction = INTERFACE if wire.direction == INTERFACE else direction_of(design, wire)
                port = wire.port or str(link.position)
                if child.unit in VENDOR_BUFFERS and not direction:
                    direction = OUTPUT if port == "O" else INPUT
                actuals[port] = self._actual(port, direction, link)
            elif targets:
                for name, direction, _, _ in design.flows.units[targets[0]].ports:
                    if name not in {one.port for one in child.links}:
                        actuals.setdefault(
                            name, Actual(name, direction, ((name,),), COPY, link.line)
                        )
        return Part(child, targets[0] if targets else -1, actuals)

    def _actual(self, port: str, direction: str, link: Link) -> Actual:
        written = tuple(settled(self._reading.target(*one), {}) for one in link.writes)
        if len(written) == 1 and not link.value:
            if direction == INTERFACE and written[0][-1] in self.design.modports(
                self.row, written[0][0]
            ):
                written = (written[0][:-1],)
            element = self._reading.target(*link.writes[0]) if link.writes[0][1] else ()
            counted = element if counts((element,)) else ()
            return Actual(port, direction, written, COPY, link.line, counted=counted)
        reads, form = self._reading.read(link.reads, link.value, link.logic)
        keys = tuple(uncounted((*written, *reads)))
        if written or form == PARTS or (form == LOGIC and not link.value):
            return Actual(port, direction, keys, PARTS if written else form, link.line,
                          self._alike(keys))  # fmt: skip
        if form == CHOICE and keys:
            return Actual(port, direction, keys, form, link.line, choice=link.value)
        constant = link.value or "".join(self._names[one] for one in link.reads[:1])
        return Actual(port, direction, keys, form, link.line, value="" if keys else constant)

    def _alike(self, keys: Iterable[Key]) -> bool:
        """Returns whether nets are of one type with a name, or of that and plain bits."""
        return len({found for key in keys if (found := self.type_of(key[0]))}) == 1

    def type_of(self, name: str) -> str:
        """Returns the type with a name that a net is declared with, "" for any other."""
        found = self._types.get(name)
        if found is None:
            found = self._types[name] = self._type(name)
        return found

    def _type(self, name: str) -> str:
        if name not in self._reading.nets:
            return ""
        graph = self.design.graph
        place = f"{self.unit.path}#{self.unit.name}.{name}"
        kinds = ("port", "signal") if name in self.view.ports else ("signal", "port")
        rows = (graph.row(f"{kind}:{place}") for kind in kinds)
        row = next((one for one in rows if one >= 0), -1)
        type_ = _TYPE.match(graph.nodes.column("detail")[row]) if row >= 0 else None
        return type_[1] if type_ and type_[1] not in KEYWORDS else ""

    @cached_property
    def registers(self) -> dict[tuple[Key, Key], Register]:
        """Returns the registers of the unit by key and clock, in the order of their lines."""
        found: dict[tuple[Key, Key], Register] = {}
        for block in self.view.flow.blocks:
            at = timing(self.view, block) if block.events else Timing()
            if at.clock:
                own = self.view.own(block)
                before = dict(found) if own else {}
                for step in block.steps:
                    for number, bits in step.writes:
                        if self._names[number].partition(".")[0] not in own:
                            self._register(found, at, step, number, bits)
                if own:
                    _part(found, before, own, block.line)
        return found

    def _register(
        self, found: dict[tuple[Key, Key], Register], at: Timing, step: Step, number: int, bits: str
    ) -> None:  # fmt: skip
        key, clock = settled(self._reading.target(number, bits), {}), key_of(at.clock)
        aside = self.view.aside(step.line)
        old = found.get((key, clock)) or Register(
            key, step.line, at.edge, clock, key_of(at.reset) if at.reset else (),
            at.kind, at.active, guard=self._generate(step.guard), aside=aside,
        )  # fmt: skip
        old = old._replace(aside=old.aside and aside)
        ifdef = self.view.ifdef(step.line)
        if at.branch >= 0 and step.guard >= 0 and is_under(self.view, step.guard, at.branch):
            found[key, clock] = old._replace(under=self._under(old, ifdef))
            return
        reads, form = self._reading.read(step.reads, step.value, step.logic)
        if form == CHOICE:  # what it tests is a test
            values = chosen(step.value)
            tests = [one for one in reads if not is_among(one, values)]
            reads = [one for one in reads if one not in tests] if len(tests) < len(reads) else reads
        else:
            tests = []
        reads = uncounted(reads)
        control = uncounted((*self._reading.tests(step.guard), *tests))
        skip = {old.reset, old.clock}
        called = called_in(step.value or step.logic)
        found[key, clock] = old._replace(
            calls=(*old.calls, (called, step.line, tuple(reads))) if called else old.calls,
            under=self._under(old, ifdef, *reads, *control),
            line=step.line if not old.data else old.line,
            data=tuple(dict.fromkeys((*old.data, *reads))),
            control=tuple(
                dict.fromkeys(one for one in (*old.control, *control) if one not in skip)
            ),
            form=form if not old.data or form == old.form else LOGIC,
            memory=old.memory
            or (
                is_indexed(bits)
                and key == key_of(self._names[number])
                and self._memories.is_written(step, number, bits)
            ),
        )

    def _under(
        self, old: Register, ifdef: str, *reads: Key
    ) -> tuple[tuple[str, tuple[Key, ...]], ...]:
        """Returns what `ifdefs ask for around the assignments of a register, one more added."""
        if not self.view.flow.regions:
            return ()
        known = dict(old.under)
        known[ifdef] = tuple(dict.fromkeys((*known.get(ifdef, ()), *reads)))
        return tuple(known.items())

    def _writers(self, name: str) -> list[tuple[Key, Driver]]:
        """Returns (what is driven, its driver) of all whose name has this first part."""
        found = self._written.get(name)
        if found is None:
            found = self._written[name] = [*self._others.get(name, ())]
            places = self._places.get(name, ())
            assigned = [(key, self._assigned(block, step, own)) for key, block, step, own in places]
            first = sum(driver.kind == "register" for _, driver in found)
            found[first:first] = assigned
        return found

    @cached_property
    def _others(self) -> dict[str, list[tuple[Key, Driver]]]:
        """Returns what drives a net besides the steps of processes without a clock, by name."""
        found: dict[str, list[tuple[Key, Driver]]] = {}

        def add(key: Key, driver: Driver) -> None:
            found.setdefault(key[0], []).append((key, driver))

        for (key, _), register in self.registers.items():
            add(key, Driver("register", register.line, register=register, guard=register.guard))
        for at, part in enumerate(self.parts):
            for key, driver in self._connected(at, part):
                add(key, driver)
        for name, (direction, line, _) in self.view.ports.items():
            if direction in (INPUT, INOUT, INTERFACE, "ref"):
                add((name,), Driver("port", line, ((name,),)))
        return found

    @cached_property
    def _places(self) -> dict[str, list[tuple[Key, Block, Step, Collection[str]]]]:
        """Returns what steps of processes without a clock assign, by the first part of the name.

        Few nets of a unit are ever asked for, so that drivers are made of these when one is.
        """
        found: dict[str, list[tuple[Key, Block, Step, Collection[str]]]] = {}
        for block in self.view.flow.blocks:
            if block.kind in _IGNORED:
                continue
            own, clocked = self.view.own(block), bool(timing(self.view, block).clock)
            if clocked and not own:
                continue
            for step in block.steps:
                for number, bits in step.writes:
                    key = owned(self._reading.target(number, bits), own, block.line)
                    if not clocked or OWN in key[0]:  # else a register
                        found.setdefault(key[0], []).append((key, block, step, own))
        return found

    def _assigned(self, block: Block, step: Step, own: Collection[str]) -> Driver:
        """Returns a step of a process without a clock as a driver."""
        reads, form = self._reading.read(step.reads, step.value, step.logic)
        tests = [*self._reading.tests(step.guard)]
        if form == CHOICE:
            values = chosen(step.value)
            tested = [one for one in reads if not is_among(one, values)]
            if len(tested) < len(reads):
                reads = [one for one in reads if one not in tested]
                tests += tested
        bitwise = form in (LOGIC, CHOICE) and is_bitwise(step.logic or step.value)
        if block.kind == "always_latch":
            form = LATCH
        if own:
            reads = [owned(one, own, block.line) for one in reads]
            tests = [owned(one, own, block.line) for one in tests]
        return Driver(
            "logic", step.line, tuple(reads), form,
            tests=tuple(dict.fromkeys(tests)), guard=self._generate(step.guard),
            place=step.guard, alike=(form == PARTS or bitwise) and self._alike(reads),
            text=step.value if form == CHOICE or step.value[:2] == "'{" else "",
            bitwise=bitwise, counted=counts((*reads, *tests)),
            called=called_in(step.value or step.logic),
        )  # fmt: skip

    def _connected(self, at: int, part: Part) -> Iterator[tuple[Key, Driver]]:
        guard = part.child.guard
        for actual in part.actuals.values():
            into = actual.direction in (INPUT, "")
            if actual.form == COPY and len(actual.keys) == 1:
                if not into:
                    inner: Key = (actual.port,)
                    kind = "child" if part.row >= 0 else "outside"
                    driven = actual.counted or actual.keys[0]
                    yield driven, Driver(kind, actual.line, (inner,), child=at, guard=guard)
            elif actual.direction == OUTPUT:
                for key in actual.keys:
                    yield key, Driver(
                        "child", actual.line, ((actual.port,),), PARTS, child=at, guard=guard,
                        alike=actual.alike,
                    )  # fmt: skip

    def drivers(self, key: Key) -> tuple[Driver, ...]:
        """Returns what drives a net or a part of it."""
        found = self._found.get(key)
        if found is None:
            self._found[key] = ()  # a circle drives nothing
            found = self._found[key] = tuple(self._find(key))
        return found

    def narrowed(self, key: Key, rest: Key) -> Key:
        """Returns a net's member; all of the net where nothing drives such a member."""
        found = joined(key, rest)
        return found if rest and self.drivers(found) else key

    def _find(self, key: Key) -> Iterator[Driver]:
        for written, driver in self._writers(key[0]):
            if not overlap(key, written):
                continue
            if driver.counted:
                driver = _settled(driver, bound(key, written))
            rest = below(key, written)
            field = members(rest)
            if field and driver.text[:2] == "'{" and (text := field_of(driver.text, field[0])):
                keys = tuple(one for one in driver.keys if is_among(one, chosen(text)))
                form = form_of(text, len(keys))
                if form == COPY and len(keys) == 1:
                    keys = (joined(keys[0], field[1:]),)
                yield driver._replace(keys=keys, form=form, text="")
            elif rest and driver.alike:
                rest = field
                if driver.kind == "child":  # the instance tells whether it has the member
                    yield driver._replace(keys=(joined(driver.keys[0], rest),))
                else:
                    yield driver._replace(keys=tuple(self.narrowed(k, rest) for k in driver.keys))
            elif rest and driver.bitwise and not field:
                yield driver._replace(keys=tuple(element_of(one, rest) for one in driver.keys))
            elif rest and driver.kind != "register" and driver.form == COPY and driver.keys:
                yield driver._replace(keys=(joined(driver.keys[0], rest),))
            else:
                yield driver._replace(part=bool(field)) if driver.called else driver

    def outside(self, key: Key) -> int:
        """Returns the line where a unit that the repository has not may drive a net, 0 for none."""
        return self._outside.get(key, 0)

    @cached_property
    def _outside(self) -> dict[Key, int]:
        """Returns the nets at ports of unknown units whose direction nothing tells."""
        found: dict[Key, int] = {}
        ports = [
            (not _OUT.search(actual.port), actual.line, actual.keys[0])
            for part in self.parts
            if part.row < 0
            for actual in part.actuals.values()
            if not actual.direction and actual.form == COPY and len(actual.keys) == 1
        ]
        for _, line, key in sorted(ports):
            found.setdefault(key, line)
        return found

    def is_output(self, name: str) -> bool:
        """Returns whether a name is an output port of the unit."""
        return self.view.ports.get(name, ("", 0, ""))[0] in (OUTPUT, INOUT)


def _part(
    found: dict[tuple[Key, Key], Register], before: Mapping[tuple[Key, Key], Register],
    own: Collection[str], line: int,
) -> None:  # fmt: skip
    """Tells what a process has for itself apart, in the registers that it has changed."""
    for place, one in found.items():
        if before.get(place) != one:
            data, control = (
                tuple(dict.fromkeys(owned(key, own, line) for key in keys))
                for keys in (one.data, one.control)
            )
            found[place] = one._replace(data=data, control=control)


def _settled(driver: Driver, given: dict[str, str]) -> Driver:
    """Returns a driver with the indexes that count as they are given."""
    keys, tests = (
        tuple(dict.fromkeys(settled(key, given) for key in one))
        for one in (driver.keys, driver.tests)
    )
    return driver._replace(keys=keys, tests=tests)


class Units:
    """The drivers of all units of a design, each made when it is asked for."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._kept: dict[int, Drivers] = {}

    def at(self, row: int) -> Drivers:
        """Returns the drivers of the unit at a row."""
        found = self._kept.get(row)
        if found is None:
            found = self._kept[row] = Drivers(self.design, row)
        return found
