"""Finds the types that a name of an enumeration or of a field means: `BusIdle`, `req_t.valid`."""

from __future__ import annotations

import difflib
import re

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location
from hdlgraph.query.design.members.typed import TYPED, Typed, typed
from hdlgraph.query.design.names import (
    LONGEST,
    find,
    find_all,
    having,
    matching,
)

NEAR = 5


def find_or_member(graph: Graph, name: str) -> list[int]:
    """Returns the rows of `find_all`, else of the types that have such a member.

    What stands before the member is its type (`req_t.valid`), a signal of that type
    (`req_i.valid`, `unit.req_i.valid`) or what declares the type (`bus_pkg::BusIdle`). Behind a
    port that is an interface stands a signal of that.

    Raises:
        UsageError: nothing has that name, no such type has such a member, or nothing has the name
            before it; the message holds the nearest names.
    """
    if matching(graph, name):
        return find_all(graph, name)
    before, _, member = name.strip().replace("::", ".").rpartition(".")
    if not member.isidentifier():
        return find(graph, name)
    found = having(graph, member)
    if not before:
        return found or find(graph, name)
    known = typed(graph)
    signals, types = _of_signal(known, before)
    if handled := _of_interfaces(graph, signals, member):
        return handled
    if named := known.named(before):
        return _with_member(graph, known, named, member)
    owners = graph.nodes.column("name")
    if of := [row for row in found if owners[row].rpartition(".")[0] == before]:
        return of
    if types:
        return _with_member(graph, known, list(types), member)
    if signals and found:
        return found  # its type is not known: any that has the member
    if matching(graph, before):
        return find(graph, name)
    held = [owners[row] for row in found] or known.near(before[:LONGEST])
    if not held:
        return find(graph, name)
    raise UsageError(
        f"nothing is called {before[:LONGEST]!r}, which stands before {member[:LONGEST]!r}; "
        f"did you mean {', '.join(sorted({*held})[:NEAR])}?"
    )


def _of_signal(known: Typed, before: str) -> tuple[list[int], tuple[int, ...]]:
    """Returns the signals that begin a path of fields, and the types at its end."""
    words = before.split(".")
    for count in range(len(words), 0, -1):
        signals, types = known.of_signals(".".join(words[:count]))
        if signals:
            return signals, known.along(types, words[count:])
    return [], ()


def _of_interfaces(graph: Graph, signals: list[int], member: str) -> list[int]:
    """Returns the signals of a name of the interfaces that ports are declared as: `bus_if.src`."""
    nodes = graph.nodes
    details = (nodes.column("detail")[row] for row in signals)
    words = (re.findall(r"[\w$]+", one)[1:2] for one in details if one.startswith("interface "))
    wanted = {f"{one[0]}.{member}" for one in words if one}
    names, kinds = nodes.column("name"), nodes.column("kind")
    return [row for row in graph.ending(member) if names[row] in wanted and kinds[row] in TYPED]


def _with_member(graph: Graph, known: Typed, types: list[int], member: str) -> list[int]:
    bodies = dict.fromkeys(body for row in types for body in known.bodies(row))
    found = [row for row in bodies if member in known.fields(row)]
    if found:
        return found
    first = next(iter(bodies), types[0])
    nodes = graph.nodes
    place = Location(nodes.column("path")[first], nodes.column("line")[first])
    near = difflib.get_close_matches(member[:LONGEST], known.fields(first), n=NEAR, cutoff=0.6)
    every = ", ".join(list(known.fields(first))[:NEAR])
    hint = f"; did you mean {', '.join(near)}?" if near else f"; it has {every}" if every else ""
    name = nodes.column("name")[first]
    raise UsageError(f"type {name} ({place}) has no member {member[:LONGEST]!r}{hint}")
