"""Answers what gates the clock of the unit that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.enables import add_cells, add_enables
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.clocks.passing import CLOCK
from hdlgraph.results import SearchResult

FAR = 10  # nets between a clock and its gate
NETS = 60  # nets that are looked at
MAX_GATES = 4  # gates
PORTS = 4  # clocks of a unit
_GATE = re.compile(r"clk_?gat|clock_?gat|(?:^|_)icg(?:_|$)|clkgate|(?:^|_)cg(?:_|$)", re.I)
"""What cells are called that gate a clock."""
_CLK = r"(?:clocks?|clk\w*)"
_ASKED = re.compile(
    rf"\bgat(?:e|es|ed|ing)\b.{{0,30}}\b{_CLK}\b.{{0,20}}\b(?:of|for|to|in|into)\b"
    rf"|\b{_CLK}\b.{{1,40}}\b(?:is|are|gets?) (?:\w+ )?(?:gated|switched off|turned off|stopped)\b"
    rf"|\b(?:is|are|how is|how are) .{{0,50}}\b{_CLK}\b.{{0,40}}\bgated\b"
    rf"|\b{_CLK} gat(?:e|es|ing)(?: cells?| logic)? (?:of|for)\b"
    rf"|\bgat(?:e|es) \w+(?:'s)? {_CLK}\b"
    rf"|^\W*(?:what|which \w+|who|where|how) (?:\w+ )?gat(?:es?|ed|ing) (?:\w+ ){{0,3}}{_CLK}\W*$"
    rf"|\bwhen (?:does|do|is|are) (?:\w+ ){{0,3}}{_CLK} "
    r"(?:stops?|stopped|run|running|off|on|turned|switched|gated|enabled|disabled)\b"
    rf"|^\W*what (?:enables|opens|stops|turns off) (?:\w+ ){{0,3}}{_CLK}(?: gate)?\W*$",
    re.I,
)


class _Gate(NamedTuple):
    """A place where a clock is gated, and the clock of the unit that it leads to."""

    clock: str
    step: Mapping[str, Any]
    signal: str


def add_gates(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the gates on the way to a unit's clocks; False where none is found or asked for.

    A gate is a cell that is called so, or logic of one clock and other signals.
    """
    if not _ASKED.search(question):
        return False
    units = units_named(question, queries.graph())
    moved = {*result.stale.changed, *result.stale.removed}
    if not units:
        return add_cells(page, question, queries, moved, _GATE)
    if len(units) != 1:
        return False
    try:
        ports = queries.show(units[0], None)["definitions"][0]["ports"]
    except HdlgraphError:
        return False
    clocks = [one for one in ports if _is_clock(one) and one["path"] not in moved]
    named = [one for one in clocks if _last(one["name"]) in re.findall(r"\w+", question)]
    found: dict[tuple[str, int], _Gate] = {}
    for one in (named or clocks)[:PORTS]:
        for gate in _gates(queries, one):
            place = gate.step["path"], gate.step["line"]
            if gate.step["path"] not in moved and of_design(gate.step["path"]):
                found.setdefault(place, gate)
    for gate in list(found.values())[:MAX_GATES]:
        _add_gate(page, gate)
        if gate.step["how"] == "instance":
            add_enables(page, queries, gate.step["path"], gate.step["line"], moved)
    if len(found) > MAX_GATES:
        page.add(
            f"and {len(found) - MAX_GATES} more gates: `hdlgraph clocks UNIT` of a unit around it"
        )
    return bool(found)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_clock(port: Mapping[str, Any]) -> bool:
    return port["detail"].startswith("input") and CLOCK.search(_last(port["name"])) is not None


def _gates(queries: Queries, port: Mapping[str, Any]) -> Iterator[_Gate]:
    """Yields the gates nearest to a clock port of a unit, on each way to it."""
    waiting = [(f"signal:{port['path']}#{port['name']}", 0)]
    known = {waiting[0][0]}
    for net, far in waiting:
        if far >= FAR or len(known) > NETS:
            continue
        for following, gate in _before(queries, net):
            if gate is not None:
                yield _Gate(port["name"], gate, net.partition("#")[2])
            elif following not in known:
                known.add(following)
                waiting.append((following, far + 1))


def _before(queries: Queries, net: str) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yields the nets that a clock comes from, by id, or the gate that makes it."""
    try:
        first, *rest = queries.trace(net, ("drivers",), 2, FAR)["drivers"]["nets"]
    except HdlgraphError:
        return
    field = first["signal"].partition(".")[2].partition(".")[2]
    for step in first["steps"]:
        if not of_design(step["path"]):
            continue
        if step["how"] == "port":
            yield from ((_id(one["unit_id"], _own(one["signal"])), None) for one in rest)
        elif step["how"] == "instance" and _GATE.search(step["of"]):
            yield "", step
        elif step["how"] == "instance" and step["of_id"]:
            inner = f"{step['port']}.{field}" if field else step["port"]
            yield _id(step["of_id"], inner), None
        elif step["how"] == "assign":
            clocks = [one for one in step["others"] if CLOCK.search(_last(one))]
            if len(clocks) == 1 and len(step["others"]) > 1:
                yield "", step
            elif len(clocks) == 1:
                yield _id(first["unit_id"], clocks[0]), None


def _id(unit: str, signal: str) -> str:
    """Returns the id of a signal of the unit of an id."""
    return f"signal:{unit.partition(':')[2]}.{signal}"


def _own(signal: str) -> str:
    """Returns the name of a signal without its unit."""
    return signal.partition(".")[2]


def _add_gate(page: FactPage, gate: _Gate) -> None:
    """Adds a gate: the whole instance, or the line of its logic."""
    step = gate.step
    through = f" through {gate.signal}" if gate.signal != gate.clock else ""
    if step["how"] == "instance":
        page.add(f"{gate.clock} comes{through} from the gate {step['instance']} ({step['of']}):")
        one = page.instance(step["path"], step["line"])
        if one is not None:
            page.whole(step["path"], one)
            return
    else:
        others = ", ".join(one for one in step["others"] if not CLOCK.search(_last(one)))
        page.add(f"{gate.clock} comes{through}, which {others} gates:")
    page.code(step["path"], page.source(step["path"]), [step["line"]])
