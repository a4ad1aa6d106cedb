"""Where the constants that a question names are used, outside of the package that defines them."""

from __future__ import annotations

import re
from collections.abc import Collection

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import in_turn, kept, rows_by
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.identifiers import in_file

READ = 200  # files that import a package, which are searched for its constants
_CONSTANT = re.compile(r"(?<![\w`.])[A-Za-z]\w*_\w+(?![\w.])|(?<![\w`.])[A-Z][A-Z0-9]{4,}(?!\w)")


def add_uses(page: FactPage, graph: Graph, question: str) -> bool:
    """Adds the lines of the design file that uses most of the constants that a question names.

    Nothing is added where the answer quotes a line that uses one already.
    """
    names = set(_CONSTANT.findall(question))
    owners = _owners(graph, names)
    found = {name for own in owners.values() for name in own}
    if not found or _used(page, found, {path for path, _ in owners}):
        return False
    words = {name: re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])") for name in sorted(found)}
    scored = []
    for path in _importers(graph, {package for _, package in owners})[:READ]:
        text = page.source(path).text
        count = sum(name in text and word.search(text) is not None for name, word in words.items())
        if count:
            scored.append((-count, not of_design(path), path))
    for _, tests, path in sorted(scored)[:1]:
        lines = in_file(sorted(found), path, page.source(path).text)
        if lines is not None and not tests:
            page.add()
            page.add(f"{', '.join(lines.names)} in {path}:")
            page.code(path, page.source(path), lines.lines)
            return True
    return False


def _owners(graph: Graph, names: Collection[str]) -> dict[tuple[str, str], set[str]]:
    """Returns (path, package) -> those of some names that are constants of it."""
    paths, whole = graph.nodes.column("path"), graph.nodes.column("name")
    found: dict[tuple[str, str], set[str]] = {}
    for row in in_turn(_constants(graph), names):
        owner, _, last = whole[row].rpartition(".")
        found.setdefault((paths[row], owner), set()).add(last)
    return found


@kept
def _constants(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of the parameters of units and packages, by their own names."""
    columns = [graph.nodes.column(c) for c in ("kind", "path", "name")]
    found = enumerate(zip(*columns, strict=True))
    return rows_by((row, name.rpartition(".")[2]) for row, (kind, path, name) in found
                   if kind == NodeKind.PARAMETER.value and path and name.rpartition(".")[0]
                   )  # fmt: skip


def _used(page: FactPage, names: Collection[str], paths: Collection[str]) -> bool:
    """Returns whether a line that is shown of another file has one of the names."""
    for path, number in page.shown:
        lines = page.source(path).lines if path not in paths else []
        if number <= len(lines) and any(name in lines[number - 1] for name in names):
            return True
    return False


def _importers(graph: Graph, packages: Collection[str]) -> list[str]:
    """Returns the files that import one of some packages."""
    nodes, edges = graph.nodes, graph.edges
    kinds, names = nodes.column("kind"), nodes.column("name")
    rows = [row for row, kind in enumerate(kinds)
            if kind == NodeKind.PACKAGE.value and names[row] in packages]  # fmt: skip
    found = set()
    for row in rows:
        for edge in graph.in_edges(row).tolist():
            if edges.column("kind")[edge] == EdgeKind.IMPORTS.value:
                found.add(edges.column("path")[edge])
    return sorted(path for path in found if path)
