"""Answers what drives the signal that a question names: each place, its condition and its line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.drivers.members import members_named
from hdlgraph.query.answer.direct.drivers.outside import add_outside, is_interface
from hdlgraph.query.answer.direct.drivers.resets import DEEP, add_behind, add_reset
from hdlgraph.query.answer.direct.drivers.through import add_through
from hdlgraph.query.answer.direct.drivers.words import driver_text, lines_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import DOTTED, SIGNALS, Subject, owners_of, subjects
from hdlgraph.query.answer.facts.ends import owned
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.query.question.relation import asks_ends
from hdlgraph.query.signals.conditions.reduced import Known, reduced
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

STEPS = 10  # places of a net that are told
AFTER = 3  # the same of a register's next values after its reset value
BEHIND = 4  # nets away that a reset value is looked for
DEPTH = 2  # nets: a register, and its next value
NEAR = 6  # ports told of a unit that has not the one that is asked of
_MARKS = re.compile(r"_(?:q|d|r|n|nxt|next|reg|ff|ns|cs)$")
_BIT = Known(is_bit=lambda _: True)
_WORD = re.compile(r"[A-Za-z]\w*")
_DRIVEN = re.compile(r"\b(?:reads?|consumes?|uses?|used|listens?|goes?|loads?|depends?)\b", re.I)
"""Of a question for the other end, which the relations answer."""


def add_signals(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what drives the signals that a question names; False where it asks nothing of such."""
    aims = frozenset(aims_of(question))
    reset = Aim.RESET in aims
    if not (reset or Aim.WHEN in aims or asks_ends(question)) or _DRIVEN.search(question):
        return False
    found, lacking = subjects(question, queries.graph(), result, reset)
    for name, unit in lacking:
        _lacks(page, queries, name, unit)
    moved = {*result.stale.changed, *result.stale.removed}
    found = [*found, *_scoped(question, queries, found)][:SIGNALS]
    found = found or ([] if lacking else members_named(question, queries, result))
    names = [(one.unit, one.signal) for one in found]
    words = frozenset(word.lower() for word in _WORD.findall(question))
    for one in found:
        if one.path not in moved:
            several = names.count((one.unit, one.signal)) > 1
            add_drivers(page, queries, one, reset, moved, several, words)
            if not reset and is_interface(queries.graph(), one.unit):
                add_outside(page, queries, one, moved)
    return bool(page.lines)


def _scoped(question: str, queries: Queries, known: Sequence[Subject]) -> list[Subject]:
    """Returns the signals that a question names by the labels of generate blocks around them."""
    names = [f".{one.unit}.{one.signal}" for one in known]
    found = []
    for name in DOTTED.findall(question):
        if any(one.endswith(f".{name}") for one in names):
            continue
        owners = owners_of(queries.graph(), name.rpartition(".")[2], False)[:NEAR]
        for whole in dict.fromkeys([name, *(f"{one.unit}.{name}" for one in owners)]):
            try:
                net = queries.trace(whole, ("drivers",), 1, 1)["drivers"]["nets"][0]
            except HdlgraphError:
                continue
            unit, _, signal = net["signal"].partition(".")
            found.append(Subject(unit, signal, net["path"], net["line"]))
            break
    return found


def add_resets(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the values that named registers are reset to; False where one of them has none."""
    if Aim.RESET not in aims_of(question)[:1]:
        return False
    return add_signals(page, question, queries, result) and " is driven " not in page.text


def _lacks(page: FactPage, queries: Queries, name: str, unit: str) -> None:
    """Adds that a unit has no such signal, who has, and which of its ports have the words."""
    graph = queries.graph()
    page.add(f"{unit} has no port or signal {name}.")
    for owner, kind, path, line in owned(graph, name)[:2]:
        page.state(f"- {owner} has a {kind} of that name", path, line)
    words = {part.lower() for part in split_identifier(name) if len(part) > 1}
    near = [
        one
        for definition in queries.show(unit, None)["definitions"][:1]
        for one in definition["ports"]
        if words & {part.lower() for part in split_identifier(one["name"].rpartition(".")[2])}
    ]
    for one in near[:NEAR]:
        own = one["name"].rpartition(".")[2]
        page.fact(f"- {unit} has {own}: {one['detail']}", (own,), one["path"], one["line"])
    page.add()


def _no_reset(label: str, steps: Sequence[Mapping[str, Any]]) -> str:
    """Returns why a signal has no reset value, as far as what drives it in its unit shows."""
    if any(step["how"] in ("instance", "port") for step in steps):
        return f"No reset value of {label} is seen in its unit."
    if any(step["clock"][1] for step in steps):
        return f"{label} is a register that no reset sets."
    return f"{label} is no register: it has no reset value of its own."


def add_drivers(
    page: FactPage,
    queries: Queries,
    one: Subject,
    reset: bool,
    moved: set[str],
    several: bool,
    words: frozenset[str],
) -> None:
    """Adds what drives a signal, or with `reset` what it is reset to.

    Args:
        page: the answer so far.
        queries: the exact engines.
        one: the signal.
        reset: whether its reset value is asked for.
        moved: files that changed since they were indexed.
        several: whether other signals told are called so too.
        words: of the question.
    """
    depth = BEHIND if reset else DEPTH
    try:
        traced = queries.trace(
            f"signal:{one.path}#{one.unit}.{one.signal}", ("drivers",), depth, STEPS
        )
    except HdlgraphError:
        return
    nets = traced["drivers"]["nets"]
    label = f"{one.unit}.{one.signal}" + (f" of {one.path}" if several else "")
    steps = [step for step in nets[0]["steps"] if step["path"] not in moved]
    if reset and any(step["reset"] for step in steps):
        _resets(page, label, one, {**nets[0], "steps": steps}, words)
        return
    if reset and add_behind(page, label, steps, nets[1:], moved):
        return
    if reset and add_through(page, queries.graph(), label, nets, moved):
        return
    if not any(step["how"] != "port" and list(lines_of(page, step)) for step in steps):
        return  # an input, of which the graph tells what is connected; or what writes it is hidden
    if reset:
        page.add(_no_reset(label, steps))
    page.add(f"{label} is driven in {_count(nets[0]['total'])}:")
    _steps(page, nets[0], steps, steps)
    for net in nets[1:DEEP]:
        if _is_next(one, net, steps):
            page.add(f"{net['signal']}, its next value, in {_count(net['total'])}:")
            _steps(page, net, net["steps"], net["steps"])
        elif _is_inside(net, steps):  # there stands what is asked for
            page.add(f"{net['signal']}, that port, in {_count(net['total'])}:")
            _steps(page, net, net["steps"], net["steps"])
    page.add()


def _resets(
    page: FactPage, label: str, one: Subject, net: Mapping[str, Any], words: frozenset[str]
) -> None:
    """Adds the reset values of a net, and what else sets it.

    Of registers of one name in several generate blocks, that of the block with most of the
    question's words is told first.
    """
    resets = [step for step in net["steps"] if step["reset"]]
    resets.sort(key=lambda step: -len(words & _scope_words(step, one)))
    for step in resets:
        own = step["signal"].endswith(f".{one.signal}")  # of a generate block
        add_reset(page, f"{one.unit}.{step['signal']}" if own else label, step)
    others = [step for step in net["steps"] if not step["reset"]]
    if any(list(lines_of(page, step)) for step in others[:AFTER]):
        page.add("Otherwise:")
        _steps(page, {**net, "total": len(others)}, others[:AFTER], net["steps"])
    page.add()


def _scope_words(step: Mapping[str, Any], one: Subject) -> set[str]:
    """Returns the words of the label and the condition of the generate block of a place."""
    label = step["signal"].removesuffix(one.signal)
    return {part.lower() for part in split_identifier(f"{label} {step['condition']}".strip())}


def _count(total: int) -> str:
    return f"{total} place" + "s" * (total != 1)


def _is_next(one: Subject, net: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether a net is the next value of a register: it alone, and named alike."""
    unit, _, name = net["signal"].rpartition(".")
    return (
        unit == one.unit
        and any(step["clock"][1] and name in step["others"] for step in steps)
        and _MARKS.sub("", name) == _MARKS.sub("", one.signal)
    )


def _is_inside(net: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether a net is the port of the one instance that drives a signal."""
    alone = len(steps) == 1 and steps[0]["how"] == "instance"
    return alone and net["signal"] == f"{steps[0]['of']}.{steps[0]['port']}"


def _steps(
    page: FactPage,
    net: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    all_: Sequence[Mapping[str, Any]],
) -> None:
    tests = {step["condition"] for step in all_ if step["reset"] and step["condition"]}
    # A reset is one bit, which its unit may not say.
    resets = {reduced(f"!({one})", known) for one in sorted(tests) for known in (Known(), _BIT)}
    for step in steps:
        lines = list(lines_of(page, step))
        if not lines:
            continue
        page.add(f"- {driver_text(page, step, resets)}:")
        page.code(step["path"], page.source(step["path"]), lines)
    left = net["total"] - len(steps)
    if left > 0:
        page.add(f"- and {left} more: `hdlgraph trace {net['signal']} --drivers` lists all")
