"""What is answered about signals: places that drive or read one, clocks, resets, machines."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model import Location
from hdlgraph.parsers.text.expressions import GATES


class Access(msgspec.Struct, frozen=True):
    """One place in the sources that drives or reads a signal.

    `how` names what does it: a process (`always_ff`, `always_comb`, `always_latch`, `always`,
    `initial`, `final`), a continuous assignment (`assign`), an `alias`, a `function` or `task`, a
    concurrent assertion (`assert`), an `instance` whose port is connected to the signal, or the
    unit's own `port`: an input drives the signal of its name inside the unit, an output reads it.
    `bind` is an instance that a bind directive puts into the unit; `path` and `line` are those of
    the bind.

    `unit` and `unit_id` are the unit in which the place stands, by name and by the graph's node
    id; `signal` is the name used there, `bits` the selection behind it as written (`[3:0]`,
    `.field`), "" for all of it. `condition` holds the tests around the place, outermost first,
    joined by " && ", "" for none, `ifdef` what the `ifdefs around it ask for; `control` is whether
    the signal is read by such a test and not by the value. `clock` is ("posedge", "clk_i") of the
    process, ("", "") without one. `reset` is whether the place is in the reset branch. Where the
    output of a register cell drives the signal, `clock` is the net at the cell's clock and
    `cell_reset` that at its reset, "" for none.

    Of an `instance` or a `bind`: `instance` is its name with the labels of its generate blocks,
    `port` the port, `of` the name of the unit instantiated and `of_id` the node id of its
    likeliest definition ("" where the repository has none). `sure` is False where the direction of
    the port is not known, so that the place may drive as well as read.

    `others` are the signals on the other side: what the value of a driven signal is made of, or
    what a read signal goes into; of an `instance` they are told of gates alone, which have no
    ports. `value` is what an assignment gives a driven signal, as written and cut, where it is a
    constant, a name, a choice or parts put together; "" for other values. `given` are the values
    of parameters, `FAST = 1`, by which tests or choices were decided that are not told: all
    instances up to the tops, which have their defaults, have them.
    """

    unit: str
    unit_id: str
    signal: str
    path: str
    line: int
    how: str
    bits: str = ""
    condition: str = ""
    control: bool = False
    clock: tuple[str, str] = ("", "")
    reset: bool = False
    instance: str = ""
    port: str = ""
    of: str = ""
    of_id: str = ""
    others: tuple[str, ...] = ()
    sure: bool = True
    ifdef: str = ""
    cell_reset: str = ""
    value: str = ""
    given: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        """Returns `path:line`."""
        return str(Location(self.path, self.line))

    @property
    def of_gate(self) -> bool:
        """Returns whether the place is a gate: a primitive of the language, none of the design."""
        return self.of in GATES and not self.of_id

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields and `location`, as `--json` prints them."""
        return {**msgspec.structs.asdict(self), "location": self.location}


class Clock(msgspec.Struct, frozen=True):
    """A clock of a unit: a signal at whose edge processes of the unit assign registers.

    `edge` is `posedge`, `negedge` or `edge`; `registers` are the signals assigned there, sorted;
    `path` and `line` are those of the first process. `through` names the instances of register
    cells that stand for such a process, "" for none.
    """

    signal: str
    edge: str
    registers: tuple[str, ...]
    path: str
    line: int
    through: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        """Returns `path:line`."""
        return str(Location(self.path, self.line))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields and `location`."""
        return {**msgspec.structs.asdict(self), "location": self.location}


class Reset(msgspec.Struct, frozen=True):
    """A reset of a unit: a signal that brings registers of the unit to a fixed value.

    `kind` is `asynchronous` where the process waits for the reset's edge, else `synchronous`.
    `active` is `low` or `high`. `values` are (register, value as written, line), by line: a value
    is "" where it is no constant.
    """

    signal: str
    kind: str
    active: str
    values: tuple[tuple[str, str, int], ...]
    path: str
    line: int

    @property
    def location(self) -> str:
        """Returns `path:line`."""
        return str(Location(self.path, self.line))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields and `location`."""
        return {**msgspec.structs.asdict(self), "location": self.location}


class Check(msgspec.Struct, frozen=True):
    """An assertion, property, covergroup or clocking block of a unit, or a message alone.

    `kind` is as written (`assert`, `assume`, `cover`, `property`, `sequence`, `covergroup`,
    `clocking`), or of a message alone what reports it (`error`, `fatal`, `warning`, `uvm_error`,
    `uvm_fatal`, `uvm_warning`). `text` is what is checked, `message` what is reported.
    """

    unit: str
    kind: str
    name: str
    text: str
    message: str
    path: str
    line: int

    @property
    def location(self) -> str:
        """Returns `path:line`."""
        return str(Location(self.path, self.line))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields and `location`."""
        return {**msgspec.structs.asdict(self), "location": self.location}


class Transition(msgspec.Struct, frozen=True):
    """A step of a state machine: `source` is "" where it is taken from every state.

    `condition` holds the tests under which it is taken, the state's own left out, outermost
    first; `line` is that of the assignment. `unless` are the lines of later assignments of the
    same process that, where they are reached in the same state, take its place.
    """

    source: str
    target: str
    condition: str
    line: int
    unless: tuple[int, ...] = ()


class StateMachine(msgspec.Struct, frozen=True):
    """A state machine of a unit.

    `register` holds the state, `next` its next value ("" where the register is assigned itself),
    each also a field of a record; `states` are (name, line where it is tested, 0 where it is not),
    `reset` the state after reset, "" where it is not known. A state without a name is its number
    in decimal, in one-hot code `[2]` for its bit. `line` is that of the declaration of the
    register, where it has none of its own that of the first test or assignment of the state.
    `clock` is the net at which the register changes, also that of a register cell, "" where it is
    not known. `unreached` are the states that no transition leads to from the one after reset, ()
    where that or something that the register is given is not known.
    """

    unit: str
    unit_id: str
    register: str
    next: str
    path: str
    line: int
    states: tuple[tuple[str, int], ...]
    transitions: tuple[Transition, ...]
    reset: str = ""
    clock: str = ""
    unreached: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        """Returns `path:line`."""
        return str(Location(self.path, self.line))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields and `location`; states and transitions as objects."""
        return {
            **msgspec.structs.asdict(self),
            "location": self.location,
            "states": [{"name": name, "line": line} for name, line in self.states],
            "transitions": [msgspec.structs.asdict(one) for one in self.transitions],
        }
