"""Which signals have the member of a struct that a question names as if it were a signal."""

from __future__ import annotations

import re

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject
from hdlgraph.query.answer.facts.ends import SIGNALS, owned
from hdlgraph.query.design.members.typed import typed
from hdlgraph.query.design.names import having
from hdlgraph.query.question.analyse import identifiers
from hdlgraph.results import SearchResult

HOLDERS = 24  # signals of the type that are looked at
MOST = 2  # that are told
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def members_named(question: str, queries: Queries, result: SearchResult) -> list[Subject]:
    """Returns the signals whose member a question names, where a unit sets it.

    A name of a signal, of a unit or of several kinds of types is none of a member.
    """
    graph = queries.graph()
    moved = {*result.stale.changed, *result.stale.removed}
    for name in identifiers(question):
        if "_" not in name or "." in name or owned(graph, name):
            continue
        found = [one for one in holders(graph, name) if one.path not in moved]
        found = [one for one in found[:HOLDERS] if is_set(queries, one)]
        words = set(_WORD.findall(question))
        meant = [one for one in found if one.unit in words] or found
        if meant:
            return meant[:MOST]
    return []


def holders(graph: Graph, name: str) -> list[Subject]:
    """Returns the members of a name of the signals of the only struct that has it.

    Outputs come first, as these are set where they are declared; inputs are left out.
    """
    known, nodes = typed(graph), graph.nodes
    kinds, names, details = (nodes.column(key) for key in ("kind", "name", "detail"))
    paths, lines = nodes.column("path"), nodes.column("line")
    types = [row for row in having(graph, name) if name in known.fields(row)]
    types = [row for row in types if of_design(paths[row])] or types
    if len({names[row].rpartition(".")[2] for row in types}) != 1 or not types:
        return []
    if details[types[0]].startswith("enum"):
        return []
    kind = names[types[0]].rpartition(".")[2]
    word = re.compile(rf"(?<![\w$]){re.escape(kind)}(?![\w$])")
    found = []
    for row, detail in enumerate(details):
        if kinds[row] in SIGNALS and kind in detail and of_design(paths[row]):
            if detail.startswith("input") or not word.search(detail):
                continue
            unit, _, signal = names[row].rpartition(".")
            found.append((not detail.startswith("output"), paths[row], lines[row], unit, signal))
    return [
        Subject(unit, f"{signal}.{name}", path, line)
        for _, path, line, unit, signal in sorted(found)
    ]


def is_set(queries: Queries, one: Subject) -> bool:
    """Returns whether the unit of a signal sets its member itself, rather than an instance."""
    try:
        whole = f"signal:{one.path}#{one.unit}.{one.signal}"
        steps = queries.trace(whole, ("drivers",), 1, HOLDERS)["drivers"]["nets"][0]["steps"]
    except (HdlgraphError, IndexError):
        return False
    return any(step["how"] not in ("instance", "port", "bind") for step in steps)
