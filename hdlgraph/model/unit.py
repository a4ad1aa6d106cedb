"""What one file says about one unit: its ports, parameters, instances, processes and the like.

The records are `msgspec.Struct`s because tens of thousands of them are decoded at every start:
MessagePack arrays decode an order of magnitude faster than dataclasses. Paths are POSIX and
relative to the repository root; lines are 1-based.
"""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, array_like=True, omit_defaults=False, gc=False):
    """Base of all records that are stored as MessagePack arrays.

    `witnesses` of a fact are the readers that saw it, as `layers_of` reads them. `condition` is
    what the `ifdefs around it ask for, as `RVFI && !SYNTHESIS`, "" outside of them. `origin` is the
    path of the included file that declares it, "" for the file at hand; `line` is then that of
    the `include.
    """


class Port(Fact, frozen=True):
    """A port of a unit. `direction`: input, output, inout, ref, or interface."""

    name: str
    direction: str
    type: str
    line: int
    comment: str = ""
    witnesses: int = 0
    condition: str = ""
    origin: str = ""


class Parameter(Fact, frozen=True):
    """A parameter. `kind`: parameter, localparam or type."""

    name: str
    kind: str
    type: str
    default: str
    line: int
    comment: str = ""
    witnesses: int = 0
    condition: str = ""
    origin: str = ""


class Connection(Fact, frozen=True):
    """A port connection of an instance.

    `port` is the formal name, "" when ordered (then `position`, 0-based, counts) and "*" for
    `.*`. `expr` is the actual as written ("" when unconnected), `signals` the simple names in it,
    `paths` the names in it that lead elsewhere, as `g[i].u_a.q`.
    """

    port: str
    expr: str
    signals: tuple[str, ...] = ()
    line: int = 0
    position: int = -1
    witnesses: int = 0
    condition: str = ""
    paths: tuple[str, ...] = ()


class Scope(Fact, frozen=True):
    """An enclosing generate block or `ifdef branch: its label and the condition that picks it."""

    label: str
    condition: str
    line: int
    kind: str = "generate"  # generate | ifdef


class Instance(Fact, frozen=True):
    """An instance of `unit` inside a parent unit.

    `override_witnesses` has the witnesses of each of the `parameters`, in their order; a
    `defparam` of its parent is among them. `dimensions` are those of an array of instances, as
    `[3:0]`. `macro` is the macro whose expansion holds the name of the unit, "" for none; where
    nothing tells what it stands for, `unit` is its name with the backtick. `override_lines` has
    the line of each of the `parameters`, 0 where it is not known; it may be shorter.
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
    dimensions: str = ""
    macro: str = ""
    origin: str = ""
    override_lines: tuple[int, ...] = ()


class Gate(Fact, frozen=True):
    """An instance of a primitive of the language: `kind` is and, nand, buf, tran, pullup ...

    `terminals` are the expressions at its terminals, in order; `name` is "" where it has none.
    """

    kind: str
    name: str
    line: int
    terminals: tuple[str, ...]
    dimensions: str = ""
    condition: str = ""


class Defparam(Fact, frozen=True):
    """A `defparam`: `path` leads from its unit to a parameter, as `u_a.u_b.WIDTH`."""

    path: str
    value: str
    line: int
    condition: str = ""


class Signal(Fact, frozen=True):
    """A net or variable declared in a unit.

    `scope` has the labels of the generate blocks around it, as `g_lane.g_wide`. One that is
    `implicit` is a net that a use declares; its line is that of the first use.
    """

    name: str
    type: str
    line: int
    comment: str = ""
    condition: str = ""
    scope: str = ""
    implicit: bool = False
    origin: str = ""


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


class Field(Fact, frozen=True):
    """A member of a struct, union or enum.

    `type` is that of a field as written, or the value of an enum's name, "" for none. `width` is
    in bits, 0 where the file alone does not tell it.
    """

    name: str
    type: str
    line: int
    width: int = 0
    comment: str = ""


class Type(Fact, frozen=True):
    """A typedef. `kind`: enum, struct, union, alias, class-forward.

    `fields` are those of `members` that are names. `base` is what stands between the kind and
    its braces (`packed`, `logic [1:0]`), `width` the bits of the type, 0 where it is not known.
    """

    name: str
    kind: str
    members: tuple[str, ...]
    line: int
    end_line: int
    comment: str = ""
    fields: tuple[Field, ...] = ()
    base: str = ""
    width: int = 0
    condition: str = ""


class Argument(Fact, frozen=True):
    """An argument of a function or task. `direction`: input, output, inout, ref or const ref."""

    name: str
    direction: str
    type: str
    default: str = ""


class Routine(Fact, frozen=True):
    """A function or task. `kind`: function or task.

    `returns` is the type of a function's value as written, "" where none is. `foreign` is the
    name in C of one that is imported or exported, `dpi` which of both ("import", "export").
    """

    name: str
    kind: str
    line: int
    end_line: int
    comment: str = ""
    arguments: tuple[Argument, ...] = ()
    returns: str = ""
    dpi: str = ""
    foreign: str = ""
    condition: str = ""


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
    """A bind directive: `unit` is instantiated as `name` into `target`.

    `target` is a unit, or the path of an instance. `instances` are the paths of the instances that
    it is bound to alone (`bind fifo: top.u_a ...`, `bind top.u_a ...`), () for all of the unit.
    `parent` is the unit around the directive, "" for none. `override_lines` is as in `Instance`.
    """

    target: str
    unit: str
    name: str
    line: int
    connections: tuple[Connection, ...] = ()
    witnesses: int = 0
    instances: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    condition: str = ""
    parent: str = ""
    override_lines: tuple[int, ...] = ()


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
    `comment` is the doc comment directly above, licence removed. `base_parameters` are the
    overrides of the class that it extends, `implements` the interface classes. `cells` are the
    (name, line) of what a module of a technology map stands for, as `$alu`.
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
    gates: tuple[Gate, ...] = ()
    defparams: tuple[Defparam, ...] = ()
    base_parameters: tuple[tuple[str, str], ...] = ()
    implements: tuple[str, ...] = ()
    cells: tuple[tuple[str, int], ...] = ()
