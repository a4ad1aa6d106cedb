"""What the names in quoted lines stand for: the constant, macro, type or field that defines them.

A name may be defined elsewhere in its own file or in a package or header of the repository.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import in_turn, kept, rows_by
from hdlgraph.model import NodeKind
from hdlgraph.model.paths import shared_folders
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.words import terms

LONG = 30  # lines of a type that is shown whole
CHECKS = 8  # lines that check the members of a constant
_NAME = re.compile(r"(?<![\w$.'])(`?[A-Za-z_][\w$]*)(?![\w$])")
_FIELD = re.compile(r"(?<=\.)([A-Za-z_]\w*)")
_MACRO = re.compile(r"\s*`define\s+\w+(?:\(|.*\\\s*$|\s*(?://.*)?$)")
"""A macro with arguments, of several lines or without a value, which explains nothing."""
_MEMBER = re.compile(r"(?<=[{,])\s*([A-Za-z_]\w*)\s*:(?!:)")
_CHECK = re.compile(r"\bassert\b|\$(?:error|fatal)\b")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r"(?<![\w$.'])(?:localparam|parameter)\b")
WIRED = frozenset({NodeKind.TYPE.value, NodeKind.INTERFACE.value})
"""Kinds that say which wires a port has."""
OPENED = frozenset({NodeKind.PARAMETER.value, NodeKind.MACRO.value}) | WIRED
PACKAGED = frozenset({NodeKind.PARAMETER.value, NodeKind.TYPE.value})


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that define a name, and how much they are wanted."""

    path: str
    line: int
    end_line: int
    name: str
    worth: float


def add_meanings(
    page: FactPage, graph: Graph, files: Sequence[str], most: int, types: bool
) -> bool:
    """Adds the lines that define names of the lines shown so far; returns whether there are any.

    Args:
        page: the answer so far, with the lines that it shows.
        graph: the design graph.
        files: of whose shown lines the names are looked up.
        most: lines that may be added.
        types: whether structures are opened too, not constants alone.
    """
    used: dict[str, Counter[str]] = {path: _used(page, path) for path in files}
    places = _outside(page, graph, used, types)
    for path, names in used.items():
        places += _inside(page, path, names)
    chosen: set[tuple[str, int]] = set()
    for place in sorted(places, key=lambda one: (-one.worth, one.path, one.line)):
        lines = {*_lines(page, place), *_checks(page, place)}
        fresh = {one for one in lines if one not in page.shown} - chosen
        if fresh and len(chosen | fresh) <= most:
            chosen |= lines
    if not chosen:
        return False
    page.add()
    page.add("Defined in:")
    for path in sorted({path for path, _ in chosen}):
        page.code(path, page.source(path), sorted(n for where, n in chosen if where == path))
    return True


def _lines(page: FactPage, place: Place) -> Iterable[tuple[str, int]]:
    """Yields the lines of a definition with a comment line directly above it."""
    lines = page.source(place.path).lines
    if place.line <= len(lines) and _MACRO.match(lines[place.line - 1]):
        return
    start, end = _ends(page, place.path, place.line, place.end_line, place.name)
    first, last = start, min(end, start + LONG, len(lines))
    while first > 1 and start - first < 2 and lines[first - 2].strip().startswith("//"):
        first -= 1
    for number in range(first, last + 1):
        if lines[number - 1].strip():
            yield place.path, number


def _ends(page: FactPage, path: str, line: int, end: int, name: str) -> tuple[int, int]:
    """Returns the first and last line of a definition as its file is now."""
    one = page.outline(path, line).declarations.get(name)
    structured = one is not None and "'{" in one.text[:200]
    if one is not None and (one.kind == "typedef" or (structured and one.line == line)):
        return one.line, one.end_line
    return line, max(end, line)


def _checks(page: FactPage, place: Place) -> Iterator[tuple[str, int]]:
    """Yields the lines that check the members of a structured constant."""
    one = page.outline(place.path, place.line).declarations.get(place.name)
    members = _MEMBER.findall(one.text) if one is not None and one.line == place.line else []
    if not members:
        return
    member = re.compile(rf"\.(?:{'|'.join(map(re.escape, members))})(?![\w$])")
    lines = page.source(place.path).bare
    found = [n for n, line in enumerate(lines, 1) if _CHECK.search(line) and member.search(line)]
    yield from ((place.path, number) for number in found[:CHECKS])


def _used(page: FactPage, path: str) -> Counter[str]:
    """Returns the names in the shown lines of a file, with how often they stand there."""
    source = page.source(path)
    found: Counter[str] = Counter()
    for where, number in page.shown:
        if where == path and number <= len(source.lines) and not source.is_comment(number):
            code = _STRING.sub("", source.bare[number - 1].partition("//")[0])
            found.update(_NAME.findall(code))
    return Counter({n: c for n, c in found.items() if n not in KEYWORDS})


def _worth(page: FactPage, name: str, count: int) -> float:
    asked = sum(term in page.terms for term in dict.fromkeys(terms(name)))
    return 2.0 * asked + min(count, 4) / 4


def _inside(page: FactPage, path: str, names: Counter[str]) -> list[Place]:
    """Returns the constants, macros and enumerations of a file among some names."""
    found: list[Place] = []
    outline = page.outline(path)
    quoted = {number for where, number in page.shown if where == path}
    for name, count in names.items():
        one = outline.declarations.get(name)
        if one is None or one.line in quoted:
            continue
        constant = one.kind == "declaration" and one.word in ("localparam", "parameter")
        if (constant or one.members) and one.end_line - one.line < LONG:
            line = one.line
            if constant and one.end_line > one.line:
                line = _line_of(page, path, one.line, one.end_line, name)
                found.append(Place(path, line, line, name, _worth(page, name, count)))
                continue
            found.append(Place(path, line, one.end_line, name, _worth(page, name, count)))
    for number, text in enumerate(page.source(path).bare, 1):
        macro = re.match(r"\s*`define\s+([A-Za-z_]\w*)(?!\()[ \t]+\S", text)
        if macro and f"`{macro[1]}" in names and number not in quoted:
            worth = _worth(page, macro[1], names[f"`{macro[1]}"])
            found.append(Place(path, number, number, macro[1], worth))
    return found


def _line_of(page: FactPage, path: str, first: int, last: int, name: str) -> int:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    lines = page.source(path).lines
    return next((n for n in range(first, last + 1) if word.search(lines[n - 1])), first)


def _outside(
    page: FactPage, graph: Graph, used: dict[str, Counter[str]], types: bool
) -> list[Place]:
    """Returns where packages and headers define some names of the shown lines."""
    wanted: dict[str, str] = {}
    for path, names in used.items():
        known = page.outline(path).declarations
        for name in names:
            if name not in known:
                wanted.setdefault(name.lstrip("`"), path)
    offers: dict[str, list[Place]] = {}
    columns = [graph.nodes.column(c) for c in ("kind", "path", "line", "end_line", "name", "id")]
    for row in in_turn(_defining(graph), wanted):
        kind, path, line, end, name, id_ = (column[row] for column in columns)
        short = _short(name)
        user = wanted[short]
        if path == user or (kind in WIRED and not types):
            continue
        owner = id_.rsplit("#", 1)[-1].rpartition(".")[0]
        text = page.source(user).text
        written = f"`{short}" if kind == NodeKind.MACRO.value else short
        if written not in used[user]:
            continue
        if kind in PACKAGED and not _reaches(text, owner, path):
            continue
        worth = _worth(page, short, used[user][written]) + (0.5 if kind in WIRED else 0.0)
        offers.setdefault(short, []).append(Place(path, line, end, short, worth))
    return [
        min(found, key=lambda one: (
            not of_design(one.path), -shared_folders(one.path, wanted[name]), one.path,
        ))
        for name, found in offers.items()
    ]  # fmt: skip


@kept
def _defining(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of what may be opened, by its name without what it stands in."""
    columns = [graph.nodes.column(c) for c in ("kind", "path", "name")]
    found = enumerate(zip(*columns, strict=True))
    return rows_by((row, _short(name)) for row, (kind, path, name) in found
                   if path and kind in OPENED)  # fmt: skip


def _short(name: str) -> str:
    return name.rpartition(".")[2].rpartition("::")[2]


def _reaches(text: str, owner: str, path: str) -> bool:
    """Returns whether a file names a package or includes the header that declares a name."""
    name = path.rpartition("/")[2]
    return bool(
        (owner and owner in text and re.search(rf"(?<![\w$]){re.escape(owner)}\s*::", text))
        or (name in text and f'"{name}"' in text.replace("/", '"'))
    )


def add_fields(page: FactPage, graph: Graph, values: Collection[str], most: int) -> bool:
    """Adds the lines of packages that give or check the members which some values name.

    A parameter that is set to `Cfg.Entries` gets its value where a package writes `Entries:`.
    """
    fields = {field for value in values for field in _FIELD.findall(value)}
    fields |= {value.strip() for value in values if re.fullmatch(r"\s*[A-Za-z_]\w*\s*", value)}
    if not fields:
        return False
    columns = [graph.nodes.column(c) for c in ("kind", "path", "detail")]
    word = re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(fields)))})(?![\w$])")
    paths = {
        path
        for kind, path, detail in zip(*columns, strict=True)
        if path and kind == NodeKind.TYPE.value and detail and word.search(detail)
    }
    added = False
    for path in sorted(paths, key=lambda one: (not of_design(one), one))[:2]:
        source = page.source(path)
        lines = source.lines
        found = [n for n, line in enumerate(source.bare, 1)
                 if word.search(line.partition("//")[0]) and not source.is_comment(n)]  # fmt: skip
        near = {m for n in found[:most] for m in range(n - 2, n + 3) if _alike(lines, n, m)}
        fresh = sorted(n for n in near if (path, n) not in page.shown)
        if fresh:
            page.add()
            page.code(path, page.source(path), fresh)
            added = True
    return added


def _alike(lines: Sequence[str], one: int, other: int) -> bool:
    """Returns whether two neighbouring lines say the same kind of thing, such as fields."""
    if not 1 <= other <= len(lines):
        return False
    shapes = [re.findall(r"[^\w\s\d]", lines[n - 1].partition("//")[0])[-1:] for n in (one, other)]
    first = [lines[n - 1].split()[:1] for n in (one, other)]
    return one == other or (shapes[0] == shapes[1] != [] and bool(first[1]))
