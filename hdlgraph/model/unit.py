"""What one file says of one unit: its ports, parameters, instances, processes and the like.

The records are `msgspec.Struct`s because tens of thousands of them are decoded at every start:
MessagePack arrays decode an order of magnitude faster than dataclasses. Paths are POSIX and
relative to the repository root; lines are 1-based.
"""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, array_like=True, omit_defaults=False, gc=False):
    """Base of all records that are stored as MessagePack arrays.

    `witnesses` of a fact are the readers that saw it, as `layers_of` reads them.
    """


class Port(Fact, frozen=True):
    """A port of a unit. `direction`: input, output, inout, ref, or interface."""

    name: str
    direction: str
    type: str
    line: int
    comment: str = ""
    witnesses: int = 0


class Parameter(Fact, frozen=True):
    """A parameter. `kind`: parameter, localparam or type."""

    name: str
    kind: str
    type: str
    default: str
    line: int
    comment: str = ""
    witnesses: int = 0


class Connection(Fact, frozen=True):
    """A port connection of an instance.

    `port` is the formal name, "" when ordered (then `position`, 0-based, counts) and "*" for
    `.*`. `expr` is the actual as written ("" when unconnected), `signals` the simple names in it.
    """

    port: str
    expr: str
    signals: tuple[str, ...] = ()
    line: int = 0
    position: int = -1
    witnesses: int = 0


class Scope(Fact, frozen=True):
    """An enclosing generate block or `ifdef branch: its label and the condition that picks it."""

    label: str
    condition: str
    line: int
    kind: str = "generate"  # generate | ifdef


class Instance(Fact, frozen=True):
    """An instance of `unit` inside a parent unit.

    `override_witnesses` has the witnesses of each of the `parameters`, in their order.
    """

    name: str
    unit: str
    line: int
    end_line: int
    parameters: tuple[tuple[str, str], ...] = ()
    connections: tuple[Connection, ...] = ()
    scopes: tuple[Scope, ...] = ()
    comment: str = ""
    witnesses: int = 0
    confidence: float = 1.0
    override_witnesses: tuple[int, ...] = ()


class Signal(Fact, frozen=True):
    """A net or variable declared in a unit."""

    name: str
    type: str
    line: int
    comment: str = ""


class Process(Fact, frozen=True):
    """An always, initial, final or continuous assignment block.

    `clocks`: ("posedge", "clk_i") pairs; `resets`: asynchronous or tested-first reset names.
    """

    kind: str  # always_ff | always_comb | always_latch | always | initial | final | assign
    line: int
    end_line: int
    label: str = ""
    clocks: tuple[tuple[str, str], ...] = ()
    resets: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    comment: str = ""


class Type(Fact, frozen=True):
    """A typedef. `kind`: enum, struct, union, alias, class-forward."""

    name: str
    kind: str
    members: tuple[str, ...]
    line: int
    end_line: int
    comment: str = ""


class Routine(Fact, frozen=True):
    """A function or task. `kind`: function or task."""

    name: str
    kind: str
    line: int
    end_line: int
    comment: str = ""


class Modport(Fact, frozen=True):
    """A modport of an interface; `ports` as (direction, name)."""

    name: str
    ports: tuple[tuple[str, str], ...]
    line: int


class Assertion(Fact, frozen=True):
    """A named assertion, assumption, cover or property. `kind` as written."""

    name: str
    kind: str
    line: int
    text: str = ""


class Bind(Fact, frozen=True):
    """A bind directive: `unit` is instantiated as `name` into `target`."""

    target: str
    unit: str
    name: str
    line: int
    connections: tuple[Connection, ...] = ()
    witnesses: int = 0


class Sighting(Fact, frozen=True):
    """What a reader alone saw in a unit and what did not enter the file's facts.

    `kind`: instance, port or binding; `name` says what was seen.
    """

    kind: str
    unit: str
    name: str
    line: int
    witnesses: int


class Machine(Fact, frozen=True):
    """A state machine: a register whose next value is chosen among named states.

    `states` are (name, line where it is defined, else where it is tested), `transitions` (from,
    to, line of the assignment), from "" where no state is tested around it. `line` is that of the
    first case statement or comparison, `reset` the state after reset or "".
    """

    register: str
    line: int
    states: tuple[tuple[str, int], ...]
    transitions: tuple[tuple[str, str, int], ...] = ()
    reset: str = ""


class Operation(Fact, frozen=True):
    """Something that the code of a unit does, such as counting or shifting.

    `kind` is a name of `hdlgraph.parsers.operations`; `names` are identifiers as written, the
    result first; `detail` adds what `names` cannot say, "" for most kinds. `condition` picks the
    generate block that it stands in, "" outside of such blocks. One that is not `sure` is searched
    but not told to people.
    """

    kind: str
    names: tuple[str, ...]
    line: int
    detail: str = ""
    condition: str = ""
    sure: bool = True


class Unit(Fact, frozen=True):
    """A module, interface, program, package, class, checker or primitive.

    `parent` names the enclosing unit (a class in a package, a nested module) or is "".
    `comment` is the doc comment directly above, licence removed.
    """

    kind: str
    name: str
    line: int
    end_line: int
    comment: str = ""
    parent: str = ""
    ports: tuple[Port, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    signals: tuple[Signal, ...] = ()
    instances: tuple[Instance, ...] = ()
    processes: tuple[Process, ...] = ()
    types: tuple[Type, ...] = ()
    routines: tuple[Routine, ...] = ()
    modports: tuple[Modport, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    imports: tuple[tuple[str, int], ...] = ()  # (package, line); also `pkg::name` uses
    extends: str = ""
    factory: tuple[tuple[str, int], ...] = ()  # UVM: (class of T::type_id::create, line)
    layers: tuple[str, ...] = ()
    confidence: float = 1.0
    machines: tuple[Machine, ...] = ()
    operations: tuple[Operation, ...] = ()
