"""All that one file says: the record that a reader returns and the cache of facts keeps."""

from __future__ import annotations

from enum import StrEnum

from hdlgraph.model.flow import Said
from hdlgraph.model.unit import Bind, Fact, Parameter, Routine, Sighting, Type, Unit

RTL_SUFFIXES = (".v", ".sv", ".vh", ".svh", ".vp", ".svp", ".svi", ".vams")
"""What the names of Verilog and SystemVerilog files end with, unless settings say otherwise."""


class Role(StrEnum):
    """What a file is for; ranking and filters use it."""

    RTL = "rtl"
    TESTBENCH = "testbench"
    FORMAL = "formal"
    PACKAGE = "package"
    INCLUDE = "include"
    GENERATED = "generated"
    VENDORED = "vendored"


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
    the branches of its `ifdefs, of which some readers see only those that are taken; `conditions`
    says what each of them asks for. `expanded`: lines where a macro may stand for code, which
    tree-sitter cannot see; known where it read. `flows`: what drives and reads the signals of each
    unit (see `hdlgraph.model.flow`), encoded. `said`: the messages that checks report.
    `borrowed`: macros that the file uses for more than a value, and neither defines nor includes;
    their meaning is taken from the definition on which all of the repository agrees.
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
    conditions: tuple[str, ...] = ()
    flows: tuple[tuple[str, int, bytes], ...] = ()  # unit, line, its `Flow`; not in facts.msgpack
    said: tuple[Said, ...] = ()  # not in facts.msgpack
    borrowed: tuple[tuple[str, str], ...] = ()  # (macro, path of the file that defines it)
