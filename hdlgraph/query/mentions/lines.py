"""Finds the lines of a repository that name something, in the form in which `who` lists users."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, FileRecord, Location, NodeKind
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.words import identifier_terms

DEFINES, USES = EdgeKind.DEFINES.value, EdgeKind.USES.value
INCLUDES = EdgeKind.INCLUDES.value
VISIBLE = frozenset({EdgeKind.IMPORTS.value, EdgeKind.INCLUDES.value, EdgeKind.EXTENDS.value})
FILES = 2000
"""Files that are searched for a name."""
SEEN = 4000
"""Files that may see a name, at most."""
TEXT = 160
"""Characters of a line that are shown."""
SURE, LIKELY = 0.9, 0.6
"""Confidence of a line whose scope says what a name means, and of one that it fits."""
FAR = 10_000
"""Characters of a line in which a name is looked for: longer ones nobody wrote."""
_DIRECTIVE = re.compile(r"\s*`(?:ifdef|ifndef|elsif|define|undef)\s+([A-Za-z_][\w$]*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Sources(NamedTuple):
    """Where members are looked up: the words of the index, facts of a file, texts of files."""

    lexicon: Lexicon
    facts: Callable[[str], FileRecord]
    text: Callable[[str], str]


class Line(NamedTuple):
    """A line of a file, from 1."""

    path: str
    number: int
    text: str


def use(
    graph: Graph, target: int, line: Line, words: str = "uses", *, sure: float, resolved: str
) -> dict[str, Any]:
    """Returns a line that names a node as a user, such as `who` lists."""
    user = around(graph, line.path, line.number)
    nodes = graph.nodes
    return {
        "kind": USES,
        "user": nodes.column("id")[user] if user >= 0 else "",
        "user_name": nodes.column("name")[user] if user >= 0 else line.path,
        "user_kind": nodes.column("kind")[user] if user >= 0 else "file",
        "words": words,
        "path": line.path,
        "line": line.number,
        "location": str(Location(line.path, line.number)),
        "text": " ".join(line.text.split())[:TEXT],
        "confidence": sure,
        "resolved": resolved,
        "witnesses": ["regex"],
        "trust": "single",
        "target": nodes.column("id")[target],
    }


def is_inner(graph: Graph, owner: int) -> bool:
    """Returns whether a unit is a module, interface or class, whose names stay inside."""
    kind = graph.nodes.column("kind")[owner] if owner >= 0 else ""
    return is_unit(kind) and kind != NodeKind.PACKAGE.value


def matching(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of the lines of a file that match outside of comments and strings."""
    if "/*" in text and pattern.search(text):
        text = without_comments(text)
    number, begin, counted, listed = 1, 0, 0, 0
    for found in pattern.finditer(text):
        at = found.start() + len(found[0]) - len(found[0].lstrip())
        if passed := text.count("\n", counted, at):
            number, begin = number + passed, text.rfind("\n", counted, at) + 1
        counted = at
        if number != listed and at - begin < FAR and _is_code(text[begin:at]):
            listed, end = number, text.find("\n", at, at + FAR)
            yield number, text[begin : end if end >= 0 else at + FAR]


def naming(text: str, name: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of the lines of a file that hold a name and match a pattern in code.

    A pattern that looks behind itself is slow: it is tried on the lines that hold the name alone.
    """
    if name not in text:
        return
    for number, line in matching(text, re.compile(rf"{re.escape(name)}(?![\w$])")):
        if pattern.search(line.partition("//")[0]):
            yield number, line


def tests(text: str, name: str) -> bool:
    """Returns whether a line only tests, defines or removes the macro of a name."""
    found = _DIRECTIVE.match(text)
    return found is not None and found[1] == name and text.count(name) == 1


def _is_code(before: str) -> bool:
    """Returns whether what follows on a line is code: no comment, and no string that is open.

    The name of an attribute, as of `(* keep = 1 *)`, is none of the design.
    """
    if '"' in before:
        before = _STRING.sub("", before)
    attribute = before[before.rfind("(*") :].rstrip() if "(*" in before else ""
    if attribute.endswith(("*", ",")) and "*)" not in attribute:
        return False
    return "//" not in before and '"' not in before


def seeing(graph: Graph, owner: int, home: str) -> set[str]:
    """Returns the files that import what declares a name, include its file, or extend it.

    What such a file includes stands inside of it, as classes do in a package, and sees the same;
    of a package that includes the file, so do those that import the package. What stands inside of
    the declaring unit itself sees the name too.
    """
    edges = graph.edges
    found = inside(graph, owner, home)
    open_rows = [row for row in (owner, graph.row(f"file:{home}")) if row >= 0]
    known = {*open_rows}
    while open_rows and len(found) < SEEN:
        row = open_rows.pop()
        for edge in graph.in_edges(row).tolist():
            if edges.column("kind")[edge] not in VISIBLE:
                continue
            path = edges.column("path")[edge]
            found.add(path)
            if edges.column("kind")[edge] == INCLUDES:
                further = around(graph, path, edges.column("line")[edge])
                if further >= 0 and further not in known and not is_inner(graph, further):
                    known.add(further)
                    open_rows.append(further)
    return _with_included(graph, found)


def inside(graph: Graph, owner: int, home: str) -> set[str]:
    """Returns the files that stand inside of a unit by an include, at any depth.

    Where no unit declares a name (`owner` is its file, or -1), all includes of the file count.
    """
    nodes, edges = graph.nodes, graph.edges
    first, last = 1, 0
    if owner >= 0 and is_unit(nodes.column("kind")[owner]):
        first, last = nodes.column("line")[owner], nodes.column("end_line")[owner]
    row = graph.row(f"file:{home}")
    found = {
        nodes.column("path")[edges.column("target")[edge]]
        for edge in (graph.out_edges(row).tolist() if row >= 0 else ())
        if edges.column("kind")[edge] == INCLUDES
        and first <= edges.column("line")[edge]
        and (not last or edges.column("line")[edge] <= last)
    }
    return _with_included(graph, found - {"", home}) - {home}


def scopes(graph: Graph, owner: int, home: str) -> list[str]:
    """Returns the packages that a name may stand behind: its own, else those around its file."""
    names, edges = graph.nodes.column("name"), graph.edges
    if owner >= 0 and is_unit(graph.nodes.column("kind")[owner]):
        return [names[owner]]
    found: dict[str, None] = {}
    open_rows = [graph.row(f"file:{home}")]
    known = {*open_rows}
    while open_rows and len(known) < SEEN:
        row = open_rows.pop()
        for edge in graph.in_edges(row).tolist() if row >= 0 else ():
            if edges.column("kind")[edge] != INCLUDES:
                continue
            further = around(graph, edges.column("path")[edge], edges.column("line")[edge])
            if further in known or is_inner(graph, further):
                continue
            known.add(further)
            if further >= 0 and is_unit(graph.nodes.column("kind")[further]):
                found.setdefault(names[further])
            else:
                open_rows.append(further)
    return sorted(found)


def _with_included(graph: Graph, found: set[str]) -> set[str]:
    """Returns files with all that they include, at any depth, up to SEEN."""
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    paths = graph.nodes.column("path")
    waiting = sorted(found)
    while waiting and len(found) < SEEN:
        row = graph.row(f"file:{waiting.pop()}")
        for edge in graph.out_edges(row).tolist() if row >= 0 else ():
            if kinds[edge] != INCLUDES:
                continue
            path = paths[targets[edge]]
            if path and path not in found:
                found.add(path)
                waiting.append(path)
    return found


def holding(lexicon: Lexicon, name: str) -> list[str]:
    """Returns the files whose text holds a name, by path."""
    parts, joined = identifier_terms(name.lstrip("$"))  # no word of the index begins with it
    words = [joined] if joined else list(parts)
    found: set[int] | None = None
    for word in words:
        positions = lexicon.positions(word)
        starts = lexicon.file_start
        files = set((starts.searchsorted(positions, side="right") - 1).tolist())
        found = files if found is None else found & files
    paths = lexicon.paths
    return sorted(paths[number] for number in found or () if 0 <= number < len(paths))


def owner_of(graph: Graph, row: int) -> int:
    """Returns the row of what declares a node, -1 where nothing does."""
    edges = graph.edges
    for edge in graph.in_edges(row).tolist():
        if edges.column("kind")[edge] == DEFINES:
            return int(edges.column("source")[edge])
    return -1


def around(graph: Graph, path: str, line: int) -> int:
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
