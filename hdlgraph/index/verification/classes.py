"""Reads classes out of text: what they extend, their parameters and variables, their routines.

Macros such as `uvm_component_utils` need no definition for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hdlgraph.index.verification.text import REACH, arguments, closing, plain
from hdlgraph.parsers.text.source import Source
from hdlgraph.store.design.verification import CodeClass, Member

MEMBERS = 2000
"""Variables of a class that are kept."""
_MARK = re.compile(
    r"(?:class\s+(?:automatic\s+|static\s+)?(?P<name>[A-Za-z_]\w*)|endclass"
    r"|function\b|task\b|endfunction|endtask)(?![\w$`])"
)
_ROUTINES = ("function", "task")
_NO_BODY = frozenset(("extern", "pure", "import", "export"))
_ROUTINE = re.compile(r"[^;()]{0,120}?(?:(\w+)\s*(?:#\s*\([^()]{0,100}\)\s*)?::\s*)?(\w+)\s*[(;]")
_EXTENDS = re.compile(r"\s*extends\s+((?:\w+\s*::\s*)?\w+)\s*")
_SEQUENCER = "`uvm_declare_p_sequencer("
_BLOCK = re.compile(
    r"[ftce](?<!\w.)(?:((?<=f)unction|(?<=t)ask|(?<=c)overgroup)"
    r"|(?<=e)nd(?:function|task|group)\b(?:\s*:\s*\w+)?)\b"
)
_PROTOTYPE = re.compile(r"(?:extern\b(?<!\wextern)|pure\b(?<!\wpure))[^;]{0,1000};")
_CONSTRAINT = re.compile(r"constraint(?<!\wconstraint)\s+\w+\s*\{")
_BRACE = re.compile(r"[{}]")
_MACRO = re.compile(r"`\w+(?:[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?;?")
_QUALIFIER = re.compile(
    r"(?:(?:local|protected|static|const|rand|randc|automatic|virtual|interface|var|unsigned"
    r"|signed)\b\s*)+"
)
_TYPE = re.compile(r"\s*((?:\w+\s*::\s*)*[A-Za-z_]\w*)\s*")
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)")
_ALIAS = re.compile(r"typedef\s+(?!enum\b|struct\b|union\b|class\b|interface\b)([^;{}]{1,600});")
_ALIAS_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*\Z")
_PARAMETER = re.compile(r"(?:parameter\s+)?(?:type\s+)?(?:[\w:]+\s+)*?(\w+)\s*(?:\[[^\]]*\]\s*)?\Z")


class Span(NamedTuple):
    """A class or routine in a text: offsets of its first character and of its end."""

    owner: str
    name: str
    start: int
    end: int


class Outline(NamedTuple):
    """The classes and routines of a text; `code` begins where a class or routine begins."""

    classes: tuple[Span, ...]
    routines: tuple[Span, ...]

    def around(self, offset: int) -> tuple[str, str, int]:
        """Returns (class, routine, offset where the routine begins) around an offset."""
        at = bisect_right(self.routines, offset, key=lambda one: one.start) - 1
        if at >= 0 and offset < self.routines[at].end:
            found = self.routines[at]
            return found.owner, found.name, found.start
        for one in self.classes:
            if one.start <= offset < one.end:
                return one.name, "", one.start
        return "", "", 0


def outline(source: Source) -> Outline:
    """Returns the classes and routines of a text, by place."""
    code, classes, routines = source.code, [], []
    owner, begun, routine = "", 0, None
    for found in _MARK.finditer(code):
        word, before = found[0], code[found.start() - 1 : found.start()]
        if before.isalnum() or before in ("_", "$", ".", "`", ":"):
            continue
        if found["name"]:
            if "typedef" not in _head(code, found.start()):
                owner, begun = found["name"], found.start()
        elif word in _ROUTINES:
            if not _NO_BODY.isdisjoint(_head(code, found.start())):
                continue
            head = _ROUTINE.match(code, found.end())
            name = head[2] if head else ""
            of = head[1] if head and head[1] and not owner else owner
            routine = (of or "", name, found.start())
        elif word == "endclass":
            if owner:
                classes.append(Span(owner, owner, begun, found.end()))
            owner = ""
        elif routine is not None:
            routines.append(Span(*routine, found.end()))
            routine = None
    if owner:
        classes.append(Span(owner, owner, begun, len(code)))
    return Outline(tuple(classes), tuple(routines))


def _head(code: str, at: int) -> list[str]:
    """Returns the words of a statement that stand before an offset."""
    head = code[max(0, at - 120) : at]
    return head[head.rfind(";") + 1 :].split()


def classes(source: Source, spans: tuple[Span, ...]) -> tuple[CodeClass, ...]:
    """Returns the classes of a text with what they extend, and their variables."""
    return tuple(_class(source, span) for span in spans)


def _class(source: Source, span: Span) -> CodeClass:
    """Returns a class with its parameters, its base with their values, and its members."""
    code = source.code
    at = code.index(span.name, span.start + len("class")) + len(span.name)
    parameters: tuple[tuple[str, str], ...] = ()
    gap = re.compile(r"\s*#\s*(?=\()").match(code, at)
    if gap:
        given, end = arguments(code, source.bare, gap.end())
        parameters = tuple(filter(None, map(_parameter, given)))
        at = end + 1 if end > 0 else at
    extends, head = "", _EXTENDS.match(code, at)
    if head:
        extends, at = head[1], head.end()
        if code[at : at + 1] == "#":
            opens = code.find("(", at, at + 20)
            end = closing(code, opens) if opens > 0 else -1
            if end > 0:
                extends = plain_long(source.bare[head.start(1) : end + 1])
    body = source.code[at : span.end]
    body = _without_blocks(body)
    members = (*_sequencer(source, span), *_members(source, body, at))[:MEMBERS]
    return CodeClass(
        span.name,
        source.line_of(span.start),
        source.line_of(span.end),
        extends,
        parameters,
        members,
        tuple(aliases(body)),
    )


def plain_long(text: str) -> str:
    """Returns an expression with single spaces, all of what closes."""
    return " ".join(text.split())[:REACH]


def _parameter(text: str) -> tuple[str, str] | None:
    head, _, default = text.partition("=")
    found = _PARAMETER.match(head.strip())
    return (found[1], default.strip()) if found else None


def _without_blocks(body: str) -> str:
    """Returns the body of a class with routines, covergroups, constraints, macros as blanks."""
    body = _PROTOTYPE.sub(_blank, body)
    body = _blanked(body, _routines(body))
    return _MACRO.sub(_blank, _blanked(body, _constraints(body)))


def _blanked(body: str, spans: Iterable[tuple[int, int]]) -> str:
    """Returns a text with blanks in spans that are sorted and apart; `;` where each begins."""
    pieces, done = [], 0
    for start, end in spans:
        pieces += [body[done:start], ";", _blanks(body[start + 1 : end])]
        done = end
    return "".join([*pieces, body[done:]])


def _routines(body: str) -> Iterator[tuple[int, int]]:
    begun = -1
    for found in _BLOCK.finditer(body):
        if found[1]:
            begun = found.start() if begun < 0 else begun
        elif begun >= 0:
            yield begun, found.end()
            begun = -1
    if begun >= 0:
        yield begun, len(body)


def _constraints(body: str) -> Iterator[tuple[int, int]]:
    done = 0
    for found in _CONSTRAINT.finditer(body):
        if found.start() < done:
            continue
        depth, end = 0, len(body)
        for brace in _BRACE.finditer(body, found.end() - 1):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                end = brace.end()
                break
        yield found.start(), end
        done = end


def _blank(found: re.Match[str]) -> str:
    # A block ends what stands before it, as a semicolon does.
    text = _blanks(found[0])
    return ";" + text[1:] if text else text


def _blanks(text: str) -> str:
    return "\n".join(" " * len(part) for part in text.split("\n"))


def _members(source: Source, body: str, offset: int) -> Iterator[Member]:
    start = 0
    while (end := body.find(";", start)) >= 0:
        text = body[start:end]
        begin = start + len(text) - len(text.lstrip())
        start = end + 1
        if len(text) < 5000 and not text.lstrip().startswith(("typedef", "import", "parameter")):
            yield from _declared(source, body[begin:end], offset + begin)


def _sequencer(source: Source, span: Span) -> Iterator[Member]:
    """Yields the variable `p_sequencer` that a macro of UVM declares."""
    at = source.code.find(_SEQUENCER, span.start, span.end)
    if at >= 0:
        given, _ = arguments(source.code, source.bare, at + len(_SEQUENCER) - 1)
        if given:
            yield Member("p_sequencer", given[0], source.line_of(at))


def _declared(source: Source, text: str, offset: int) -> Iterator[Member]:
    """Yields the variables that a statement of a class declares, each with its type."""
    qualifiers = _QUALIFIER.match(text)
    at = qualifiers.end() if qualifiers else 0
    head = _TYPE.match(text, at)
    if head is None or head[1] in ("localparam", "enum", "struct", "union", "event", "constraint"):
        return
    kind, at = "".join(head[1].split()), head.end()
    if text[at : at + 1] == "#":
        opens = text.find("(", at)
        end = closing(text, opens) if opens >= 0 else -1
        if end < 0:
            return
        begin = offset + head.start(1)
        kind, at = plain_long(source.bare[begin : offset + end + 1]), end + 1
    while (one := _NAME.match(text, at)) is not None:
        many = bool(one[2])
        yield Member(one[1], kind, source.line_of(offset + one.start(1)), many)
        comma = text.find(",", one.end())
        if comma < 0 or "(" in text[one.end() : comma] or "{" in text[one.end() : comma]:
            return
        at = comma + 1


def aliases(code: str) -> Iterator[tuple[str, str]]:
    """Yields the typedefs that give a type another name, as (name, type)."""
    for found in _ALIAS.finditer(code):
        name = _ALIAS_NAME.search(found[1].rstrip())
        if name and name.start():
            base = _QUALIFIER.sub("", found[1][: name.start()].strip(), count=1)
            if base:
                yield name[1], plain(base)
