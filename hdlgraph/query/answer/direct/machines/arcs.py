"""Answers what leads into the state that a question names, or out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.machines.transitions import UNITS
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain, units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.machines import Transition
from hdlgraph.query.answer.passages.transitions import ANY, machines
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.design.names import having, is_unit
from hdlgraph.query.question.aims import Aim
from hdlgraph.results import SearchResult

WAYS = 12  # transitions that are told
TALL = 24  # lines of a state that are shown whole
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
            meant = _machines(question, queries, result, found["state"])
            told = [_add(page, queries, one, name, is_into) for one, name in meant]
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
            known = queries.fsm(unit)["machines"]
        except HdlgraphError:
            continue
        for one in known:
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


def _add(
    page: FactPage, queries: Queries, machine: Mapping[str, Any], state: str, is_into: bool
) -> bool:
    """Adds the transitions of a machine into a state, or out of it; False where it has none."""
    path = machine["path"]
    known = partial(queries.sources().machines, path)
    view = FileView(path, page.source(path).text, {}, (Aim.STATES,), known_machines=known)
    same = (machine["unit"], machine["register"])
    moves = [
        move
        for one in machines(view)
        if (one.unit, one.register) == same
        for move in one.transitions
        if (move.target == state if is_into else move.source in (state, ANY))
        and move.source != move.target
    ]
    if not moves:
        return False
    others = list(dict.fromkeys(move.source if is_into else move.target for move in moves))
    name = ".".join(filter(None, same))
    count = f"{len(others)} state{'s' * (len(others) != 1)}: {', '.join(others)}"
    count = ANY if others == [ANY] else count
    page.add(f"{name} goes {f'to {state} from' if is_into else f'from {state} to'} {count}")
    if is_into and machine.get("reset") == state:
        page.add(f"{state} is the state after reset.")
    _moves(page, view, machine, moves, "" if is_into else state)
    return True


def _moves(
    page: FactPage, view: FileView, machine: Mapping[str, Any], moves: Sequence[Transition],
    state: str,
) -> None:  # fmt: skip
    """Adds transitions, then the lines of all of them; of a state that is left what it does too."""
    arm, numbers = set[int](), set[int]()
    for move in moves[:WAYS]:
        later = ", ".join(map(str, move.unless[:WAYS]))
        unless = f", unless line {later} sets another" if later else ""
        page.state(f"- {move.words()}{unless}", view.path, move.line, move.end_line)
        own = _arm(page, view.path, move.end_line, state) if state else range(0)
        arm.update(own)
        inside = (*move.lines, *guards(view, [move.end_line]))
        numbers.update(one for one in inside if move.line <= one and one not in own)
    if len(moves) > WAYS:
        page.add(f"- and {len(moves) - WAYS} more: `hdlgraph fsm {machine['unit']}` lists all")
    for lines in (arm, numbers - arm):
        page.code(view.path, view.source, sorted(lines))
    page.add()


def _arm(page: FactPage, path: str, line: int, state: str) -> range:
    """Returns the lines of what is done in a state, none where they are many."""
    found = page.outline(path, line).at(line)
    word = re.compile(rf"(?<![\w$]){re.escape(state)}(?![\w$])")
    for one in (found, *found.around()) if found is not None else ():
        if one.kind == "arm" and word.search(one.head):
            return range(one.line, one.end_line + 1 if one.end_line - one.line < TALL else one.line)
    return range(0)
