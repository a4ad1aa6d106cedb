"""Finds the macros that a file defines and uses in its text, before any reader reads it."""

from __future__ import annotations

import re

import msgspec

from hdlgraph.parsers.text.directives import DIRECTIVES
from hdlgraph.parsers.text.source import Source, read_source, without_comments

MOST = 5_000
"""Macros that are kept of one file, of those it defines and of those it uses."""
MOST_BYTES = 2_000_000
"""Larger files, which programs write, neither hand macros to others nor take any."""
TEXT_CHARS = 40_000
"""A macro with a longer text is not handed to other files."""
PASTED = "*"
"""What ends the name of a macro that the text pastes together, as `` `get_``name``_width ``."""
CODE, NAME, VALUE = "code", "name", "value"
_DEFINE = re.compile(r"^[ \t]*`define[ \t]+(([A-Za-z_]\w*)(?:\\\r?\n|[^\n])*)", re.MULTILINE)
_UNDEF = re.compile(r"`undef[ \t]+([A-Za-z_]\w*)")
_ASKED = re.compile(rb"`(?:ifdef|ifndef|elsif)[ \t]+([A-Za-z_]\w*)")
_USED = re.compile(rb"`(?<!``)([A-Za-z_]\w*)")
_UNIT = re.compile(
    rb"^[ \t]*(?:\(\*[^\n]*\*\)[ \t]*)?"
    rb"(?:module|macromodule|interface|program|package|bind)[ \t\r\n]",
    re.MULTILINE,
)
_INNER = re.compile(r"(?<!`)`([A-Za-z_]\w*)(``)?")
_BUILT = re.compile(
    r"\b(?:input|output|inout|ref|wire|logic|reg|bit|byte|int|integer|genvar|typedef|struct|enum"
    r"|localparam|parameter|assign|always\w*|initial|import|begin|generate)\b|;"
)
_NAME = re.compile(r"[A-Za-z_][\w$]*(?:::[A-Za-z_][\w$]*)?(?:\s*\[[^\[\]]*\])*(?:\s*#\s*\(.*)?")
_FORMALS = re.compile(r"\(([^)]*)\)")


class Definition(msgspec.Struct, frozen=True, array_like=True):
    """A macro as one file defines it: its text from the name on, "" where others cannot take it.

    `uses` are the macros in its text, a name ending in `PASTED` where only its beginning is
    known. `means` is what it stands for: `CODE` (a declaration, a
    port, an instance or a statement), `NAME` (of a unit or type, or of a value), or `VALUE`.
    """

    name: str
    text: str
    line: int
    uses: tuple[str, ...]
    means: str

    @property
    def key(self) -> str:
        """Returns the text that equals that of another definition where both mean the same."""
        return " ".join(_joined(without_comments(self.text)).split())


class MacroScan(msgspec.Struct, frozen=True, array_like=True):
    """What a file says of macros: those it defines, uses, takes back and asks for in an `ifdef.

    `has_units` says whether the text seems to hold a module, interface, program or package.
    """

    defines: tuple[Definition, ...] = ()
    uses: frozenset[str] = frozenset()
    undefines: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    has_units: bool = False


def scan_macros(data: bytes) -> MacroScan:
    """Returns what the bytes of a file say of macros; comments count where only uses are sought."""
    if len(data) > MOST_BYTES or b"`" not in data:
        return MacroScan()
    uses = {name.decode("ascii") for name in set(_USED.findall(data))} - DIRECTIVES
    asked = {name.decode("ascii") for name in _ASKED.findall(data)}
    defines: tuple[Definition, ...] = ()
    undefines: set[str] = set()
    if b"`define" in data or b"`undef" in data:
        source = read_source(data)
        found = list(_DEFINE.finditer(_continued(source)))[:MOST]
        defines = tuple(_definition(one, source) for one in found)
        undefines = set(_UNDEF.findall(source.bare))
    return MacroScan(
        defines,
        frozenset(sorted(uses)[:MOST]),
        frozenset(undefines),
        frozenset(sorted(asked)[:MOST]),
        _UNIT.search(data) is not None,
    )


def _joined(text: str) -> str:
    """Returns a text whose lines are continued as one line."""
    return text.replace("\\\r\n", " ").replace("\\\n", " ")


def _continued(source: Source) -> str:
    """Returns the text without comments, and with what continues the lines of each comment."""
    if not any("\\\n" in one.text for one in source.comments):
        return source.bare
    bare: list[str] = []
    done = 0
    for one in source.comments:
        begin = one.start
        while (at := source.text.find("\\\n", begin, one.start + len(one.text))) >= 0:
            bare += (source.bare[done:at], "\\")
            begin = done = at + 1
    return "".join((*bare, source.bare[done:]))


def _definition(match: re.Match[str], source: Source) -> Definition:
    name, line = match[2], source.line_of(match.start(1))
    text = source.text[match.start(1) : match.end(1)]
    text = text.rstrip(" \t\r\n\f\v\\")  # a last line may be continued by nothing
    body = without_comments(text)[len(name) :]
    formals: set[str] = set()
    if body[:1] == "(" and (listed := _FORMALS.match(body)):
        formals = {one.partition("=")[0].strip() for one in listed[1].split(",")}
        body = body[listed.end() :]
    if len(text) > TEXT_CHARS or "`include" in text:
        return Definition(name, "", line, (), VALUE)
    inner = {one + (PASTED if more else "") for one, more in _INNER.findall(match[1])}
    uses = sorted(inner - DIRECTIVES - formals)
    plain = " ".join(_joined(body).split())
    means = CODE if _BUILT.search(body) else NAME if _NAME.fullmatch(plain) else VALUE
    return Definition(name, text, line, tuple(uses), means)
