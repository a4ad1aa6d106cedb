"""The instances below a top, and one step back from any net of theirs to what drives it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.model import Location
from hdlgraph.parsers.text.conditions import all_of
from hdlgraph.query.clocks.keys import (
    CHOICE,
    COPY,
    INVERTED,
    Key,
    is_among,
    joined,
    members,
    text_of,
)
from hdlgraph.query.clocks.parameters.tied import Tied
from hdlgraph.query.clocks.parameters.values import Values
from hdlgraph.query.clocks.passing import Passing
from hdlgraph.query.clocks.records import Actual, Driver, Part, Register
from hdlgraph.query.clocks.units import Drivers, Units

INSTANCES = 200_000
"""Instances below a top that are looked at."""
GATE = "gate"
"""The form of what an instance that is left out makes of one of its inputs by gating it."""
CONE = 50_000
"""Nets before or behind one register that are looked at; the largest seen has some 5,000."""
DEEPEST = 60
"""Instances in each other."""


class Net(NamedTuple):
    """A net of one instance; `at` is the instance's number, 0 for the top."""

    at: int
    key: Key


class Origin(NamedTuple):
    """One step back from a net.

    `driver` is what drives it in its unit. `nets` are where the value comes from and `tests` what
    it is chosen by; neither of a register, nor of an input of the top (`is_end`). `form` is what is
    made of the nets, `outside` an instance of a unit that the repository has not. `at` is the
    instance in whose unit the line of the driver stands, where that is not the net's own.
    """

    driver: Driver
    nets: tuple[Net, ...] = ()
    tests: tuple[Net, ...] = ()
    form: str = COPY
    is_end: bool = False
    outside: Part | None = None
    at: int = -1


class Limits(NamedTuple):
    """How much of a design is looked at.

    `seconds` are those of each step of the work, `cone` the nets before or behind one register.
    """

    instances: int = INSTANCES
    seconds: float = 30.0
    cone: int = CONE


class Network:
    """The instances below a top.

    A loop of a generate counts once. Of its branches those are left out whose condition the
    parameters tell to be false, where the top has its defaults.
    """

    def __init__(self, units: Units, top: int, limits: Limits) -> None:
        self.units, self.top = units, top
        self.limits = limits
        self.start_clock()
        self.rows, self.parents, self.places = [top], [-1], [-1]
        self._asides = [""]
        self.inner: list[dict[int, int]] = [{}]
        self.values = Values(self, units.design.graph)
        self.tied = Tied(self, self.values)
        self._passing = Passing(units)
        self.left_out = 0
        self.repeated: dict[int, str] = {}
        """Units that are in themselves to a depth that is not known, each with the place."""
        self._build(limits.instances)

    def _build(self, most: int) -> None:
        waiting = deque([(0, 0)])
        while waiting:
            at, depth = waiting.popleft()
            for place, part in enumerate(self.unit(at).parts):
                if part.row < 0 or not self.has(at, part.child.guard):
                    continue
                if self._repeats(at, part):
                    place_of = self.location(at, part.child.line)
                    self.repeated.setdefault(part.row, place_of)
                    continue
                if len(self.rows) >= most or depth >= DEEPEST or self.is_late():
                    self.left_out += 1
                    continue
                self.inner[at][place] = len(self.rows)
                waiting.append((len(self.rows), depth + 1))
                self.rows.append(part.row)
                self.parents.append(at)
                self.places.append(place)
                aside = self.unit(at).view.aside(part.child.line)
                self._asides.append(_all_of(self._asides[at], aside))
                self.inner.append({})

    def _repeats(self, at: int, part: Part) -> bool:
        """Returns whether a unit is in itself where no parameter tells that this ever ends.

        Each such level holds all branches, so that their number grows without bound.
        """
        outer = at
        while outer >= 0 and self.rows[outer] != part.row:
            outer = self.parents[outer]
        return outer >= 0 and bool(self.values.open_conditions(at, part.child.guard))

    def has(self, at: int, guard: int) -> bool:
        """Returns whether an instance has what stands under a generate condition."""
        return guard < 0 or self.values.is_taken(at, guard)

    def registers(self, at: int) -> Iterator[Register]:
        """Yields the registers of an instance."""
        for register in self.unit(at).registers.values():
            if self.has(at, register.guard):
                yield register

    def aside(self, at: int, register: Register) -> str:
        """Returns what `ifdefs ask for of a register that the default build has not, "" for one."""
        return _all_of(self._asides[at], register.aside)

    def start_clock(self) -> None:
        """Begins a step that may take the seconds of the limits."""
        self._until = time.monotonic() + self.limits.seconds

    def is_late(self) -> bool:
        """Returns whether the time is over."""
        return time.monotonic() > self._until

    def unit(self, at: int) -> Drivers:
        """Returns the drivers of an instance's unit."""
        return self.units.at(self.rows[at])

    def part(self, at: int) -> Part:
        """Returns an instance as the unit around it has it; the top has none."""
        return self.unit(self.parents[at]).parts[self.places[at]]

    def path(self, at: int) -> str:
        """Returns the path of an instance, from the name of the top."""
        names = []
        while self.parents[at] >= 0:
            names.append(self.part(at).child.name)
            at = self.parents[at]
        return ".".join([self.unit(0).unit.name, *reversed(names)])

    def name(self, net: Net) -> str:
        """Returns `top.u_core.clk`."""
        return f"{self.path(net.at)}.{text_of(net.key)}"

    def location(self, at: int, line: int) -> str:
        """Returns `path:line` of a line of an instance's unit."""
        return str(Location(self.unit(at).unit.path, line))

    def line(self, net: Net) -> int:
        """Returns the line that declares a net."""
        unit = self.unit(net.at)
        return unit.view.lines.get(net.key[0], unit.unit.line)

    def origins(self, net: Net) -> Iterator[Origin]:
        """Yields what drives a net, one step back."""
        at = net.at
        for driver in self.unit(at).drivers(net.key):
            if not self.has(at, driver.guard):
                continue
            if driver.kind == "port":
                yield self._above(at, driver)
            elif driver.kind == "child":
                inner = self.inner[at].get(driver.child)
                if inner is None:
                    yield self._past(at, driver)
                else:
                    yield Origin(driver, (self._output(inner, driver),))
            elif driver.kind == "outside":
                yield Origin(driver, outside=self.unit(at).parts[driver.child])
            elif driver.kind == "register":
                yield Origin(driver)
            elif self.tied.lets(at, driver):
                nets = tuple(Net(at, key) for key in self.tied.chosen(at, driver))
                yield Origin(driver, nets, tuple(Net(at, key) for key in driver.tests), driver.form)

    def _output(self, inner: int, driver: Driver) -> Net:
        """Returns the net at an output; all of it where nothing there has the member asked for."""
        key = driver.keys[0]
        if driver.alike:
            key = self.unit(inner).narrowed(key[:1], key[1:])
        return Net(inner, key)

    def _past(self, at: int, driver: Driver) -> Origin:
        """Returns what an instance that is left out makes its output of: one of its inputs."""
        part = self.unit(at).parts[driver.child]
        passed = self._passing.input_of(part.row, driver.keys[0]) if part.row >= 0 else None
        actual = part.actuals.get(passed.port) if passed else None
        if passed is None or actual is None or len(actual.keys) != 1:
            return Origin(driver)
        inverted = passed.inverted != (actual.form == INVERTED)
        form = GATE if passed.how else INVERTED if inverted else COPY
        return Origin(driver, (Net(at, actual.keys[0]),), form=form)

    def _above(self, at: int, driver: Driver) -> Origin:
        """Returns what an input of an instance is connected to in the unit around it."""
        outer, key = self.parents[at], driver.keys[0]
        if outer < 0:
            return Origin(driver, is_end=True)
        actual = self.part(at).actuals.get(key[0])
        if actual is None:
            return Origin(driver)
        if actual.choice:
            return self._choice(outer, driver._replace(line=actual.line), actual, key[1:])
        if actual.alike:
            unit, rest = self.unit(outer), members(key[1:])
            nets = tuple(Net(outer, unit.narrowed(one, rest)) for one in actual.keys)
        else:
            rest = key[1:] if actual.form == COPY else ()
            nets = tuple(Net(outer, joined(one, rest)) for one in actual.keys)
        return Origin(driver._replace(line=actual.line), nets, form=actual.form, at=outer)

    def _choice(self, outer: int, driver: Driver, actual: Actual, rest: Key) -> Origin:
        """Returns the origin of an input that a choice drives: what parameters settle is a copy."""
        form, live = self.tied.live(outer, actual.choice)
        keys = tuple(one for one in actual.keys if is_among(one, live))
        if form == CHOICE or len(keys) != 1:
            tests = tuple(Net(outer, one) for one in actual.keys if one not in keys)
            nets = tuple(Net(outer, one) for one in keys)
            return Origin(driver, nets, tests, CHOICE if nets else COPY, at=outer)
        rest = rest if form == COPY else ()
        return Origin(driver, (Net(outer, joined(keys[0], rest)),), form=form, at=outer)


def _all_of(outer: str, inner: str) -> str:
    """Returns two conditions of `ifdefs as one; one that both are stands once."""
    return outer if inner == outer else all_of((outer, inner))
