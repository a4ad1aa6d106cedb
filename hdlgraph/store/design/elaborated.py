"""The records of an elaborated design: what every unit became with its parameter values.

Units that became the same share a `Body`, so a chip of 30,000 instances has some 2,000 of them;
the instance tree is read by walking from body to body. Lines are 1-based, paths relative to the
repository's root.
"""

from __future__ import annotations

import msgspec

from hdlgraph.model.unit import Fact

FORMAT = 1
"""Version of the kept configurations."""


class Chosen(Fact, frozen=True):
    """A definition that was taken. `kind`: module, interface or program."""

    name: str
    kind: str
    path: str
    line: int


class Value(Fact, frozen=True):
    """A parameter with its value, as SystemVerilog writes it.

    `type` is its type (of a type parameter empty), `width` its bits, 0 where there are none;
    `local` says that nobody can override it.
    """

    name: str
    value: str
    type: str = ""
    width: int = 0
    local: bool = False


class Width(Fact, frozen=True):
    """A port with its type and its width in bits, 0 for one without, such as an interface."""

    name: str
    direction: str
    type: str
    width: int


class Branch(Fact, frozen=True):
    """A generate block, by its path inside of the unit, and whether it was taken."""

    name: str
    path: str
    line: int
    taken: bool
    condition: str = ""


class Child(Fact, frozen=True):
    """An instance: its path inside of the unit that holds it, and its body.

    `body` is a position in `Elaborated.bodies`, -1 for a module that no file defines: then
    `unit` is its name.
    """

    name: str
    body: int
    path: str
    line: int
    unit: str = ""


class Driven(Fact, frozen=True):
    """Bits of a net or variable that one statement or connection drives; `msb` counts from 0.

    `kind`: assign, always, always_comb, always_ff, always_latch, initial, final, subroutine,
    instance (a port of one), port (the unit's own) or other.
    """

    name: str
    msb: int
    lsb: int
    kind: str
    path: str
    line: int


class Body(Fact, frozen=True):
    """What a unit became with certain parameter values.

    `unit` is a position in `Elaborated.units`. `driven` are the nets and variables of which a
    driver drives some bits, or that have several drivers.
    """

    unit: int
    parameters: tuple[Value, ...] = ()
    ports: tuple[Width, ...] = ()
    branches: tuple[Branch, ...] = ()
    children: tuple[Child, ...] = ()
    driven: tuple[Driven, ...] = ()


class Said(Fact, frozen=True):
    """What the elaborator said of a place. `severity`: error or warning."""

    severity: str
    code: str
    path: str
    line: int
    text: str


class Elaborated(msgspec.Struct, frozen=True, kw_only=True):
    """What an elaboration found: `tops` are (name, position in `bodies`).

    `errors` and `warnings` count all; `said` has the first of them. `truncated` says what was
    left out because there was too much of it.
    """

    tops: tuple[tuple[str, int], ...] = ()
    units: tuple[Chosen, ...] = ()
    bodies: tuple[Body, ...] = ()
    errors: int = 0
    warnings: int = 0
    codes: dict[str, int] = {}
    said: tuple[Said, ...] = ()
    truncated: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0


class Difference(Fact, frozen=True):
    """Where the elaboration and the design graph say different things.

    `kind`: definition (another definition of a name was taken), instance (only the elaboration has
    it) or absent (only the graph has it).
    """

    kind: str
    name: str
    place: str
    graph: str
    elaborated: str


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One elaboration as it is kept: what it was asked, what it read, what it found.

    `schema` is the version of this record. `key` digests everything that the result depends on.
    `files` are (path, sha256 of its content) in the order of compilation, headers last; `sources`
    of them are no headers. `stand_ins` maps undefined modules to the place of the module whose
    text stood for them; `missing` are (kind, name, first place).
    """

    schema: int = FORMAT
    name: str
    key: str
    tops: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    sources: int = 0
    stand_ins: dict[str, str] = {}
    missing: tuple[tuple[str, str, str], ...] = ()
    differences: tuple[Difference, ...] = ()
    near_top: bool = False
    result: Elaborated = Elaborated()
