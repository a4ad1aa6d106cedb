"""Finds the graph nodes that a name means, and says what is near when there are none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph, last_part
from hdlgraph.graph.kept import kept, rows_by
from hdlgraph.model import Location, NodeKind
from hdlgraph.model.graph import STANDS_FOR
from hdlgraph.model.kinds import entities, entity
from hdlgraph.query.design.paths import along, lost

LONGEST = 200
"""Characters of an unknown name that are compared and shown."""
_ESCAPE = re.compile(r"(?<![^.:/])\\(?=\S)|(?<=\S)\s+(?=\.)")
"""The backslash that begins an escaped name, and the blank that ends one before a dot."""
NAMED = 8
"""Units of one name that a note lists."""


def is_unit(kind: str) -> bool:
    """Returns whether nodes of a kind are design units."""
    return entity(kind).is_unit


def unescaped(name: str) -> str:
    r"""Returns a name without the backslash of escaped names: `unit.a+b` of `unit.\a+b `."""
    return _ESCAPE.sub("", name.strip())


def find(graph: Graph, name: str) -> list[int]:
    """Returns the rows of the nodes called `name`, units first, then by path and line.

    A name is a node id, a path or file name, a unit, `unit.port`, a last component alone, or a
    path through instances (`top.u_a.u_b.port`); the first of these that fits wins. Stubs of
    undefined things come only if nothing is defined.

    Raises:
        UsageError: nothing has that name; the message holds the nearest names.
    """
    found, wanted = matching(graph, name), unescaped(name)
    if not found:
        raise UsageError(lost(graph, wanted) or _unknown(graph, wanted))
    return found


def matching(graph: Graph, name: str) -> list[int]:
    """Returns the rows of `find`, [] where nothing has the name."""
    wanted = unescaped(name)
    row = graph.row(wanted)
    if row >= 0:
        return [row]
    found = _matches(graph, wanted)
    if not found and (folded := _matches(graph, wanted, fold=True)):
        # A value of an enumeration that is so called comes before what is nearly so called.
        found = (having(graph, wanted) if wanted.isidentifier() else []) or folded
    found = found or along(graph, wanted)
    paths, kinds = graph.nodes.column("path"), graph.nodes.column("kind")
    lines = graph.nodes.column("line")
    defined = [row for row in found if paths[row] or kinds[row] == NodeKind.CONCEPT.value]
    order = {kind.name: position for position, kind in enumerate(entities())}
    return sorted(
        defined or found,
        key=lambda row: (order.get(kinds[row], len(order)), paths[row], lines[row], row),
    )


def find_all(graph: Graph, name: str) -> list[int]:
    """Returns the rows of the nodes called `name`; a macro hides no parameter of its name.

    Written with its backtick, the macro alone is meant.

    Raises:
        UsageError: nothing has that name.
    """
    found, wanted = find(graph, name), unescaped(name)
    kinds = graph.nodes.column("kind")
    if all(kinds[row] == NodeKind.MACRO.value for row in found) and wanted.isidentifier():
        nested = _nested(_named(graph, wanted), kinds, wanted)
        return [*found, *(row for row in nested if row not in found)]
    return found


def having(graph: Graph, member: str) -> list[int]:
    """Returns the rows of the types that have a member of a name, in upper and lower case alike."""
    kinds, details = graph.nodes.column("kind"), graph.nodes.column("detail")
    holds = re.compile(rf"[{{,] ?{re.escape(member)}(?=[,:}} ])")
    return [
        row
        for row, detail in enumerate(details)
        if member in detail and kinds[row] == NodeKind.TYPE.value and holds.search(detail)
    ]


def _matches(graph: Graph, wanted: str, fold: bool = False) -> list[int]:
    if not wanted:
        return []
    wanted = (wanted.lower() if fold else wanted).removeprefix("`").removeprefix("./")
    kinds, named = graph.nodes.column("kind"), _named(graph, wanted, fold)
    whole = [row for row, name in named if name == wanted]
    whole = [row for row in whole if entity(kinds[row]).is_named]
    if whole:
        return whole
    scoped = wanted.replace("::", ".")
    if scoped != wanted:
        return _matches(graph, scoped)
    file, base = NodeKind.FILE.value, "/" + wanted
    files = [row for row, name in named if kinds[row] == file and name.endswith(base)]
    if files:
        return files
    nested = _nested(named, kinds, wanted)
    if nested or "." not in wanted:
        return nested
    return _through_generate(named, wanted)


def _named(graph: Graph, wanted: str, fold: bool = False) -> list[tuple[int, str]]:
    """Returns (row, name) of all nodes whose name may end with `wanted`."""
    names: Sequence[str] = graph.nodes.column("name")
    if fold:
        return [(row, names[row].lower()) for row in _folded(graph).get(last_part(wanted), ())]
    return [(row, names[row]) for row in graph.ending(wanted)]


@kept
def _folded(graph: Graph) -> dict[str, list[int]]:
    """Returns the rows of the nodes by what their names end with, in lower case."""
    names = graph.nodes.column("name")
    return rows_by((row, last_part(name).lower()) for row, name in enumerate(names))


def _nested(named: list[tuple[int, str]], kinds: Sequence[str], wanted: str) -> list[int]:
    """Returns what is declared inside something under a name, as `unit.port` for `port`."""
    last, file = "." + wanted, NodeKind.FILE.value
    return [row for row, name in named if name.endswith(last) and kinds[row] != file]


def _through_generate(named: list[tuple[int, str]], wanted: str) -> list[int]:
    """Returns `unit.label.u_a` for `unit.u_a`: people leave the generate blocks out."""
    head, _, last = wanted.rpartition(".")
    start, end = head + ".", "." + last
    return [row for row, name in named if name.startswith(start) and name.endswith(end)]


def _unknown(graph: Graph, wanted: str) -> str:
    short, near = wanted[:LONGEST], near_names(graph, wanted)
    if near:
        return f"nothing is called {short!r}; did you mean {', '.join(near)}?"
    return f"nothing is called {short!r}; `hdlgraph search` finds files by what they do"


def near_names(graph: Graph, wanted: str) -> list[str]:
    """Returns at most five names of units, types, macros and files that are near to another."""
    known = _known_names(graph)
    short = wanted[:LONGEST]
    near = difflib.get_close_matches(short, known, n=5, cutoff=0.6)
    if not near and len(short) > 2:
        near = sorted(name for name in known if short.lower() in name.lower())[:5]
    return near


@kept
def _known_names(graph: Graph) -> dict[str, None]:
    """Returns the names of units, types, macros and files."""
    known: dict[str, None] = {}
    kinds = graph.nodes.column("kind")
    units = {kind for kind in set(kinds) if is_unit(kind)}
    for kind, name in zip(kinds, graph.nodes.column("name"), strict=True):
        if kind in units or kind in (NodeKind.MACRO, NodeKind.TYPE):
            known[name.rpartition(".")[2] if kind == NodeKind.TYPE else name] = None
        elif kind == NodeKind.FILE:
            known[name.rpartition("/")[2]] = None
    return known


def place(graph: Graph, row: int) -> dict[str, Any]:
    """Returns what every record of a node says: id, kind, name and place."""
    nodes = graph.nodes
    path, line = nodes.column("path")[row], nodes.column("line")[row]
    return {
        "id": nodes.column("id")[row],
        "kind": nodes.column("kind")[row],
        "name": nodes.column("name")[row],
        "path": path,
        "line": line,
        "location": str(Location(path, line)) if path else "",
    }


def several(name: str, units: Sequence[tuple[str, str, int]]) -> list[str]:
    """Returns the note that several units have a name, each by (id, path, line); none of one."""
    if len(units) < 2:
        return []
    places = ", ".join(str(Location(path, line)) for _, path, line in units[:NAMED])
    more = f" and {len(units) - NAMED} more" if len(units) > NAMED else ""
    return [
        f"{len(units)} units are called {name[:200]!r}, and this tells of all: {places}{more}; "
        f"name one by its id, as {units[0][0]}"
    ]


def spot(graph: Graph, edge: int) -> dict[str, Any]:
    """Returns what every record of an edge says: its place, text and certainty.

    `written` is there where another name stands at that place, which nothing defines.
    """
    edges = graph.edges
    reason = edges.column("reason")[edge]
    other = reason.removeprefix(STANDS_FOR) if reason.startswith(STANDS_FOR) else ""
    path, line = edges.column("path")[edge], edges.column("line")[edge]
    return {
        "path": path,
        "line": line,
        "location": str(Location(path, line)),
        "text": edges.column("text")[edge],
        "confidence": edges.column("confidence")[edge],
        "resolved": edges.column("resolved")[edge],
        **witnessed(graph, edge),
        **({"written": other} if other else {}),
    }


def witnessed(graph: Graph, edge: int) -> dict[str, Any]:
    """Returns which readers saw what an edge says, and whether they agree (see `model.Edge`)."""
    names = graph.edges.column("witnesses")[edge]
    return {
        "witnesses": names.split("+") if names else [],
        "trust": graph.edges.column("trust")[edge],
    }
