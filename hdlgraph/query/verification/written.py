"""Finds the lines of code that write the name of a class or virtual interface, or call a function.

`who` tells them beside the edges: type arguments, variables, typedefs, and the keys of
configuration databases, as these are the lines that change with the class.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location, NodeKind
from hdlgraph.parsers.text.source import read_source
from hdlgraph.query.mentions.lines import (
    LIKELY,
    SURE,
    TEXT,
    Line,
    Sources,
    around,
    holding,
    use,
)
from hdlgraph.query.verification.library import Library

CLASS, INTERFACE = NodeKind.CLASS.value, NodeKind.INTERFACE.value
FILES = 500
"""Files that are read for one name."""
MOST = 2000
"""Lines of one name."""
ALIASES = 20
"""Other names for a virtual interface that are looked up as well."""
CALLS = 500
"""Calls of one function that are counted."""
BACK = 2000
"""Characters before a name within which the brackets around it open."""
_NOT_USED = re.compile(
    r"(?:\bclass|\binterface|\bmodule|\bextends|\bend(?:class|interface)\s*:|`uvm_\w*utils\w*\s*\()"
    r"\s*\Z"
)
_DECLARES = re.compile(r"\b(?:function|task|import|export)\b[^;]*\Z")
_DATABASE = re.compile(r"(?:config|resource)_db\s*#\s*\([^;]{0,200}?\)\s*::\s*(set|get|read_\w+)\b")
_ALIAS = re.compile(r"\btypedef\s+virtual\b[^;]*?(\w+)\s*;")


def writing(
    graph: Graph,
    sources: Sources,
    library: Library,
    target: dict[str, Any],
    known: Collection[tuple[str, int]],
) -> list[dict[str, Any]]:
    """Returns the lines that write the name of a class or virtual interface, as users of it.

    Args:
        graph: the design graph.
        sources: the texts of the files.
        library: the classes; of several of a name each line means the nearest.
        target: a target of `who`.
        known: the lines that are told already.
    """
    row, name = graph.row(target["id"]), str(target["name"]).rpartition(".")[2]
    if row < 0 or target["kind"] not in (CLASS, INTERFACE):
        return []
    lines = (
        _of_class(sources, library, target, name)
        if target["kind"] == CLASS
        else _of_interface(sources, name)
    )
    sure = SURE if len(graph.ending(name)) == 1 else LIKELY
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for words, line in islice(lines, MOST):
        place = (line.path, line.number)
        if place not in known and place not in found:
            resolved = "unique" if sure == SURE else "candidate"
            found[place] = use(graph, row, line, words, sure=sure, resolved=resolved)
    return sorted(found.values(), key=lambda one: (one["words"], one["path"], one["line"]))


def callers(graph: Graph, sources: Sources, name: str) -> list[dict[str, Any]]:
    """Returns the calls of a function in SystemVerilog, by path and line, each with its unit."""
    call = re.compile(rf"(?<![\w$.]){re.escape(name)}\s*\(")
    names, kinds = graph.nodes.column("name"), graph.nodes.column("kind")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in holding(sources.lexicon, name)[:FILES]:
        text = sources.text(path)
        if name not in text:
            continue
        source = read_source(text.encode())
        lines = source.bare.split("\n")
        for match in call.finditer(source.code):
            head = source.code[max(0, match.start() - 600) : match.start()]
            line = source.line_of(match.start())
            if _DECLARES.search(head[head.rfind(";") + 1 :]) or len(found) >= CALLS:
                continue
            row = around(graph, path, line)
            found.setdefault(
                (path, line),
                {
                    "unit": names[row] if row >= 0 else "",
                    "kind": kinds[row] if row >= 0 else "",
                    "text": " ".join(lines[line - 1].split())[:TEXT],
                    "location": str(Location(path, line)),
                },
            )
    return list(found.values())


def _of_class(
    sources: Sources, library: Library, target: dict[str, Any], name: str
) -> Iterator[tuple[str, Line]]:
    """Yields the lines outside of a class that write its name and mean this class."""
    inside = re.compile(rf"(?<![\w$.`]){re.escape(name)}(?![\w$])")
    own = [one for one in library.named(name) if one.path == target["path"]]
    if not own:
        return
    ends = {one.row: library.rows[one.row][1].end_line for one in own}
    for path in holding(sources.lexicon, name)[:FILES]:
        if library.meant(name, path).row not in ends:
            continue
        for at, line, code in _found(sources, path, inside):
            if any(
                path == one.path and one.line <= line.number <= ends[one.row]
                for one in own
                if not _argument(code, at)
            ):
                continue
            words = _words(code, at, at + len(name))
            if words:
                yield words, line


def _of_interface(sources: Sources, name: str) -> Iterator[tuple[str, Line]]:
    names = [(name, rf"\bvirtual\s+(?:interface\s+)?(?:\w+\s*::\s*)?{re.escape(name)}(?![\w$])")]
    known = {name}
    for written, form in names:
        pattern = re.compile(form)
        for path in holding(sources.lexicon, written)[:FILES]:
            for at, line, code in _found(sources, path, pattern):
                head = code[max(0, code.rfind(";", 0, at) + 1) : at + 400]
                alias = _ALIAS.search(head)
                if alias and alias[1] not in known and len(known) <= ALIASES and written == name:
                    known.add(alias[1])
                    names.append((alias[1], rf"(?<![\w$.]){re.escape(alias[1])}(?![\w$])"))
                if written == name or not alias:
                    end = at + len(pattern.match(code, at)[0])  # type: ignore[index]
                    words = _words(code, at, end)
                    if words:
                        yield words, line


def _found(
    sources: Sources, path: str, pattern: re.Pattern[str]
) -> Iterator[tuple[int, Line, str]]:
    """Yields (offset, line, code of the file) of what matches outside of comments and strings."""
    text = sources.text(path)
    if not pattern.search(text):
        return
    source = read_source(text.encode())
    lines = source.bare.split("\n")
    for found in islice(pattern.finditer(source.code), MOST):
        number = source.line_of(found.start())
        yield found.start(), Line(path, number, lines[number - 1]), source.code


def _words(code: str, at: int, end: int) -> str:
    """Returns what code does with a name between two offsets, "" where it only declares it."""
    begin = max(code.rfind(";", max(0, at - BACK), at) + 1, at - BACK, 0)
    before, after = code[begin:at], code[end : end + 200]
    if _NOT_USED.search(before) and not _argument(code, at):
        return ""
    for database in _DATABASE.finditer(code, max(begin, at - 200), end + 200):
        if database.start() <= at <= database.end():
            return "sets in config_db" if database[1] == "set" else "gets from config_db"
    if _argument(code, at):
        return "gives as a type"
    if re.search(r"\btypedef\b", before):
        return "has a typedef of"
    if re.match(r"\s*::", after):
        return "" if re.search(r"\b(?:function|task)\b", before) else "calls"
    if re.match(r"\s*(?:#\s*\([^;]*?\))?\s*[A-Za-z_]\w*\s*(?:[;=,)\[]|\Z)", after):
        return "has a variable of"
    return "names"


def _argument(code: str, at: int) -> bool:
    """Returns whether what stands at an offset is given to a parameter: in `#(...)`."""
    depth = 0
    for place in range(at - 1, max(-1, at - BACK), -1):
        sign = code[place]
        if sign == ";":
            return False
        if sign == ")":
            depth += 1
        elif sign == "(" and depth:
            depth -= 1
        elif sign == "(":
            before = code[max(0, place - 100) : place].rstrip()
            if before.endswith("#"):
                return True
            if not re.search(r"\.\s*\w+\Z", before):
                return False
    return False
