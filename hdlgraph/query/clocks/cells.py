"""Register cells: units whose outputs are registers on one of their ports, by what is in them.

A unit is one where an output comes from a process with a clock that is an input of the unit, or
from a register cell in it. Names play no part, but for units that the repository has not: those
are taken for one by their ports alone, and are not `sure`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from hdlgraph.model import Location
from hdlgraph.model.flow import Child
from hdlgraph.query.clocks.keys import COPY, INVERTED, Key, text_of
from hdlgraph.query.clocks.passing import Passing
from hdlgraph.query.clocks.records import Driver, Part, Register
from hdlgraph.query.clocks.together import exclude, most_parts
from hdlgraph.query.clocks.units import Units
from hdlgraph.query.signals.clocks import is_under
from hdlgraph.query.signals.design import Held
from hdlgraph.query.signals.unit import UnitView

PORTS, PARTS, REGISTERS = 20, 6, 6
"""The most that a register cell has of each; a larger unit is more than that."""
DEPTH = 12
"""Cells in each other, and copies in a row."""
LOGIC = 200
"""Nets that are looked at from a register back to the inputs."""
_CLOCK = re.compile(r"(?:i_)?(?:clk|clock|ck|c|cp|clk_i|clk_in)", re.IGNORECASE)
_DATA = re.compile(r"(?:i_)?(?:d|din|d_i|data_i|d_in)", re.IGNORECASE)
_OUT = re.compile(r"(?:o_)?(?:q|dout|q_o|data_o|q_out)", re.IGNORECASE)


class CellOutput(NamedTuple):
    """An output of a unit that is a register; all names are ports of the unit.

    `stages` counts the registers in a row from `data` to the output. `sure` is False for a unit
    that the repository has not.
    """

    port: str
    clock: str
    edge: str
    reset: str = ""
    reset_kind: str = ""
    active: str = ""
    data: tuple[str, ...] = ()
    control: tuple[str, ...] = ()
    stages: int = 1
    line: int = 0
    sure: bool = True


class CellRegister(NamedTuple):
    """A signal that the output of a register cell drives, with the cell's clock, data and reset."""

    key: Key
    part: Part
    output: CellOutput
    clock: Key
    reset: Key
    data: tuple[Key, ...]
    line: int


FLIPPED = {"posedge": "negedge", "negedge": "posedge"}


class Cells:
    """The register cells of a design."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self.passing = Passing(units)
        self._lock = threading.RLock()
        """What is known of a unit is worked out in steps that must not mix."""
        self._kept: dict[int, dict[str, CellOutput]] = {}
        self._held_by: dict[int, dict[tuple[str, int, str], Held]] = {}

    def outputs(self, row: int, depth: int = 0) -> dict[str, CellOutput]:
        """Returns the outputs of a unit that are registers, by port; {} where it is no cell."""
        found = self._kept.get(row)
        if found is None:
            self._kept[row] = {}  # a unit within itself is none
            found = self._kept[row] = self._find(row, depth) if depth < DEPTH else {}
        return found

    def _find(self, row: int, depth: int) -> dict[str, CellOutput]:
        head = self.units.design.flows.units[row]
        if head.kind != "module" or not 2 < len(head.ports) <= PORTS:
            return {}
        unit = self.units.at(row)
        parts, registers = most_parts(unit.view.flow), unit.registers
        if parts > PARTS or len(registers) > REGISTERS or not (parts or registers):
            return {}
        found = {}
        for name, direction, _, _ in head.ports:
            output = self._held(row, (name,), depth) if direction == "output" else None
            if (
                output is not None
                and output.clock != name
                and (output.data or output.control or output.reset)
            ):
                found[name] = output._replace(port=name)
        return found

    def _held(self, row: int, key: Key, depth: int) -> CellOutput | None:
        """Returns the register that a net of a unit is, with the ports of the unit."""
        if depth >= DEPTH:
            return None
        unit = self.units.at(row)
        told = [(one, self._of_driver(row, one, depth)) for one in unit.drivers(key)]
        found = next(((one, held) for one, held in told if held is not None), None)
        if found is None:
            return None
        for other, held in told:
            if held is None and _voids(unit.view, found[0], other):
                return None
        return found[1]

    def _of_driver(self, row: int, driver: Driver, depth: int) -> CellOutput | None:
        if driver.register is not None:
            return self._of_register(row, driver.register, depth)
        if driver.kind == "logic" and driver.form in (COPY, INVERTED) and len(driver.keys) == 1:
            return self._held(row, driver.keys[0], depth + 1)
        if driver.kind == "child":
            part = self.units.at(row).parts[driver.child]
            inner = self.outputs(part.row, depth + 1).get(driver.keys[0][0])
            return self._outer(row, part, inner, depth) if inner else None
        return None

    def _of_register(self, row: int, register: Register, depth: int) -> CellOutput | None:
        clock = self.passing.input_of(row, register.clock)
        if clock is None:
            return None
        edge = FLIPPED.get(register.edge, register.edge) if clock.inverted else register.edge
        reset = self.passing.input_of(row, register.reset) if register.reset else None
        skip = {clock.port, reset.port if reset else ""}
        data, stages = self._inputs(row, register.data, skip, depth, register.key)
        return CellOutput(
            "", clock.port, edge, reset.port if reset else "",
            register.reset_kind, register.active, data,
            self._inputs(row, register.control, skip, depth)[0], 1 + stages, register.line,
        )  # fmt: skip

    def _outer(self, row: int, part: Part, inner: CellOutput, depth: int) -> CellOutput | None:
        """Returns the register of a cell within a unit, with the ports of the unit."""
        clock_net = one_key(part, inner.clock)
        clock = self.passing.input_of(row, clock_net) if clock_net else None
        if clock is None:
            return None
        inverted = clock.inverted != (part.actuals[inner.clock].form == INVERTED)
        reset_net = one_key(part, inner.reset) if inner.reset else None
        reset = self.passing.input_of(row, reset_net) if reset_net else None
        skip = {clock.port, reset.port if reset else ""}
        data = [key for port in inner.data for key in keys_at(part, port)]
        control = [key for port in inner.control for key in keys_at(part, port)]
        ports, stages = self._inputs(row, data, skip, depth)
        return inner._replace(
            clock=clock.port, edge=FLIPPED.get(inner.edge, inner.edge) if inverted else inner.edge,
            reset=reset.port if reset else "", data=ports,
            control=self._inputs(row, control, skip, depth)[0],
            stages=inner.stages + stages, line=part.child.line,
        )  # fmt: skip

    def _inputs(
        self, row: int, keys: Sequence[Key], skip: set[str], depth: int, own: Key = ()
    ) -> tuple[tuple[str, ...], int]:
        """Returns the input ports that nets come from, and the registers in between, at most.

        `own` is the register that they are the data of, which may hold its value.
        """
        unit, stages = self.units.at(row), 0
        found: dict[str, None] = {}
        waiting = [(key, 0) for key in keys]
        seen = {*keys, own}
        while waiting and len(seen) < LOGIC:
            key, passed = waiting.pop()
            stages = max(stages, passed)
            for driver in unit.drivers(key):
                more: list[Key] = list(driver.tests)
                step = passed
                if driver.kind == "port":
                    if driver.keys[0][0] not in skip:
                        found[driver.keys[0][0]] = None
                elif driver.kind == "child":
                    part = unit.parts[driver.child]
                    inner = self.outputs(part.row, depth + 1).get(driver.keys[0][0])
                    ports = inner.data + inner.control if inner else _all_inputs(part)
                    step += inner.stages if inner else 0
                    more += [one for port in ports for one in keys_at(part, port)]
                elif driver.register is not None:
                    more += (*driver.register.data, *driver.register.control)
                    step += 1
                else:
                    more += driver.keys
                for one in more:
                    if one not in seen:
                        seen.add(one)
                        waiting.append((one, step))
        return tuple(found), stages

    def told(self, row: int) -> list[dict[str, Any]]:
        """Returns the outputs of a unit that are registers, as `show` tells them."""
        unit = self.units.design.flows.units[row]
        with self._lock:
            found = list(self.outputs(row).values())
        return [{**one._asdict(), "location": str(Location(unit.path, one.line))} for one in found]

    def held(self, row: int, child: Child, port: str) -> Held | None:
        """Returns what the output of an instance is the register of, None where it is none."""
        found = self._held_by.get(row)
        if found is None:
            with self._lock:
                found = {
                    (one.part.child.name, one.part.child.line, one.output.port): Held(
                        one.output.edge, text_of(one.clock), text_of(one.reset),
                        tuple(text_of(key) for key in one.data), one.output.sure,
                    )
                    for one in self.registers(row)
                }  # fmt: skip
                self._held_by[row] = found
        return found.get((child.name, child.line, port))

    def registers(self, row: int) -> list[CellRegister]:
        """Returns the signals of a unit that register cells drive, by line."""
        found = []
        for part in self.units.at(row).parts:
            outputs = self.outputs(part.row) if part.row >= 0 else _guessed(part)
            for port, output in outputs.items():
                actual = part.actuals.get(port)
                clock = one_key(part, output.clock)
                if actual is None or clock is None:
                    continue
                data = tuple(key for one in output.data for key in keys_at(part, one))
                reset = one_key(part, output.reset) if output.reset else None
                inverted = part.actuals[output.clock].form == INVERTED
                edge = FLIPPED.get(output.edge, output.edge) if inverted else output.edge
                found += [
                    CellRegister(key, part, output._replace(edge=edge), clock, reset or (), data,
                                 part.child.line)
                    for key in actual.keys
                ]  # fmt: skip
        return found


def _voids(view: UnitView, register: Driver, other: Driver) -> bool:
    """Returns whether a net that a register drives is none, as something else drives it too."""
    if other.form == COPY and len(other.keys) == 1:
        return False
    # Another branch of a generate or `ifdef may pass the data on without a register.
    if other.guard >= 0 and not is_under(view, register.guard, other.guard):
        return False
    if exclude(view.ifdef(register.line), view.ifdef(other.line)):
        return False
    # Other bits may be tied to a constant; under a test the register would be chosen.
    return bool(other.keys or other.tests or register.tests or other.kind != "logic")


def one_key(part: Part, port: str) -> Key | None:
    """Returns the net that a port of an instance is connected to, None where it is not one."""
    keys = keys_at(part, port)
    return keys[0] if len(keys) == 1 else None


def keys_at(part: Part, port: str) -> tuple[Key, ...]:
    """Returns the nets in the expression that a port of an instance is connected to."""
    actual = part.actuals.get(port)
    return actual.keys if actual else ()


def _all_inputs(part: Part) -> list[str]:
    return [name for name, one in part.actuals.items() if one.direction == "input"]


def _guessed(part: Part) -> dict[str, CellOutput]:
    """Returns the register of an unknown cell: one clock, one `d`, one `q` among few ports."""
    if len(part.actuals) > 8 or any(port.isdigit() for port in part.actuals):
        return {}
    clocks, data, outs = (
        [port for port in part.actuals if form.fullmatch(port)] for form in (_CLOCK, _DATA, _OUT)
    )
    if not (len(clocks) == len(data) == len(outs) == 1):
        return {}
    rests = [port for port in part.actuals if re.search(r"rst|reset|clr|^[rs]n?$", port, re.I)]
    low = bool(rests) and bool(re.search(r"(?:n|b|_ni)$", rests[0], re.IGNORECASE))
    return {
        outs[0]: CellOutput(
            outs[0], clocks[0], "posedge", rests[0] if rests else "", "",
            ("low" if low else "high") if rests else "", (data[0],), sure=False,
        )
    }  # fmt: skip
