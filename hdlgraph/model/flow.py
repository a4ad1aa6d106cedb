"""What one unit says about its signals: which statement assigns what, from what, and on what tests.

Names are numbers into `Flow.names`, so that a name is stored once for a unit. A name has its
members, `bus.valid` or `u_core.pc`, without selections.
"""

from __future__ import annotations

from hdlgraph.model.unit import Fact

Target = tuple[int, str]
"""(number of the name, what stands behind its first part as written: `[3:0]`, `[i].field`)."""


Region = tuple[int, int, str]
"""(first line, last line, what the `ifdefs around them ask for, as `RVFI && !SYNTHESIS`)."""


class Guard(Fact, frozen=True):
    """A test around statements. `kind`: if, else, over, case, default, generate.

    `outer` is the number of the guard around it, -1 for none. `text` is the condition as written;
    of a case, which is one of kind `over` with a guard for each arm, what it is over; one that is
    cut ends in ` ...`. `labels` are
    those of an arm. `reads` are the names in the test; of `else` and `default` they are left out,
    as the tests before have them.
    """

    outer: int
    kind: str
    text: str
    line: int
    labels: tuple[str, ...] = ()
    reads: tuple[int, ...] = ()


class Step(Fact, frozen=True):
    """An assignment or a call. `guard` is the innermost test around it, -1 for none.

    `writes` are what it assigns, `reads` the names its value and its selections are made of.
    `value` is the right side as written, cut, where it is a constant, a choice among some, parts
    put together or a call of a function. Of a call it is the call, `put(go, RUN)`;
    within a routine `return X`, and `NAME = X` for a name of its own. `logic` is the right side
    that operators make of several names, where `value` has none: `a[0] & ~b`.
    """

    line: int
    guard: int
    writes: tuple[Target, ...]
    reads: tuple[int, ...]
    value: str = ""
    logic: str = ""


class Block(Fact, frozen=True):
    """A process or a continuous assignment, with its steps and those of its tests.

    `kind`: always_ff, always_comb, always_latch, always, initial, final, assign, alias, function,
    task, assert. An alias joins nets in both directions. `events` are ("posedge", name, line) of
    the edges that it waits for. The label of a routine is its name with those of its arguments, as
    `next_state(s, go)`. `guards` and `guards_end` are the numbers of its own guards: from
    the first to before the second. `own` are the names of its variables that hold nothing from one
    run of it to the next: automatic ones, and others that it assigns before it reads them.
    """

    kind: str
    line: int
    end_line: int
    label: str = ""
    events: tuple[tuple[str, int, int], ...] = ()
    steps: tuple[Step, ...] = ()
    guards: int = 0
    guards_end: int = 0
    own: tuple[int, ...] = ()


class Link(Fact, frozen=True):
    """A port connection. `port` is "" where only its place in the order is given, "*" for `.*`.

    `writes` are the names an output port would drive, `reads` the others in the expression;
    `value` is the text of a choice, and of an expression that is no name and has one at most:
    `1'b0`, `~clk_i`; `logic` that of one with several.
    """

    port: str
    position: int
    line: int
    writes: tuple[Target, ...] = ()
    reads: tuple[int, ...] = ()
    value: str = ""
    logic: str = ""


class Child(Fact, frozen=True):
    """An instance. `name` has the labels of its generate blocks before it, dotted.

    `guard` is the number of the innermost generate condition around it, -1 for none; `values`
    are its parameter overrides as (name, text).
    """

    name: str
    unit: str
    line: int
    guard: int = -1
    links: tuple[Link, ...] = ()
    values: tuple[tuple[str, str], ...] = ()


class Declared(Fact, frozen=True):
    """A declaration of a name that the unit declares in several scopes (IEEE 1800, clause 27).

    `guard` is the number of the generate condition whose block declares it, -1 for the unit
    itself; `whole` is the name with the labels of the blocks around it, `genblk1` for one without.
    """

    name: str
    guard: int
    whole: str
    line: int


class Flow(Fact, frozen=True):
    """All of one unit: its guards, blocks and instances, and the lines in branches of `ifdefs.

    `declared` are the declarations of the names that several scopes of the unit declare: those of
    one name are distinct signals. `modports` are (modport, its port, the name in the interface) of
    the ports of modports that are written as expressions. `aside` are (first, last) of the runs of
    lines in branches of `ifdefs that the default build leaves out, in order.
    """

    names: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    blocks: tuple[Block, ...] = ()
    children: tuple[Child, ...] = ()
    regions: tuple[Region, ...] = ()
    declared: tuple[Declared, ...] = ()
    modports: tuple[tuple[str, str, str], ...] = ()
    aside: tuple[tuple[int, int], ...] = ()


class Said(Fact, frozen=True):
    """A message that a check reports. `kind`: error, fatal, warning, uvm_error, uvm_fatal ..."""

    kind: str
    line: int
    text: str
