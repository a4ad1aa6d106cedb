"""Answers what leads into the state that a question names, or out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.machines.transitions import UNITS, add_step
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain, units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import having, is_unit
from hdlgraph.results import SearchResult

WAYS = 12  # transitions that are told
_S = r"(?:the )?(?:state )?[`'\"]?(?P<state>[A-Za-z_]\w*)[`'\"]?(?: state)?"
_WHO = r"(?:(?:the|its) )?(?:[\w-]+ ){1,5}?"
_IN = r"(?: (?:in|of|inside|within) (?:the )?(?:[\w-]+ ){0,3}[\w-]+)?"
_WHEN = (
    r"(?:when|how|why|(?:under|in|on) (?:which|what) (?:conditions?|circumstances?|cases?)"
    r"|what (?:makes|causes|lets|brings|takes|sends|puts|moves))"
)
_ENTER = (
    r"(?:enters?|reach(?:es)?|goe?s? (?:in)?to|gets? (?:in)?to|comes? to|moves? (?:in)?to"
    r"|transitions? (?:in)?to|jumps? to|switch(?:es)? to|changes? to|returns? to|(?:in)?to)"
)
_LEAVE = r"(?:leaves?|exits?|gets? out of|goe?s? (?:out of|away from)|moves? out of)"
_INTO = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:from|in) (?:which|what) states? (?:can|does|do|may|is|will) {_WHO}{_ENTER} {_S}{_IN}",
        rf"(?:from|in) (?:which|what) states? (?:is|can) {_S} (?:be )?(?:entered|reached){_IN}",
        rf"(?:which|what) states? (?:can )?(?:leads? to|goe?s? to|transitions? to|enters?|precedes?"
        rf"|comes? before) {_S}{_IN}",
        rf"{_WHEN} (?:does |do |can |will |would )?{_WHO}{_ENTER} {_S}{_IN}",
        rf"{_WHEN} (?:is|can|gets?|will) {_S} (?:be )?(?:entered|reached){_IN}",
        rf"(?:what|which states?) (?:leads?|brings? \w+) (?:in)?to {_S}{_IN}",
    )
)
_OUT = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:to )?(?:which|what) states? (?:can|does|do|may|will) {_WHO}"
        rf"(?:go|get|move|transition|jump|switch|change)(?: to)? from {_S}{_IN}",
        rf"(?:which|what) states? (?:can )?(?:follows?|comes? after) {_S}{_IN}",
        rf"what (?:follows?|comes? after) {_S}{_IN}",
        rf"{_WHEN} (?:does |do |can |will |would )?{_WHO}{_LEAVE} {_S}{_IN}",
        rf"{_WHEN} (?:is|can|gets?) {_S} (?:be )?(?:left|exited){_IN}",
        rf"where (?:can|does|do) {_WHO}(?:go|move|transition|jump)(?: to)? from {_S}{_IN}",
    )
)


def add_arcs(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the transitions into, or out of, a state; False where the question names none so.

    Of several machines with the state those of the file that was found first are meant.
    """
    asked = plain(question)
    for forms, is_into in ((_INTO, True), (_OUT, False)):
        for form in forms:
            found = form.fullmatch(asked)
            if found is None:
                continue
            machines = _machines(question, queries, result, found["state"])
            told = [_add(page, one, name, is_into) for one, name in machines]
            if any(told):
                return True
    return False


Meant = tuple[Mapping[str, Any], str]
"""A machine, and the name of the state of it that is meant."""


def _machines(question: str, queries: Queries, result: SearchResult, state: str) -> list[Meant]:
    """Returns the machines that have a state: of the units named, else of the only unit."""
    graph = queries.graph()
    named = units_named(question, graph)
    moved = {*result.stale.changed, *result.stale.removed}
    found = _with_state(queries, named, state)
    found = found or _with_state(queries, _units(graph, state), state)
    found = [one for one in found if one[0]["path"] not in moved]
    if len({one[0]["unit_id"] for one in found}) > 1:
        first = [hit.path for hit in result.hits][:1]
        found = [one for one in found if one[0]["path"] in first] or [
            one for one in found if of_design(one[0]["path"])
        ]
    return found if len({one[0]["unit_id"] for one in found}) == 1 else []


def _with_state(queries: Queries, units: Sequence[str], state: str) -> list[Meant]:
    """Returns the machines of units that have a state of a name, in any case."""
    found = []
    for unit in units:
        try:
            machines = queries.fsm(unit)["machines"]
        except HdlgraphError:
            continue
        for one in machines:
            names = [other["name"] for other in one["states"]]
            folded = [name for name in names if name.lower() == state.lower()]
            exact = [name for name in folded if name == state] or folded
            if len(exact) == 1:
                found.append((one, exact[0]))
    return found


def _units(graph: Graph, state: str) -> list[str]:
    """Returns the units that declare, or use, an enumeration or a constant of a name."""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    sources, targets = graph.edges.column("source"), graph.edges.column("target")
    around = [
        sources[edge]
        for row in having(graph, state)
        for edge in graph.in_edges(row).tolist()
        if targets[edge] == row
    ]
    found = [names[row] for row in around if is_unit(kinds[row])]
    found += [
        names[row].rpartition(".")[0]
        for row in graph.ending(state)
        if kinds[row] == NodeKind.PARAMETER.value and names[row].rpartition(".")[2] == state
    ]
    return sorted(dict.fromkeys(found))[:UNITS]


def _add(page: FactPage, machine: Mapping[str, Any], state: str, is_into: bool) -> bool:
    """Adds the transitions of a machine into a state, or out of it; False where it has none."""
    near, far = ("target", "source") if is_into else ("source", "target")
    found = [one for one in machine["transitions"] if one[near] == state]
    if not is_into:
        found += [one for one in machine["transitions"] if not one["source"]]
    found = [one for one in found if one["source"] != one["target"]]
    if not found:
        return False
    others = list(dict.fromkeys(one[far] or "any state" for one in found))
    name = f"{machine['unit']}.{machine['register']}".rstrip(".")
    count = f"{len(others)} state{'s' * (len(others) != 1)}: {', '.join(others)}"
    count = others[0] if others == ["any state"] else count
    way = f"to {state} from" if is_into else f"from {state} to"
    page.add(f"{name} goes {way} {count}")
    if is_into and machine.get("reset") == state:
        page.add(f"{state} is the state after reset.")
    for one in found[:WAYS]:
        before = f"from {one['source'] or 'any state'}" if is_into else f"to {one['target']}"
        add_step(page, machine, one, f"{before} ")
    if len(found) > WAYS:
        page.add(f"- and {len(found) - WAYS} more: `hdlgraph fsm {machine['unit']}` lists all")
    page.add()
    return True
