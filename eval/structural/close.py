"""The files that a design needs, found along the edges of the graph from a top."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.query.design.names import find, is_unit

FOLLOWED = frozenset({"INSTANTIATES", "IMPORTS", "EXTENDS", "USES", "INCLUDES"})
LEAST = 0.05
"""Edges of less confidence are not followed: lookalikes of missing units."""


class Closed(NamedTuple):
    """The sources of a design, headers not among them, and the folders of its headers."""

    files: tuple[str, ...]
    incdirs: tuple[str, ...]


def close(graph: Graph, top: int) -> Closed:
    """Returns the files that a unit needs: of several definitions of a name the likeliest.

    A compilation has one definition of a name: what the units nearer to the top mean counts.

    Args:
        graph: the design graph.
        top: the row of the unit.
    """
    edges, nodes = graph.edges, graph.nodes
    kinds, targets, texts = (edges.column(name) for name in ("kind", "target", "text"))
    paths, of_kind = nodes.column("path"), nodes.column("kind")
    sure = edges.column("confidence")
    files: dict[str, None] = {}
    headers: dict[str, str] = {}
    seen, waiting = {top}, deque([top])
    meant: dict[str, int] = {nodes.column("name")[top]: top}
    while waiting:
        row = waiting.popleft()
        if paths[row]:
            files[paths[row]] = None
        taken: set[tuple[str, str]] = set()
        for edge in graph.out_edges(row).tolist():
            kind, target = kinds[edge], targets[edge]
            name = nodes.column("name")[target]
            if kind not in FOLLOWED or not paths[target] or (kind, name) in taken:
                continue
            if sure[edge] < LEAST:
                continue
            taken.add((kind, name))
            if is_unit(of_kind[target]) and meant.setdefault(name, target) != target:
                continue
            owner = meant.get(name.partition(".")[0], -1)  # of a type: its package
            if owner >= 0 and paths[owner] != paths[target]:
                continue
            if kind == "INCLUDES":
                headers[paths[target]] = texts[edge]
            if target not in seen:
                seen.add(target)
                waiting.append(target)
        file = graph.row(f"file:{paths[row]}") if paths[row] else -1
        if file >= 0 and file not in seen:
            seen.add(file)
            waiting.append(file)
    sources = sorted(path for path in files if path not in headers)
    folders = {_base(path, text) for path, text in headers.items()}
    return Closed(tuple(_packages_first(graph, sources)), tuple(sorted(folders)))


def _base(path: str, written: str) -> str:
    """Returns the folder that an `include` is relative to."""
    folder = path.removesuffix(written).rstrip("/") if path.endswith(written) else ""
    return folder or path.rpartition("/")[0]


def _packages_first(graph: Graph, paths: list[str]) -> list[str]:
    """Returns files in an order in which a package stands before what imports it."""
    edges, of_path = graph.edges, graph.nodes.column("path")
    kinds, sources, targets = (edges.column(name) for name in ("kind", "source", "target"))
    wanted = set(paths)
    needs: dict[str, dict[str, None]] = {path: {} for path in paths}
    for kind, source, target in zip(kinds, sources, targets, strict=True):
        user, used = of_path[source], of_path[target]
        if kind == "IMPORTS" and user != used and {user, used} <= wanted:
            needs[user][used] = None
    done: dict[str, None] = {}
    for path in paths:
        waiting = [path]
        open_above: set[str] = set()
        while waiting:
            one = waiting[-1]
            later = [p for p in needs[one] if p not in done and p not in open_above]
            open_above.add(one)
            if later and one not in done:
                waiting += later
            else:
                done[one] = None
                waiting.pop()
    return list(done)


def top_of(graph: Graph, name: str) -> int:
    """Returns the row of the first unit of a name.

    Raises:
        UsageError: nothing, or no unit of the repository, has that name.
    """
    for row in find(graph, name):
        if is_unit(graph.nodes.column("kind")[row]) and graph.nodes.column("path")[row]:
            return row
    raise UsageError(f"{name}: is no unit of this repository; name one that it defines")
