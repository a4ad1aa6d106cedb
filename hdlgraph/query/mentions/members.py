"""Members of enumerations, structs and unions: where each is declared, and every line with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Field, Location, NodeKind, Type
from hdlgraph.query.design.members.typed import typed
from hdlgraph.query.mentions.chains import chains
from hdlgraph.query.mentions.holders import Holders
from hdlgraph.query.mentions.lines import (
    FILES,
    LIKELY,
    SURE,
    Line,
    Sources,
    around,
    holding,
    is_inner,
    naming,
    owner_of,
    scopes,
    seeing,
    use,
)
from hdlgraph.query.mentions.patterns import target


class Member(NamedTuple):
    """A member of the type at a row of the graph; `owner` is the row of what declares the type.

    `through` are the names that stand before it where a signal is named, () where a type is.
    """

    row: int
    owner: int
    of: Type
    field: Field
    through: tuple[str, ...] = ()


def member_of(graph: Graph, sources: Sources, row: int, name: str) -> Member | None:
    """Returns the member of a type that a name means, None where it is none or the type itself."""
    nodes = graph.nodes
    before, _, short = name.strip().replace("::", ".").rpartition(".")
    whole, path = nodes.column("name")[row], nodes.column("path")[row]
    known = typed(graph)
    if nodes.column("kind")[row] != NodeKind.TYPE.value or whole.rpartition(".")[2] == short:
        return None
    through: tuple[str, ...] = ()
    if before and before != whole.rpartition(".")[0] and not known.named(before):
        through = tuple(before.split("."))
    line = nodes.column("line")[row]
    record = sources.facts(path)
    types = [*record.types, *(one for unit in record.units for one in unit.types)]
    for one in types:
        for field in one.fields if one.line == line else ():
            if field.name == short:
                return Member(row, owner_of(graph, row), one, field, through)
    return None


def member_record(graph: Graph, member: Member) -> dict[str, Any]:
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
    of one type is of no other one. A field of a signal whose type is declared is told of that type
    alone; where the type is not known, a line is listed as a candidate.
    """
    members = list(members)
    paths = graph.nodes.column("path")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    taken = {(paths[one.row], one.field.line) for one in members}
    for one in sorted(members, key=lambda one: (not is_inner(graph, one.owner), one.row)):
        for user in _uses(graph, sources, one):
            place = (user["path"], user["line"])
            if place not in taken:
                found.setdefault(place, user)
    return [found[place] for place in sorted(found)]


def _uses(graph: Graph, sources: Sources, member: Member) -> list[dict[str, Any]]:
    found, holders = [], Holders(graph, sources.text)
    for line in _lines(graph, sources, member):
        sure = SURE if member.of.kind == "enum" else _sureness(graph, holders, member, line)
        if sure:
            resolved = "unique" if sure == SURE else "candidate"
            found.append(use(graph, member.row, line, sure=sure, resolved=resolved))
    return found


def _sureness(graph: Graph, holders: Holders, member: Member, line: Line) -> float:
    """Returns how sure a line means the field of this type: 0 where it means that of another one.

    What the names before the field are declared with tells; of other expressions it is unknown.
    """
    text, name = line.text.partition("//")[0], member.field.name
    unit, sure = around(graph, line.path, line.number), 0.0
    for words in chains(text, name):
        if member.through and not _ends(words, member.through):
            continue
        meant = holders.of(line.path, line.number, unit, words) if words else frozenset()
        if meant == frozenset({member.row}):
            return SURE
        if member.row in meant or not (meant or (words and holders.is_interface(unit, words[0]))):
            sure = LIKELY
    is_literal = not member.through and re.search(rf"(?<![\w$.]){re.escape(name)}\s*:(?!:)", text)
    if not is_literal:
        return sure
    return max(sure, _of_literal(holders, member, line, is_literal.start(), unit))


def _of_literal(holders: Holders, member: Member, line: Line, column: int, unit: int) -> float:
    """Returns how sure `name:` names this field in a pattern such as `'{name: 1}`."""
    text = target(holders.lines(line.path), line.number, column)
    if text is None:
        return 0.0
    meant = holders.of_target(line.path, line.number, unit, text)
    if meant == frozenset({member.row}):
        return SURE
    return LIKELY if not meant or member.row in meant else 0.0


def _ends(words: list[str], through: tuple[str, ...]) -> bool:
    """Returns whether names before a field are those that were asked for, or end with the last."""
    count = min(len(words), len(through))
    return count > 0 and tuple(words[-count:]) == through[-count:]


def _lines(graph: Graph, sources: Sources, member: Member) -> Iterator[Line]:
    nodes, lexicon, name = graph.nodes, sources.lexicon, member.field.name
    home, owner = nodes.column("path")[member.row], member.owner
    inner = (1, 0)  # the lines of the unit around the type, all of them where the end is 0
    seen = seeing(graph, owner, home)
    if is_inner(graph, member.owner):
        inner = (nodes.column("line")[owner], nodes.column("end_line")[owner])
    word, scoped = _patterns(member, scopes(graph, owner, home))
    for path in holding(lexicon, name)[:FILES]:
        pattern = word if path == home or path in seen else scoped
        for number, text in naming(sources.text(path), name, pattern) if pattern else ():
            if path != home or not inner[1] or inner[0] <= number <= inner[1]:
                yield Line(path, number, text)


def _patterns(member: Member, owners: list[str]) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Returns what tells a member where its type is visible, and where a scope must name it."""
    name = re.escape(member.field.name)
    if member.of.kind != "enum":
        return re.compile(rf"\.\s*{name}(?![\w$])|(?<![\w$.]){name}\s*:(?!:)"), None
    scope = "|".join(map(re.escape, owners))
    scoped = rf"(?<![\w$.])(?:{scope})\s*::\s*{name}(?![\w$])"
    word = re.compile(rf"(?<![\w$.:`]){name}(?![\w$])" + (f"|{scoped}" if owners else ""))
    return word, re.compile(scoped) if owners else None
