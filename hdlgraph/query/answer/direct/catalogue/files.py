"""Answers what a file is that a question names and asks nothing else of: "what is in a.sv"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.units.about import add_unit
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_ROWS = 12  # rows of one kind, such as units
NEAR, ALIKE = 4, 0.75  # files of nearly the name, and how alike they are at least
_FILE = re.compile(r"(?<![\w./-])[\w./-]*\w\.(?:sv|svh|v|vh|vp|svp)(?![\w/-]|\.\w)")
_WORD = re.compile(r"[a-z']+")
_ASKING = frozenset(
    "a about are code contain contains declare declared declares define defined defines describe "
    "do does explain file find for give have has in inside is it job live me module of overview "
    "please purpose role show source summarise summarize summary tell the there thing things this "
    "used what what's whats where which".split()
)
_KINDS = (
    ("types", "Types"),
    ("routines", "Functions and tasks"),
    ("macros", "Macros"),
    ("parameters", "Parameters"),
)


def add_file(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what stands in the file that a question names; False where it asks for more.

    Where no file is called so, those with nearly its name are told.
    """
    named = list(dict.fromkeys(_FILE.findall(question)))
    rest = set(_WORD.findall(_FILE.sub(" ", question).lower()))
    if len(named) != 1 or rest - _ASKING:
        return False
    graph, moved = queries.graph(), {*result.stale.changed, *result.stale.removed}
    name = named[0].removeprefix("./")
    paths = [one for one in _files(graph) if one == name or one.endswith(f"/{name}")]
    paths.sort(key=lambda path: (not of_design(path), path))
    if not paths:
        return _near(page, graph, name)
    if paths[0] in moved:
        return False
    if not _add(page, queries, paths[0]):
        return False
    if len(paths) > 1:
        page.add(f"Also of that name: {', '.join(paths[1 : 1 + MAX_ROWS])}")
    return True


def _files(graph: Graph) -> list[str]:
    """Returns the paths of all files of the index."""
    kinds, paths = graph.nodes.column("kind"), graph.nodes.column("path")
    return [paths[row] for row, kind in enumerate(kinds)
            if kind == NodeKind.FILE.value and paths[row]]  # fmt: skip


def _near(page: FactPage, graph: Graph, name: str) -> bool:
    """Adds the files with nearly a name; False where there are none."""
    last = name.rpartition("/")[2]
    known: dict[str, list[str]] = {}
    for path in sorted(_files(graph)):
        known.setdefault(path.rpartition("/")[2], []).append(path)
    near = difflib.get_close_matches(last, sorted(known), NEAR, ALIKE)
    if not near:
        return False
    page.add(f"No file of this index is called {name}. Nearly so are called:")
    for path in [path for one in near for path in known[one]][:NEAR]:
        page.add(f"- {page.cite(path, 1)}")
    return True


def _add(page: FactPage, queries: Queries, path: str) -> bool:
    """Adds what a file declares: its only unit as such, else the names of all."""
    try:
        found = queries.show(f"file:{path}", None)["definitions"][0]
        if len(found["units"]) == 1:
            unit = queries.show(found["units"][0]["id"], None)["definitions"][0]
            add_unit(page, unit, queries)
            return True
    except (HdlgraphError, IndexError):
        return False
    explanation = queries.explanations().get(path)
    page.add(f"{path} has {found['end_line']} lines.")
    if explanation is not None:
        page.add(f"Described as: {explanation.sentence()}")
    _rows(page, "Units", found["units"])
    for key, title in _KINDS:
        _rows(page, title, found[key])
    return True


def _rows(page: FactPage, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds what a file declares of one kind, each with its line, a few of many."""
    if not rows:
        return
    page.add(f"{title} ({len(rows)}):")
    for one in rows[:MAX_ROWS]:
        last = one["name"].rpartition(".")[2]
        page.fact(f"- {last}", (last,), one["path"], one["line"])
    if len(rows) > MAX_ROWS:
        page.add(f"- and {len(rows) - MAX_ROWS} more: `hdlgraph show` of the file lists all")
