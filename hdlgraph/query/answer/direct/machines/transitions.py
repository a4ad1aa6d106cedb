"""Answers how a state machine gets from one to the other state that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.design.names import having, is_unit
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

UNITS = 12  # units around the states that are looked at
MACHINES = 2  # that are told
WAYS = 6  # transitions between two states that are told
STEPS = 12  # states of a longer way
LONGEST = 200  # characters of a condition
TALL = 6  # lines of a statement
_S = r"(?:the )?(?:state )?[`'\"]?(?P<{}>[A-Za-z_]\w*)[`'\"]?(?: state)?"
_A, _B = _S.format("a"), _S.format("b")
_GO = (
    r"(?:go|get|mov|transit|transition|switch|chang|step|advanc|jump|pass|proceed|return|com)"
    r"(?:e|es|s|ing)?"
)
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"\bfrom {_A},? (?:in)?to {_B}(?![\w.])",
        rf"\b(?:transitions?|arcs?|edges?|path|way) between (?:the )?(?:states )?{_A} and {_B}"
        r"(?![\w.])",
        rf"\b(?:leave|leaves|exit|exits) {_A} (?:for|to|into|towards) {_B}(?![\w.])",
        rf"(?<![\w.]){_A} (?:back )?{_GO} (?:back )?(?:in)?to {_B}(?![\w.])",
        rf"(?<![\w.]){_A} ?(?:->|=>) ?{_B}(?![\w.])",
    )
)
_ABOUT = re.compile(
    r"\b(?:how|when|what|which|why|who|where|can|does|under|describe|explain|show|tell|conditions?)"
    r"\b",
    re.I,
)


def add_moves(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what takes a machine from a state to another; False where two states are not named.

    Where no transition leads there, the shortest way over other states is told.
    """
    pairs = [(one["a"], one["b"]) for form in _ASKED for one in form.finditer(question)]
    if not pairs or not _ABOUT.search(question):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    for first, second in dict.fromkeys(pairs):
        found = list(_machines(question, queries, result, first, second))
        found = [one for one in found if one[0]["path"] not in moved]
        added = [_add_moves(page, *one) for one in found[:MACHINES]]
        if any(added):
            return True
    return False


Meant = tuple[Mapping[str, Any], str, str]
"""A machine, and the names of the two of its states that are meant."""


def _machines(
    question: str, queries: Queries, result: SearchResult, first: str, second: str
) -> Iterator[Meant]:
    """Yields the machines with both states: of the units named, else of the only unit with them.

    Of several units those of the file that was found first are meant.
    """
    known = {word for word in re.findall(r"\w+", question)}
    named = units_named(question, queries.graph())
    found = list(_with_states(queries, named, first, second, loosely=True))
    if not found:  # a unit may be named whose machine stands in a unit of its own
        named = []
        found = list(_with_states(queries, _units(queries, first, second), first, second))
    registers = [one for one in found if one[0]["register"] in known]
    found = registers or found
    if len({one[0]["unit_id"] for one in found}) > 1 and not named:
        paths = [hit.path for hit in result.hits]
        first_of = [one for one in found if one[0]["path"] in paths[:1]]
        found = first_of or ([one for one in found if of_design(one[0]["path"])])
        if len({one[0]["unit_id"] for one in found}) > 1:
            return
    yield from found


def _with_states(
    queries: Queries, units: Sequence[str], first: str, second: str, *, loosely: bool = False
) -> Iterator[Meant]:
    """Yields the machines of units that have two different states of these names."""
    for unit in units:
        try:
            machines = queries.fsm(unit)["machines"]
        except HdlgraphError:
            continue
        for one in machines:
            states = [state["name"] for state in one["states"]]
            begin, end = (_state(states, name, loosely) for name in (first, second))
            if begin and end and begin != end:
                yield one, begin, end


def _units(queries: Queries, first: str, second: str) -> list[str]:
    """Returns the units that declare, or use, an enumeration with both values."""
    graph = queries.graph()
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    rows = sorted(set(having(graph, first)) & set(having(graph, second)))
    sources, targets = graph.edges.column("source"), graph.edges.column("target")
    around = [
        sources[edge]
        for row in rows
        for edge in graph.in_edges(row).tolist()
        if targets[edge] == row
    ]
    units = dict.fromkeys(names[row] for row in around if is_unit(kinds[row]))
    return list(units)[:UNITS]


def _state(states: Sequence[str], name: str, loosely: bool) -> str:
    """Returns the state that a name means, in any case; "" for none, or for several.

    Where the unit is named, a state may be meant without what all states begin or end with.
    """
    if name in states:
        return name
    folded = [one for one in states if one.lower() == name.lower()]
    if not folded and loosely:
        wanted = [part.lower() for part in split_identifier(name)]
        folded = [one for one in states if _without_ends(one) == wanted]
    return folded[0] if len(folded) == 1 else ""


def _without_ends(state: str) -> list[str]:
    """Returns the parts of a state's name but for a prefix such as `St` or `FSM`."""
    parts = [part.lower() for part in split_identifier(state)]
    return parts[1:] if parts[:1] and parts[0] in ("s", "st", "state", "fsm") else parts


def _add_moves(page: FactPage, machine: Mapping[str, Any], first: str, second: str) -> bool:
    """Adds the transitions between two states of a machine, or the shortest way; False if none."""
    name = f"{machine['unit']}.{machine['register']}".rstrip(".")
    direct = [one for one in machine["transitions"] if _leads(one, first, second)]
    if direct:
        page.add(f"{name} goes from {first} to {second}:")
        for one in direct[:WAYS]:
            add_step(page, machine, one, "" if one["source"] else "in any state, ")
        if len(direct) > WAYS:
            page.add(f"- and {len(direct) - WAYS} more: `hdlgraph fsm {machine['unit']}` lists all")
        page.add()
        return True
    way = _way(machine["transitions"], first, second)
    if not way:
        return False
    path = " -> ".join((first, *(one["target"] for one in way)))
    page.add(f"No transition of {name} leads from {first} to {second} alone; the shortest way is")
    page.add(f"{path}:")
    for one in way:
        add_step(page, machine, one, f"to {one['target']} ")
    page.add()
    return True


def _leads(one: Mapping[str, Any], first: str, second: str) -> bool:
    return one["target"] == second and one["source"] in (first, "")


def _way(
    transitions: Sequence[Mapping[str, Any]], first: str, second: str
) -> list[Mapping[str, Any]]:
    """Returns the transitions of the shortest way between two states, [] without one."""
    ways: dict[str, list[Mapping[str, Any]]] = {first: []}
    waiting = [first]
    for state in waiting:
        if len(ways[state]) >= STEPS:
            break
        for one in transitions:
            if one["source"] == state and one["target"] not in ways:
                ways[one["target"]] = [*ways[state], one]
                waiting.append(one["target"])
    return ways.get(second, [])


def add_step(
    page: FactPage, machine: Mapping[str, Any], one: Mapping[str, Any], before: str
) -> None:
    """Adds a transition with its condition, and its line with the conditions around it."""
    condition = one["condition"]
    if len(condition) > LONGEST:
        condition = condition[:LONGEST].rpartition(" ")[0] + " …"
    later = ", ".join(map(str, one["unless"][:WAYS]))
    unless = f", unless line {later} sets another" if later else ""
    page.add(f"- {before}{f'if {condition}' if condition else 'always'}{unless}:")
    path = machine["path"]
    view, found = page.view(path), page.outline(path, one["line"]).at(one["line"])
    last = one["line"]
    if found is not None and not found.children:
        last = min(found.end_line, one["line"] + TALL)
    numbers = range(one["line"], last + 1)
    page.code(path, view.source, sorted({*guards(view, [one["line"]]), *numbers}))
