"""Names that cross from one repository to another: used in one, defined in the next, or in both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import FileRecord, NodeKind
from hdlgraph.query.design.joined import ports_of
from hdlgraph.query.design.names import is_unit, place

IDENTICAL, ALIKE, OTHER, UNREAD = "identical", "same code", "differs", "not compared"
"""How two definitions of a name compare: files of the same content, the same code but for comments
and white space, another code; a text could not be read."""
FILE, MACRO = NodeKind.FILE.value, NodeKind.MACRO.value
_SKIPPED = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
_WORD = re.compile(r"\w+|\S")


def definitions(graph: Graph, name: str, kind: str) -> list[int]:
    """Returns the rows of what defines a name that another repository uses, by path and line.

    Args:
        graph: of the repository that may define it.
        name: as it is used there.
        kind: of the node that stands for it there; a unit may be one of another kind.
    """
    ids, kinds = graph.nodes.column("id"), graph.nodes.column("kind")
    paths, lines = graph.nodes.column("path"), graph.nodes.column("line")
    names = graph.nodes.column("name")

    def fits(row: int) -> bool:
        if not paths[row]:
            return False
        if kind == FILE:
            return kinds[row] == FILE and f"/{names[row]}".endswith(f"/{name}")
        same = kinds[row] == kind or (is_unit(kind) and is_unit(kinds[row]))
        return same and names[row] == name

    found = (row for row in graph.ending(name) if fits(row))
    return sorted(found, key=lambda row: (paths[row], lines[row], ids[row]))


def outside(value: Any) -> Iterator[dict[str, Any]]:
    """Yields the objects of an answer that stand for what the repository does not define."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get("path") == "" and one.get("id") and one.get("name") and one.get("kind"):
                yield one
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one


def connected(record: FileRecord, unit: str, line: int) -> frozenset[str] | None:
    """Returns the ports that the instances of a unit on a line connect by name; None for none.

    Args:
        record: the facts of the file.
        unit: the instantiated unit.
        line: where the graph says that it is, 1-based.
    """
    found: set[str] = set()
    for around in record.units:
        for one in around.instances:
            if one.unit == unit and one.line <= line <= max(one.end_line, one.line):
                found |= {each.port for each in one.connections} - {"", "*"}
    return frozenset(found) or None


def port_names(graph: Graph, row: int) -> frozenset[str]:
    """Returns the names of a unit's ports."""
    names = graph.nodes.column("name")
    return frozenset(names[port].rpartition(".")[2] for port in ports_of(graph, row))


def code_of(text: str, line: int, end_line: int) -> tuple[str, ...]:
    """Returns the words of some lines of a text, without comments and white space."""
    lines = text.split("\n")[max(line - 1, 0) : end_line or None]

    def kept(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else " "

    return tuple(_WORD.findall(_SKIPPED.sub(kept, "\n".join(lines))))


def named(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of the units, macros and files that a graph defines, by their name.

    That of a file is the last part of its path.
    """
    kinds, paths = graph.nodes.column("kind"), graph.nodes.column("path")
    found: dict[str, list[int]] = {}
    for row, name in enumerate(graph.nodes.column("name")):
        kind = kinds[row]
        if paths[row] and (kind in (FILE, MACRO) or is_unit(kind)):
            found.setdefault(name.rpartition("/")[2] if kind == FILE else name, []).append(row)
    return found


def missing(graph: Graph) -> dict[tuple[str, str], list[Any]]:
    """Returns the uses of what a graph does not define, by (kind, name)."""
    found: dict[tuple[str, str], list[Any]] = {}
    for one in graph.unresolved:
        found.setdefault((one.kind, one.name), []).append(one)
    return found


def fits_kind(graph: Graph, row: int, kind: str, name: str) -> bool:
    """Returns whether a node may be what an unresolved name of a kind means."""
    of = graph.nodes.column("kind")[row]
    if kind == "include":
        return of == FILE and f"/{graph.nodes.column('name')[row]}".endswith(f"/{name}")
    if kind == "macro":
        return of == MACRO
    if kind in ("package", "class"):
        return of == kind
    return is_unit(of) and of not in ("package", "class")


def with_repository(value: Any, repository: str) -> Any:
    """Returns an answer whose objects with a place name their repository too."""
    if isinstance(value, dict):
        named = {key: with_repository(one, repository) for key, one in value.items()}
        if named.get("location"):
            named["repository"] = repository
        return named
    if isinstance(value, list | tuple):
        return [with_repository(one, repository) for one in value]
    return value


def node_record(graph: Graph, row: int, repository: str) -> dict[str, Any]:
    """Returns a node's place in its repository."""
    return {**place(graph, row), "repository": repository}


def where(one: Mapping[str, Any]) -> str:
    """Returns a place as people read it: `repository:path:line`."""
    return f"{one['repository']}:{one['location']}"


def listed(places: Iterable[Mapping[str, Any]], most: int = 8) -> str:
    """Returns places in words, the first ones where there are many."""
    all_of_them = [where(one) for one in places]
    more = len(all_of_them) - most
    return ", ".join(all_of_them[:most]) + (f" and {more} more" if more > 0 else "")
