"""Answers what drives a net wherever it is named: the statements behind ports and register cells.

The net of one name goes through many units. Told is where it begins: an assignment or a process, or
the instance whose output it is; of a register cell also what drives the cell's data input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.outside import add_outside, is_interface
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject, owners_of, plain, unit_at
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

OWNERS = 64  # units with the name that are looked at
TOLD = 3  # of those in which it begins, that are told with their lines
NAMED = 12  # further ones that are named
UP = 8  # nets up through ports
PLACES = 20  # of a net
_NAME = (
    r"(?P<the>the )?(?:(?:signal|net|wire|port|output|input|register) )?(?P<name>[A-Za-z_$][\w$]*)"
    r"(?: (?:signal|net|wire|port|output|input|register))?"
)
_IN = (
    r"(?: (?:in|of|inside|within|on|at) (?:the )?(?:(?:module|unit|block) )?(?P<unit>[A-Za-z_]\w*)"
    r"(?: (?:module|unit|block))?)?"
)
_DOES = r"(?:drives|sets|assigns|writes|generates|produces|computes|feeds)"
_DONE = r"(?:driven|set|assigned|written|generated|produced|computed|coming)"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:what|who|which(?: \w+){{1,2}}) {_DOES} {_NAME}{_IN}",
        rf"(?:where|by what|by whom) (?:is|gets?) {_NAME} (?:get )?{_DONE}(?: from)?{_IN}",
        rf"(?:where|from where) (?:does|do) {_NAME} (?:come|get (?:its value|set|driven))"
        rf"(?: from)?{_IN}",
        rf"what is {_NAME} {_DONE} by{_IN}",
        rf"(?:wh(?:at|o|ere) (?:is|are) )?(?:the )?(?:drivers?|sources?) (?:of|for) {_NAME}{_IN}",
    )
)


class Begin(NamedTuple):
    """A net of a unit that does not come through a port, and the places that drive it."""

    subject: Subject
    steps: Sequence[Mapping[str, Any]]


def add_sources(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds where the net that a question names begins; False where it asks nothing of the kind."""
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _FORMS)), None)
    if found is None:
        return False
    name, unit, graph = found["name"], found["unit"] or "", queries.graph()
    if unit and unit_at(graph, unit) is None:
        return False
    owners = [one for one in owners_of(graph, name, False, unit) if one.signal == name]
    own = [one for one in owners if one.unit == unit]
    if not owners or (unit and not own) or (found["the"] and name.islower() and "_" not in name):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    begun = _above(queries, own[0]) if unit else _everywhere(queries, owners)
    begun = [one for one in begun if one.subject.path not in moved]
    handled = [one for one in own or owners if is_interface(graph, one.unit)][:TOLD]
    units = {one.unit for one in (*(one.subject for one in begun), *handled)}
    if not (begun or handled) or (name.islower() and "_" not in name and len(units) > 1):
        return False  # a plain word of several units needs its unit
    words = frozenset(re.findall(r"\w+", question.lower()))
    if len(begun) > TOLD:
        hits = {hit.path: at for at, hit in enumerate(result.hits)}
        begun.sort(key=lambda one: (not of_design(one.subject.path),
                                    hits.get(one.subject.path, len(hits))))  # fmt: skip
        page.add(
            f"Nets called {name} begin in {len(begun)} units; ask for one as `{name} of UNIT`."
        )
    design = sum(of_design(one.subject.path) for one in begun)
    told = min(TOLD, design or TOLD)  # tests that drive a net of the name are named alone
    for one in begun[:told]:
        add_drivers(page, queries, one.subject, False, moved, False, words)
        _add_data(page, queries, one, moved)
    _name_rest(page, begun[told:])
    for subject in handled:
        add_outside(page, queries, subject, moved)
    return bool(page.lines)


def _everywhere(queries: Queries, owners: Sequence[Subject]) -> list[Begin]:
    """Returns where a net of a name begins: units that drive it and pass on no port of its name."""
    found: dict[str, Begin] = {}
    for one in list(dict.fromkeys(owners))[:OWNERS]:
        steps = _steps_of(queries, one)
        if any(_drives(step, steps) for step in steps):
            found[f"{one.unit}.{one.signal}"] = Begin(one, steps)
    begun = [
        one
        for one in found.values()
        if any(_drives(step, one.steps) and not _passes(step, found) for step in one.steps)
    ]
    return sorted(begun, key=_order)


def _drives(step: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether a place drives a net: of an input no port whose direction is not known."""
    is_input = any(other["how"] == "port" for other in steps)
    return step["how"] != "port" and (step["sure"] or not is_input)


def _passes(step: Mapping[str, Any], known: Mapping[str, Begin]) -> bool:
    """Returns whether a place is an instance that drives the net itself by a port of its name."""
    return step["how"] == "instance" and any(to in known for to in step["to"])


def _order(one: Begin) -> tuple[Any, ...]:
    """Returns the place of a beginning: the design first, what gives it a value before a constant.

    Constants stand where a part of the design is left out.
    """
    subject = one.subject
    gives = any(step["how"] != "port" and (step["others"] or step["to"]) for step in one.steps)
    return not of_design(subject.path), not gives, subject.path, subject.line


def _above(queries: Queries, one: Subject) -> list[Begin]:
    """Returns where a net of a unit begins: in it, or above where it comes in by a port."""
    nets = _nets(queries, one, UP)
    if nets and any(_drives(step, nets[0]["steps"]) for step in nets[0]["steps"]):
        return [Begin(one, nets[0]["steps"])]
    found: dict[tuple[str, str], Begin] = {}
    at = nets[:1]
    for _ in range(UP):
        ends = {
            to for net in at for step in net["steps"] if step["how"] == "port" for to in step["to"]
        }
        at = [net for net in nets if net["signal"] in ends]
        for net in at:
            unit, _, signal = net["signal"].partition(".")
            if any(step["how"] != "port" for step in net["steps"]):
                subject = Subject(unit, signal, net["path"], net["line"])
                found.setdefault((unit, signal), Begin(subject, net["steps"]))
    inner = [deeper for outer in found.values() for deeper in _inside(queries, outer)]
    return list({one.subject: one for one in inner}.values())


def _inside(queries: Queries, one: Begin) -> Iterator[Begin]:
    """Yields a beginning, or that inside of the only instance that drives it by a like port."""
    for _ in range(UP):
        step = one.steps[0] if len(one.steps) == 1 else None
        if step is None or step["how"] != "instance" or step["port"] != one.subject.signal:
            break
        unit = str(step["of"])
        found = [s for s in owners_of(queries.graph(), step["port"], False, unit) if s.unit == unit]
        steps = _steps_of(queries, found[0]) if found else []
        if not steps or all(inner["how"] == "port" for inner in steps):
            break
        one = Begin(found[0], steps)
    yield one


def _add_data(page: FactPage, queries: Queries, one: Begin, moved: set[str]) -> None:
    """Adds what drives the data inputs of the register cells that drive a net."""
    for step in one.steps:
        if step["how"] != "instance" or not step["clock"][1]:
            continue
        cell = f"signal:{_path_of(step['of_id'])}#{step['of']}.{step['port']}"
        inputs = _data(queries, cell, step, one.subject.unit)
        verb = "is what" if len(inputs) == 1 else "goes into what"
        for data in inputs[:TOLD]:
            unit, _, signal = data.partition(".")
            if unit != one.subject.unit or signal == one.subject.signal:
                continue
            page.add(f"{data} {verb} {step['instance']} holds:")
            before = len(page.lines)
            subject = Subject(unit, signal, one.subject.path, one.subject.line)
            add_drivers(page, queries, subject, False, moved, False, frozenset())
            if len(page.lines) == before:  # an input of the unit, which its own line names
                page.lines[-1] = f"{data} {verb} {step['instance']} holds: an input of {unit}."


def _data(queries: Queries, cell: str, step: Mapping[str, Any], unit: str) -> list[str]:
    """Returns the nets at the inputs that the output of a register cell gets, but for its reset."""
    nets = _traced(queries, cell, 2)
    inner = [s for net in nets[:1] for s in net["steps"] if s["clock"][1] and not s["reset"]]
    wanted = {to for one in inner for to in one["to"]}
    instance = f"{unit}.{step['instance']}"
    found = [
        joined["signal"]
        for net in nets[1:]
        if net["signal"] in wanted
        for inside in net["steps"]
        for joined in inside["joined"]
        if joined["instance"] == instance
    ]
    return list(dict.fromkeys(found))


def _name_rest(page: FactPage, rest: Sequence[Begin]) -> None:
    """Adds the other units in which nets of the name begin."""
    for one in rest[:NAMED]:
        step = next(step for step in one.steps if step["how"] != "port")
        label = f"{one.subject.unit}.{one.subject.signal}"
        page.state(f"- {label} is driven too", step["path"], step["line"])
    if len(rest) > NAMED:
        page.add(f"- and {len(rest) - NAMED} more units drive a net of that name")


def _path_of(key: str) -> str:
    return key.partition(":")[2].rpartition("#")[0]


def _steps_of(queries: Queries, one: Subject) -> list[Mapping[str, Any]]:
    nets = _nets(queries, one, 1)
    return list(nets[0]["steps"]) if nets else []


def _nets(queries: Queries, one: Subject, depth: int) -> list[Mapping[str, Any]]:
    return _traced(queries, f"signal:{one.path}#{one.unit}.{one.signal}", depth)


def _traced(queries: Queries, name: str, depth: int) -> list[Mapping[str, Any]]:
    try:
        return list(queries.trace(name, ("drivers",), depth, PLACES)["drivers"]["nets"])
    except HdlgraphError:
        return []
