"""The files of a design as its project files list them, wherever they define what it needs."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.eval.structural.close import Closed
from hdlgraph.graph.graph import Graph
from hdlgraph.index.discover.files import discover
from hdlgraph.index.filesets.evidence import NONE, Evidence
from hdlgraph.index.filesets.read import read_filesets
from hdlgraph.query.design.names import is_unit


def listed(graph: Graph, root: Path, top: int, closed: Closed) -> Closed:
    """Returns the files of a design: of each name the definitions that its project files list.

    Names whose definitions no project file of the top leads to keep those that the graph finds.
    So slang chooses among definitions by what the designers listed, not by what the graph chose.

    Args:
        graph: the design graph.
        root: the repository.
        top: the row of the unit at the top.
        closed: the files that the graph finds.
    """
    nodes = graph.nodes
    kinds, names, paths = (nodes.column(name) for name in ("kind", "name", "path"))
    units = [row for row, kind in enumerate(kinds) if is_unit(kind) and paths[row]]
    homes: dict[str, list[str]] = {}
    for row in units:
        homes.setdefault(names[row], []).append(paths[row])
    evidence = Evidence(read_filesets(root, discover(root).projects, {*paths} - {""}))
    user = evidence.sets_of(paths[top])
    wanted = set(closed.files)
    found: dict[str, None] = {}
    for row in units:
        if paths[row] in wanted:
            lists = [path for path in homes[names[row]] if evidence.level(user, path) < NONE]
            found |= dict.fromkeys(lists or [paths[row]])
    order = {path: at for at, path in enumerate(closed.files)}
    files = sorted({*found}, key=lambda path: (order.get(path, len(order)), path))
    rest = [path for path in closed.files if not any(paths[row] == path for row in units)]
    return Closed((*rest, *files), closed.incdirs)
