"""Members of enumerations, structs and unions: where each is declared, and every line with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Field, FileRecord, Location, NodeKind, Type
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.words import identifier_terms

DEFINES, USES = EdgeKind.DEFINES.value, EdgeKind.USES.value
VISIBLE = frozenset({EdgeKind.IMPORTS.value, EdgeKind.INCLUDES.value, EdgeKind.EXTENDS.value})
FILES = 400
"""Files that are searched for a member."""
TEXT = 160
"""Characters of a line that are shown."""
SURE, LIKELY = 0.9, 0.6
"""Confidence of a line with the name of an enumeration, and of one with a field of that name."""


class Sources(NamedTuple):
    """Where members are looked up: the words of the index, facts of a file, texts of files."""

    lexicon: Lexicon
    facts: Callable[[str], FileRecord]
    text: Callable[[str], str]


class Member(NamedTuple):
    """A member of the type at a row of the graph; `owner` is the row of what declares the type."""

    row: int
    owner: int
    of: Type
    field: Field


def member_of(graph: Graph, sources: Sources, row: int, name: str) -> Member | None:
    """Returns the member of a type that a name means, None where it is none or the type itself."""
    nodes = graph.nodes
    before, _, short = name.strip().replace("::", ".").rpartition(".")
    whole, path = nodes.column("name")[row], nodes.column("path")[row]
    if nodes.column("kind")[row] != NodeKind.TYPE.value or whole.rpartition(".")[2] == short:
        return None
    owned = whole.rpartition(".")[0]
    if before and before not in (whole, whole.rpartition(".")[2], owned):
        return None  # another type, or another package, is named before it
    line = nodes.column("line")[row]
    record = sources.facts(path)
    types = [*record.types, *(one for unit in record.units for one in unit.types)]
    for one in types:
        for field in one.fields if one.line == line else ():
            if field.name == short:
                return Member(row, _owner(graph, row), one, field)
    return None


def told(graph: Graph, member: Member) -> dict[str, Any]:
    """Returns what is known of a member: its name, type or value, width, place and comment."""
    path = graph.nodes.column("path")[member.row]
    field = member.field
    return {
        "name": field.name,
        "type": field.type,
        "width": field.width,
        "comment": field.comment,
        "path": path,
        "line": field.line,
        "location": str(Location(path, field.line)),
    }


def uses_of_all(graph: Graph, sources: Sources, members: Iterable[Member]) -> list[dict[str, Any]]:
    """Returns the lines that name members of one name, as `who` lists users, by path and line.

    Looked at are the unit around a type, or what imports or includes it; a line inside of the unit
    of one type is of no other one. A field is told by its name alone: of two structs with one
    field the lines of both are listed.
    """
    members = list(members)
    paths = graph.nodes.column("path")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    taken = {(paths[one.row], one.field.line) for one in members}
    for one in sorted(members, key=lambda one: (not _is_inner(graph, one), one.row)):
        for use in _uses(graph, sources, one):
            place = (use["path"], use["line"])
            if place not in taken:
                found.setdefault(place, use)
    return [found[place] for place in sorted(found)]


def _is_inner(graph: Graph, member: Member) -> bool:
    """Returns whether a type is declared in a module, interface or class."""
    kind = graph.nodes.column("kind")[member.owner] if member.owner >= 0 else ""
    return is_unit(kind) and kind != NodeKind.PACKAGE.value


def _uses(graph: Graph, sources: Sources, member: Member) -> list[dict[str, Any]]:
    found = []
    is_enum = member.of.kind == "enum"
    for path, line, text in _lines(graph, sources, member):
        user = _around(graph, path, line)
        nodes = graph.nodes
        found.append(
            {
                "kind": USES,
                "words": "uses",
                "user": nodes.column("id")[user] if user >= 0 else "",
                "user_name": nodes.column("name")[user] if user >= 0 else path,
                "user_kind": nodes.column("kind")[user] if user >= 0 else "file",
                "path": path,
                "line": line,
                "location": str(Location(path, line)),
                "text": " ".join(text.split())[:TEXT],
                "confidence": SURE if is_enum else LIKELY,
                "resolved": "unique" if is_enum else "candidate",
                "witnesses": ["regex"],
                "trust": "single",
                "target": nodes.column("id")[member.row],
            }
        )
    return found


def _lines(graph: Graph, sources: Sources, member: Member) -> Iterator[tuple[str, int, str]]:
    nodes, lexicon, name = graph.nodes, sources.lexicon, member.field.name
    home, owner = nodes.column("path")[member.row], member.owner
    inner = (1, 0)  # the lines of the unit around the type, all of them where the end is 0
    seen = _seeing(graph, owner, home)
    if _is_inner(graph, member):
        inner = (nodes.column("line")[owner], nodes.column("end_line")[owner])
    word, scoped = _patterns(member, nodes.column("name")[owner] if owner >= 0 else "")
    for path in _holding(lexicon, name)[:FILES]:
        pattern = word if path == home or path in seen else scoped
        for number, text in _matching(sources.text(path), pattern) if pattern else ():
            if path != home or not inner[1] or inner[0] <= number <= inner[1]:
                yield path, number, text


def _matching(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of the lines of a file that match outside of comments."""
    if not pattern.search(text):
        return
    if "/*" in text:
        text = without_comments(text)
    for number, line in enumerate(text.split("\n"), 1):
        found = pattern.search(line)
        if found and "//" not in line[: found.start()]:
            yield number, line


def _patterns(member: Member, owner: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Returns what tells a member where its type is visible, and where a scope must name it."""
    name = re.escape(member.field.name)
    if member.of.kind != "enum":
        return re.compile(rf"\.\s*{name}(?![\w$])|(?<![\w$.]){name}\s*:(?!:)"), None
    scope = re.escape(owner)
    scoped = rf"(?<![\w$.]){scope}\s*::\s*{name}(?![\w$])"
    word = re.compile(rf"(?<![\w$.:`]){name}(?![\w$])|{scoped}")
    return word, re.compile(scoped) if owner else None


def _seeing(graph: Graph, owner: int, home: str) -> set[str]:
    """Returns the files that import what declares a type, include its file, or extend it."""
    edges, found = graph.edges, set()
    for row in (owner, graph.row(f"file:{home}")):
        for edge in graph.in_edges(row).tolist() if row >= 0 else ():
            if edges.column("kind")[edge] in VISIBLE:
                found.add(edges.column("path")[edge])
    return found


def _holding(lexicon: Lexicon, name: str) -> list[str]:
    """Returns the files whose text holds a name, by path."""
    parts, joined = identifier_terms(name)
    words = [joined] if joined else list(parts)
    found: set[int] | None = None
    for word in words:
        positions = lexicon.positions(word)
        starts = lexicon.file_start
        files = set((starts.searchsorted(positions, side="right") - 1).tolist())
        found = files if found is None else found & files
    paths = lexicon.paths
    return sorted(paths[number] for number in found or () if 0 <= number < len(paths))


def _owner(graph: Graph, row: int) -> int:
    edges = graph.edges
    for edge in graph.in_edges(row).tolist():
        if edges.column("kind")[edge] == DEFINES:
            return int(edges.column("source")[edge])
    return -1


def _around(graph: Graph, path: str, line: int) -> int:
    """Returns the row of the innermost unit around a line, else of its file."""
    nodes, file = graph.nodes, graph.row(f"file:{path}")
    best, height = file, 0
    for edge in graph.out_edges(file).tolist() if file >= 0 else ():
        row = graph.edges.column("target")[edge]
        first, last = nodes.column("line")[row], nodes.column("end_line")[row]
        is_inside = first <= line <= last and is_unit(nodes.column("kind")[row])
        if is_inside and (not height or last - first < height):
            best, height = int(row), last - first
    return best
