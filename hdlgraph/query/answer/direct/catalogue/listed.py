"""Answers which units or files there are, in the design or below a folder, and how many.

Asked for tops, those are listed that nothing instantiates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.level import Hierarchy
from hdlgraph.query.design.tree import tops
from hdlgraph.results import SearchResult

MAX_LISTED, MAX_TOPS = 60, 15  # units or files that are named
_WORD = re.compile(r"[A-Za-z0-9_$./-]+")
_KINDS = {
    **dict.fromkeys(("module", "modules"), "module"),
    **dict.fromkeys(("package", "packages"), "package"),
    **dict.fromkeys(("interface", "interfaces"), "interface"),
    **dict.fromkeys(("class", "classes"), "class"),
    **dict.fromkeys(("program", "programs"), "program"),
    **dict.fromkeys(("checker", "checkers"), "checker"),
    **dict.fromkeys(("file", "files"), "file"),
    **dict.fromkeys(("macro", "macros"), "macro"),
}
_ASKING = frozenset(
    "a all are available below contain contained contains count defined design directory do does "
    "every exist find folder give has have here how i in inside is it lie lies list located many "
    "me of number on or please print repo repository show system tell that the there this "
    "total under unit units what what's which with within you".split()
)
_TOP = frozenset("top tops toplevel top-level topmost root roots uppermost".split())
_LEVEL = frozenset(("level",))
"""Stands beside `top`, and asks for none by itself."""


class _Asked(NamedTuple):
    """The kinds that are listed, the folder with a slash at its end or "", and whether tops."""

    kinds: frozenset[str]
    folder: str
    tops: bool


def add_listed(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the units or files that a question asks for; False where it asks for no list."""
    graph = queries.graph()
    asked = _asked(question, graph)
    if asked is None:
        return False
    below = Hierarchy(graph).below if asked.tops else {}
    rows = _rows(graph, asked, {*result.stale.changed, *result.stale.removed}, below)
    if not rows:
        return False
    nodes = graph.nodes
    counts = Counter(nodes.column("kind")[row] for row in rows)
    told = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in sorted(counts.items()))
    where = f" below {asked.folder}" if asked.folder else ""
    page.add(f"{told}{' that nothing instantiates' if asked.tops else ''}{where}:")
    most = MAX_TOPS if asked.tops else MAX_LISTED
    for row in rows[:most]:
        _add_row(page, graph, row, below.get(row, 0) if asked.tops else None)
    if len(rows) > most:
        more = "; `hdlgraph tree` shows all" if asked.tops else ""
        page.add(f"- and {len(rows) - most} more{more}")
    return True


def _asked(question: str, graph: Graph) -> _Asked | None:
    """Returns what a question wants listed, None where a word asks for something else."""
    words = [word.rstrip(".") for word in _WORD.findall(question)]
    lower = {word.lower() for word in words}
    kinds = frozenset(_KINDS[word] for word in lower & {*_KINDS})
    is_tops = bool(lower & _TOP)
    rest = [word for word in words if word.lower() not in _ASKING | {*_KINDS}]
    if is_tops:
        rest = [word for word in rest if word.lower() not in _TOP | _LEVEL]
        kinds = frozenset(("module", "program"))
    if not kinds or len(rest) > 1 or (is_tops and rest):
        return None
    if not rest:
        return _Asked(kinds, "", is_tops)
    folder = _folder(graph, rest[0])
    return _Asked(kinds, folder, False) if folder else None


def _folder(graph: Graph, word: str) -> str:
    """Returns the folder of the repository that a word is, as the paths begin, else ""."""
    wanted = word.strip("/").removeprefix("./") + "/"
    paths = graph.nodes.column("path")
    return wanted if wanted != "/" and any(one.startswith(wanted) for one in paths) else ""


def _rows(
    graph: Graph, asked: _Asked, moved: Collection[str], below: Mapping[int, int]
) -> list[int]:
    """Returns the rows of what is asked for: of the design first, then by what is below them."""
    nodes = graph.nodes
    kinds, paths = nodes.column("kind"), nodes.column("path")
    every: Sequence[int] = tops(graph) if asked.tops else range(len(nodes))
    found = [
        row
        for row in every
        if kinds[row] in asked.kinds
        and paths[row].startswith(asked.folder)
        and paths[row]
        and paths[row] not in moved
    ]
    lines = nodes.column("line")
    return sorted(
        found,
        key=lambda row: (not of_design(paths[row]), -below.get(row, 0), paths[row], lines[row]),
    )


def _add_row(page: FactPage, graph: Graph, row: int, below: int | None) -> None:
    """Adds a unit or a file with its place, and of a top how many instances are below it."""
    nodes = graph.nodes
    name, path, line = (nodes.column(key)[row] for key in ("name", "path", "line"))
    if name == path:
        page.add(f"- {page.cite(path, 1)}")
        return
    more = f", {below} instance{'s' * (below != 1)} below" if below is not None else ""
    page.fact(f"- {name}{more}", (name,), path, line)


def _plural(kind: str, count: int) -> str:
    """Returns the word for so many of a kind: `classes` for several of `class`."""
    return kind if count == 1 else f"{kind}es" if kind.endswith("s") else f"{kind}s"
