"""What is known of one unit: its instances with their connections, registers, drivers of nets."""

from __future__ import annotations

from typing import NamedTuple

from hdlgraph.model.flow import Child
from hdlgraph.query.clocks.keys import COPY, Key


class Actual(NamedTuple):
    """What a port of an instance is connected to, as the unit around it has it.

    `form` is `copy` of a name alone; `keys` are the names in the expression. `alike`: it puts nets
    of one type with a name side by side. `value` is the text of an expression without a net,
    `choice` that of a choice. `counted` is the key with its indexes that count, () without.
    """

    port: str
    direction: str
    keys: tuple[Key, ...]
    form: str
    line: int
    alike: bool = False
    value: str = ""
    choice: str = ""
    counted: Key = ()


class Part(NamedTuple):
    """An instance with the unit that it most likely means (-1: none known), and its connections."""

    child: Child
    row: int
    actuals: dict[str, Actual]


class Register(NamedTuple):
    """A signal that a process assigns at the edge of a clock.

    `data` are the names in the values, with `form`; `control` those in the tests. `memory` says
    that an index which is no constant selects what is assigned; `guard` is as of `Driver`. `aside`
    is what `ifdefs ask for where the default build has no such register. `calls` are (function,
    line, names) of the values that a function makes. `under` has what `ifdefs ask for around each
    assignment with the names that it reads, in units that have `ifdefs.
    """

    key: Key
    line: int
    edge: str
    clock: Key
    reset: Key
    reset_kind: str
    active: str
    data: tuple[Key, ...] = ()
    control: tuple[Key, ...] = ()
    form: str = COPY
    memory: bool = False
    guard: int = -1
    aside: str = ""
    calls: tuple[tuple[str, int, tuple[Key, ...]], ...] = ()
    under: tuple[tuple[str, tuple[Key, ...]], ...] = ()


class Driver(NamedTuple):
    """One thing that drives a net.

    `kind`: `logic` (an assignment, by `form`), `register`, `child` (an output of the instance
    `child`), `port` (the unit's own input).
    `keys` are where the value comes from: nets of the unit, of a child the net of that unit.
    `guard` is the innermost generate condition around it, `place` the innermost test, -1 for none.
    `alike` is as of `Actual`, also of a choice and of operators that go bit by bit (`bitwise`);
    `text` that of a choice or pattern. `counted`: keys or tests have indexes that count. `called`
    is a function that makes the value, `part` that members of what it makes are asked for.
    """

    kind: str
    line: int
    keys: tuple[Key, ...] = ()
    form: str = COPY
    child: int = -1
    register: Register | None = None
    tests: tuple[Key, ...] = ()
    guard: int = -1
    place: int = -1
    alike: bool = False
    text: str = ""
    bitwise: bool = False
    counted: bool = False
    called: str = ""
    part: bool = False
