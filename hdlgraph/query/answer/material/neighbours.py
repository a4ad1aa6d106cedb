"""Where the graph finds what the shown pieces of a file speak of but another file declares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import in_turn, kept, rows_by
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import UNIT_KINDS
from hdlgraph.model.paths import shared_folders
from hdlgraph.parsers.text.directives import includes_of
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.query.answer.material.pieces import FilePieces, Piece

DECLARING = frozenset(
    str(kind) for kind in (NodeKind.TYPE, NodeKind.PARAMETER, NodeKind.FUNCTION, NodeKind.TASK)
)
UNITS = frozenset(map(str, UNIT_KINDS))
USING = frozenset(map(str, (EdgeKind.INSTANTIATES, EdgeKind.BINDS)))
LISTS = frozenset(["ports", "parameters"])
"""Kinds of pieces that are groups of lines without statements of their own."""
PACKAGE, HEADER = "package", "header"
PER_FILE = 2  # places of a file that instantiate the same
LONGEST = 24  # lines of a declaration that is shown whole
_PACKAGE = re.compile(r"\b([A-Za-z_]\w*)\s*::")
_NAME = re.compile(r"(?<![\w$.'`])([A-Za-z_]\w*)\b(?!\s*::)")


@dataclass(frozen=True, slots=True)
class Declared:
    """Lines of another file that declare a name, and how much they are wanted."""

    path: str
    line: int
    end_line: int
    name: str
    worth: float


def outside_names(file: FilePieces, pieces: Sequence[Piece]) -> Counter[str]:
    """Returns the names in pieces that their file does not declare, with how often they stand."""
    known = set(file.outline.declarations)
    found: Counter[str] = Counter()
    for piece in pieces:
        for one in piece.statements:
            found.update(_NAME.findall(one.code[one.span[0] : one.span[1]]))
        for number in piece.lines if not piece.statements and piece.kind in LISTS else ():
            found.update(_NAME.findall(file.lines[number - 1].partition("//")[0]))
    for name in list(found):
        declared = file.outline.declarations.get(name)
        if declared is not None and declared.kind == "declaration":
            found.update({declared.word: 1})
    return Counter({n: c for n, c in found.items() if n not in known and n not in KEYWORDS})


def declarations(
    graph: Graph, names: Counter[str], file: FilePieces, shown: Iterable[str]
) -> list[Declared]:
    """Returns where packages and headers that a file names declare names, the most used first.

    Args:
        graph: of the repository.
        names: how often each name is used.
        file: the file that uses them.
        shown: paths of which something is shown anyway; their declarations come first.
    """
    known, path = frozenset(shown), file.path
    packages = set(_PACKAGE.findall(file.outline.source.code))
    headers = {name.rsplit("/", 1)[-1] for name, _ in includes_of(file.outline.source.bare)}
    columns = [graph.nodes.column(c) for c in ("kind", "path", "line", "end_line", "id")]
    details = graph.nodes.column("detail")
    found: dict[str, list[Declared]] = {}
    wanted = [*((PACKAGE, one) for one in packages), *((HEADER, one) for one in headers)]
    for row in in_turn(_declaring(graph), wanted):
        kind, where, line, end, id_ = (column[row] for column in columns)
        if where == path:
            continue
        last = id_.rsplit("#", 1)[-1].rpartition(".")[2]
        used = [last] if last in names else []
        if not used and kind == NodeKind.TYPE and details[row]:
            used = [m for m in _NAME.findall(details[row]) if m in names]
        if used:
            worth = sum(names[one] for one in used) * (1.5 if kind == NodeKind.TYPE else 1.0)
            end = min(max(end, line), line + LONGEST)
            found.setdefault(used[0], []).append(Declared(where, line, end, last, float(worth)))
    best = [
        min(
            offers,
            key=lambda one: (one.path not in known, -shared_folders(one.path, path), one.path),
        )
        for offers in found.values()
    ]
    unique = {(one.path, one.line): one for one in best}
    return sorted(unique.values(), key=lambda one: (-one.worth, one.path, one.line))


@kept
def _declaring(graph: Graph) -> dict[tuple[str, str], list[int]]:
    """Returns the rows of declarations by (PACKAGE, what has them) and (HEADER, their file)."""
    columns = [graph.nodes.column(c) for c in ("kind", "path", "id")]
    found = [(row, path, id_) for row, (kind, path, id_) in enumerate(zip(*columns, strict=True))
             if kind in DECLARING and path]  # fmt: skip
    owned = ((row, id_.rsplit("#", 1)[-1].rpartition(".")[0]) for row, _, id_ in found)
    files = ((row, path.rsplit("/", 1)[-1]) for row, path, _ in found)
    return rows_by([
        *((row, (PACKAGE, owner)) for row, owner in owned),
        *((row, (HEADER, name)) for row, name in files),
    ])  # fmt: skip


def users(graph: Graph, path: str, most: int) -> list[tuple[str, int]]:
    """Returns (path, line) of the statements that instantiate a unit of a file, two a file.

    Args:
        graph: of the repository.
        path: the file that defines the unit.
        most: places wanted.
    """
    places: dict[str, list[int]] = {}
    of_kind, where, lines = (graph.edges.column(c) for c in ("kind", "path", "line"))
    for row in _units_of(graph).get(path, ()):
        for edge in graph.in_edges(row).tolist():
            if of_kind[edge] in USING and where[edge] and where[edge] != path:
                places.setdefault(where[edge], []).append(lines[edge])
    order = sorted(places, key=lambda one: (-shared_folders(one, path), one))
    return [(one, line) for one in order for line in sorted(set(places[one]))[:PER_FILE]][:most]


def definitions(graph: Graph, units: Iterable[str], path: str) -> dict[str, str]:
    """Returns unit -> the file that defines it, of several the nearest to `path`."""
    wanted = set(units)
    found: dict[str, list[str]] = {}
    names, paths = graph.nodes.column("name"), graph.nodes.column("path")
    for row in in_turn(_modules(graph), wanted):
        found.setdefault(names[row], []).append(paths[row])
    return {n: min(p, key=lambda one: (-shared_folders(one, path), one)) for n, p in found.items()}


@kept
def _units_of(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of the units of each file."""
    columns = [graph.nodes.column(c) for c in ("kind", "path")]
    found = enumerate(zip(*columns, strict=True))
    return rows_by((row, path) for row, (kind, path) in found if kind in UNITS)


@kept
def _modules(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of the modules of each name."""
    columns = [graph.nodes.column(c) for c in ("kind", "name", "path")]
    found = enumerate(zip(*columns, strict=True))
    return rows_by((row, name) for row, (kind, name, path) in found
                   if kind == NodeKind.MODULE and path)  # fmt: skip
