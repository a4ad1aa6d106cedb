"""The statements of a file around which most of a question stands, each with what it says.

No edge tells what a process assigns, tests or waits for, and a question mostly describes the signal
that it is about. So each statement counts by its names and by the words around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from hdlgraph.model.flow import Flow, Guard, Step
from hdlgraph.query.relations.design import NETS, SETTINGS, TYPES, Design
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.joint.question import Question
from hdlgraph.query.signals.design import Design as Units

UNITS, READ, EACH, WORDS = 4, 120, 10, 6
"""Units of a file; facts whose names are read, those around which most of the question stands;
facts that are told, and lines that are told for their words alone."""
OTHERS, CHARS = 4, 100
"""Names on the other side of an assignment, and characters of a test, that are told."""
DECLARED = NETS | SETTINGS | TYPES
SPEAKS = " speaks of "
"""What a line is said to do of which only its words are known."""


class Fact(NamedTuple):
    """A line, and what gives the sentences that may be told of it, the first of which names all."""

    line: int
    tell: Callable[[], tuple[str, ...]]


def statements(
    design: Design, units: Units | None, question: Question, number: int
) -> Iterator[Stated]:
    """Yields what the units of a file assign, test, wait for and call, the likeliest first."""
    if units is None:
        return
    every: list[Fact] = []
    for row in design.units_of.get(number, [])[:UNITS]:
        at = units.flows.by_id.get(design.unit_id(row))
        if at is not None:
            every += _facts(design.last(row), units.flows.flow(at))
    yield from _best(every, question, number)


def declarations(design: Design, question: Question, number: int) -> Iterator[Stated]:
    """Yields the ports, signals, settings and types of a file, the likeliest first."""
    lines = design.graph.nodes.column("line")
    every = [
        Fact(lines[node], partial(_told, f"{design.names[node]} is declared"))
        for row in design.units_of.get(number, [])[:UNITS]
        for node in design.declared(row, DECLARED)
    ]
    yield from _best(every, question, number)


def wordy(question: Question, number: int) -> Iterator[Stated]:
    """Yields the lines of a file that say most words of a question, whatever they are."""
    path = question.sides.resolver.path(number)
    for line, words in question.nearby.wordiest(number, WORDS):
        yield Stated(path, line, f"{path.rpartition('/')[2]}{SPEAKS}{', '.join(words)}")


def _best(every: list[Fact], question: Question, number: int) -> Iterator[Stated]:
    """Yields what some lines say, those around which most of a question stands first."""
    if not every:
        return
    near = question.nearby.shares(number, [one.line for one in every])
    found = []
    for at in np.argsort(-near, kind="stable")[:READ].tolist():
        texts = every[at].tell()
        said = question.words.said(_names(texts[0]))
        found.append((-float(near[at]) - said, every[at].line, at, texts))
    path = question.sides.resolver.path(number)
    for _, line, _, texts in sorted(found)[:EACH]:
        for text in texts:
            yield Stated(path, line, text)


def _names(text: str) -> list[str]:
    return [part for word in text.replace(",", " ").split() for part in word.split(".")]


def _facts(unit: str, flow: Flow) -> Iterator[Fact]:
    """Yields the facts of a unit: its assignments and calls, its tests, what it waits for."""
    names = flow.names
    for block in flow.blocks:
        for edge, number, line in block.events:
            yield Fact(line, partial(_told, f"{unit} waits for {edge} {names[number]}"))
        for step in block.steps:
            yield Fact(step.line, partial(_step, unit, step, names))
    for guard in flow.guards:
        if guard.text and guard.kind not in ("else", "default"):
            yield Fact(guard.line, partial(_test, unit, guard))


def _told(text: str) -> tuple[str, ...]:
    return (text,)


def _step(unit: str, step: Step, names: Sequence[str]) -> tuple[str, ...]:
    """Returns what an assignment or a call does: what it drives, and what it reads for that."""
    reads = ", ".join(list(dict.fromkeys(names[number] for number in step.reads))[:OTHERS])
    if not step.writes:
        return (f"{unit} calls {' '.join(step.value.split())[:CHARS] or reads}",)
    driven = ", ".join(dict.fromkeys(names[number] for number, _ in step.writes[:OTHERS]))
    if not reads:
        return (f"{unit} drives {driven}",)
    return f"{unit} drives {driven} from {reads}", f"{unit} reads {reads} for {driven}"


def _test(unit: str, guard: Guard) -> tuple[str, ...]:
    verb = "has code where" if guard.kind == "generate" else "tests"
    labels = f" for {', '.join(guard.labels)}" if guard.labels else ""
    return (f"{unit} {verb} {' '.join(guard.text.split())[:CHARS]}{labels[:CHARS]}",)
