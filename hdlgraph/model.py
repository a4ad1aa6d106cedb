"""Records that travel between the stages; frozen, without I/O.

Facts (what one file says) are `msgspec.Struct`s because tens of thousands of them are
decoded at every start: array-like MessagePack decodes an order of magnitude faster than
dataclasses. Paths are POSIX and relative to the repository root; lines are 1-based.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

FACTS_SCHEMA = 2
"""Version of the records below; a change invalidates cached facts."""


class Fact(msgspec.Struct, frozen=True, array_like=True, omit_defaults=False, gc=False):
    """Base of all records that are stored as MessagePack arrays.

    `witnesses` of a fact are the readers that saw it, as `layers_of` reads them.
    """


class Role(StrEnum):
    """What a file is for; ranking and filters use it."""

    RTL = "rtl"
    TESTBENCH = "testbench"
    FORMAL = "formal"
    PACKAGE = "package"
    INCLUDE = "include"
    GENERATED = "generated"
    VENDORED = "vendored"


class Layer(StrEnum):
    """Which reader saw a fact, strongest first."""

    SLANG = "slang"
    TREE_SITTER = "tree-sitter"
    PYVERILOG = "pyverilog"
    REGEX = "regex"


BIT = {layer: 1 << place for place, layer in enumerate(Layer)}
"""The bit of each reader in `witnesses`: a set of readers as one small number."""


def bits_of(layers: Iterable[str]) -> int:
    """Returns a set of readers as a number; names that are no reader count nothing."""
    return sum({BIT[Layer(layer)] for layer in layers if layer in BIT})


def layers_of(witnesses: int) -> tuple[str, ...]:
    """Returns the readers that a number stands for, strongest first."""
    return tuple(layer.value for layer, bit in BIT.items() if witnesses & bit)


class NodeKind(StrEnum):
    """Kinds of graph nodes."""

    FILE = "file"
    MODULE = "module"
    INTERFACE = "interface"
    PROGRAM = "program"
    PACKAGE = "package"
    CLASS = "class"
    CHECKER = "checker"
    PRIMITIVE = "primitive"
    INSTANCE = "instance"
    PORT = "port"
    SIGNAL = "signal"
    PARAMETER = "parameter"
    FUNCTION = "function"
    TASK = "task"
    TYPE = "type"
    MACRO = "macro"
    CONCEPT = "concept"
    EXPLANATION = "explanation"


UNIT_KINDS = frozenset(
    {
        NodeKind.MODULE,
        NodeKind.INTERFACE,
        NodeKind.PROGRAM,
        NodeKind.PACKAGE,
        NodeKind.CLASS,
        NodeKind.CHECKER,
        NodeKind.PRIMITIVE,
    }
)


class EdgeKind(StrEnum):
    """Kinds of graph edges, source to target."""

    DEFINES = "DEFINES"
    INSTANTIATES = "INSTANTIATES"
    CONNECTS = "CONNECTS"
    PARAMETERIZES = "PARAMETERIZES"
    IMPORTS = "IMPORTS"
    INCLUDES = "INCLUDES"
    EXTENDS = "EXTENDS"
    USES = "USES"
    BINDS = "BINDS"
    IMPLEMENTS = "IMPLEMENTS"
    DESCRIBED_BY = "DESCRIBED_BY"


class Comment(Fact, frozen=True):
    """A run of adjacent comment lines without its markers."""

    line: int
    end_line: int
    text: str


class Diagnostic(Fact, frozen=True):
    """What a reader said of a file; `line` is 0 where none is known."""

    layer: str
    severity: str  # error | warning | note
    line: int
    text: str


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


class Macro(Fact, frozen=True):
    """A `define: parameters as written ("" if none), body cut at 200 characters."""

    name: str
    parameters: str
    body: str
    line: int


class Message(Fact, frozen=True):
    """A string said at run time: $error, $display, uvm_info, assertion text."""

    line: int
    text: str


class FileRecord(Fact, frozen=True):
    """All facts of one file; every discovered file has exactly one.

    `layers`: the readers that contributed. `degraded`: "" or why facts are incomplete.
    `header`: the descriptive comment at the head of the file, licence text removed.
    `sightings`: what one reader alone saw and was not believed. `branches`: first and last line of
    the branches of its `ifdefs, of which some readers see only those that are taken. `expanded`:
    lines where a macro may stand for code, which tree-sitter cannot see; known where it read.
    """

    path: str
    sha256: str
    role: str
    language: str  # systemverilog | verilog
    size: int  # bytes
    n_lines: int
    encoding: str
    header: str = ""
    units: tuple[Unit, ...] = ()
    includes: tuple[tuple[str, int], ...] = ()  # (as written, line)
    macros: tuple[Macro, ...] = ()
    macro_uses: tuple[tuple[str, int], ...] = ()  # first use of each, sorted by name
    imports: tuple[tuple[str, int], ...] = ()  # file-level imports
    types: tuple[Type, ...] = ()  # at file level
    routines: tuple[Routine, ...] = ()  # at file level (also in headers included elsewhere)
    parameters: tuple[Parameter, ...] = ()  # at file level
    binds: tuple[Bind, ...] = ()
    comments: tuple[Comment, ...] = ()  # without licence text
    messages: tuple[Message, ...] = ()
    layers: tuple[str, ...] = ()
    degraded: str = ""
    protected: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    branches: tuple[tuple[int, int], ...] = ()
    expanded: tuple[int, ...] = ()


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What one file is for, in words: the record of the explanation files (JSONL).

    `model` says who wrote it: "deterministic" for the built-in explainer.
    """

    path: str
    purpose: str
    behaviour: str = ""
    interfaces: str = ""
    parameters: str = ""
    instances: str = ""
    concepts: tuple[str, ...] = ()
    sha256: str = ""
    model: str = "deterministic"

    def to_text(self) -> str:
        """Returns the explanation as paragraphs, path first (GraphRAG's document text)."""
        parts = [self.path, self.purpose, self.behaviour]
        for label, text in (
            ("Interfaces", self.interfaces),
            ("Parameters", self.parameters),
            ("Instances", self.instances),
            ("Concepts", ", ".join(self.concepts)),
        ):
            if text:
                parts.append(f"{label}: {text}")
        return "\n".join(part for part in parts if part)


class Location(msgspec.Struct, frozen=True):
    """A place in the repository; `str()` is the only formatter of path:line."""

    path: str
    line: int = 1
    end_line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Node(msgspec.Struct, frozen=True):
    """A graph node. `id` is `kind:path#name`, names of nested things dotted (`unit.port`).

    `text` is its comment, `detail` how it is declared: a port's direction and type, the
    conditions around an instance, the members of a type. `path` is "" where the repository
    defines nothing of that name.
    """

    id: str
    kind: str
    name: str
    path: str
    line: int
    end_line: int = 0
    text: str = ""
    origin: str = "ast"
    confidence: float = 1.0
    detail: str = ""


class Edge(msgspec.Struct, frozen=True):
    """A graph edge between node ids, with the place that states it.

    `resolved` is "unique", "candidate" (one of several definitions) or "external".
    `witnesses` names the readers that saw it, strongest first, separated by "+" ("" for what no
    reader of the source says). `trust` compares them: "agreed" (two readers or more saw it),
    "disputed" (one saw it, another that read the same unit did not), "single" (one read it).
    """

    source: str
    target: str
    kind: str
    path: str
    line: int
    text: str = ""
    origin: str = "ast"
    confidence: float = 1.0
    resolved: str = "unique"
    witnesses: str = ""
    trust: str = ""


class Unresolved(msgspec.Struct, frozen=True):
    """A name that no file of the repository defines."""

    kind: str  # module | package | include | class | macro
    name: str
    path: str
    line: int
    user: str = ""
