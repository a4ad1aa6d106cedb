"""Tells the lines at which the edges of an answer stand: in a unit, its parent, at its ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hdlgraph.model import NodeKind
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.relations.design import DEFINES, INSTANCE, NETS, SETTINGS, TYPES, Design
from hdlgraph.query.relations.ends import joining
from hdlgraph.query.relations.evidence.stated_in import edges_of, nearest
from hdlgraph.query.relations.evidence.statements import declarations, statements, wordy
from hdlgraph.query.relations.evidence.weighed import Told
from hdlgraph.query.relations.facts.logic import flows_of
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.hierarchy import stated
from hdlgraph.query.relations.joint.decide import Decided
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import GUARDED_BY, USES
from hdlgraph.query.relations.joint.question import Question, Row
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.signals.access import drivers, loads
from hdlgraph.query.signals.design import Design as Units
from hdlgraph.query.signals.machines.find import machines
from hdlgraph.query.signals.records import Access, StateMachine

LEAST = 0.1
"""Probability of a kind from which its lines are told."""
FIRST, UNITS, EACH, OF_ROW, NAMES = 5, 2, 6, 4, 400
"""Hits whose lines are told; units of a file, lines of one sort, edges of a row, and names that are
looked at."""
USED = 0.5
"""How much more a name counts that another file of an answer uses."""
STEPS = 6
"""Transitions of a state machine, and uses of the names of a file, that are told."""
FLOWING = frozenset(("drives", "reads", "clocked", "join", "between"))
FILE = NodeKind.FILE.value
_WORD = re.compile(r"[A-Za-z_][\w$]*")


def units_of(index: IndexView) -> Units | None:
    """Returns the signals of all units, None where the index has none."""
    flows, resolver = index.part(flows_of), index.part(resolver_of)
    return Units(resolver.design.graph, flows) if resolver and flows else None


def told(
    decided: Decided | None, question: Question, index: IndexView, number: int,
    first: Sequence[int],
) -> Iterator[Told]:  # fmt: skip
    """Yields the lines that may say why a file of an answer is one.

    Args:
        decided: what was decided, None where a known form answers.
        question: the question.
        index: what is searched.
        number: the file.
        first: the files that are shown first.
    """
    for sort, lines in _every(decided, question, index, number, first):
        yield from (Told(one, sort, place) for place, one in enumerate(lines))


def _every(
    decided: Decided | None, question: Question, index: IndexView, number: int,
    first: Sequence[int],
) -> Iterator[tuple[str, Iterator[Stated]]]:  # fmt: skip
    """Yields where lines come from, with the lines; arguments as of `told`."""
    design = question.sides.resolver.design
    units = index.part(units_of)
    mine = decided.edges.get(number, ()) if decided else ()
    rows = decided.rows[:FIRST] if decided else ()
    others = [row for _, row in rows if row.pair and row.pair.known == number]
    for sort, some in (("answer", mine[:1]), ("row", mine[1:]), ("other", others)):
        yield sort, _of_rows(some, design)
        yield "ends", _ends_of(some, design, units, question)
    own = design.units_of.get(number, [])[:UNITS]
    likely = dict(zip(KINDS, question.likely, strict=True))
    if likely["state"] >= LEAST and units is not None:
        yield "states", _machines(design, units, own, question)
    if likely["declared"] + likely["configured"] >= LEAST:
        yield "names", _names(design, own, question, number, first)
    if likely["configured"] >= LEAST:
        yield "guards", _guards(design, own, question, number)
        yield "conditional", _conditional(design, units, own, question)
    if likely["drives"] + likely["reads"] + likely["clocked"] >= LEAST and units is not None:
        yield "nets", _nets(design, units, own, question)
    yield "between", _between(design, question, number, first)
    yield "used", _used(design, question, number, first)
    yield "edges", edges_of(design, question, number)
    yield "statements", statements(design, units, question, number)
    yield "declarations", declarations(design, question, number)
    yield "words", wordy(question, number)


def inner(design: Design, index: IndexView, edges: Sequence[int]) -> Iterator[Stated]:
    """Yields the lines inside units that drive or read what edges bring to their ports."""
    units = index.part(units_of) if edges else None
    if units is None:
        return
    for edge in edges[:EACH]:
        port = design.targets[edge]
        drive = design.is_output(port)
        yield from _uses(design, units, design.owner(port), design.last(port), drive=drive)


def _of_rows(rows: Iterable[Row], design: Design) -> Iterator[Stated]:
    for row in rows:
        for edge in row.pair.edges[:OF_ROW] if row.pair else ():
            yield stated(design, edge)


def _ends_of(
    rows: Iterable[Row], design: Design, units: Units | None, question: Question
) -> Iterator[Stated]:
    """Yields the lines inside the units of rows that drive or read what their edges bring."""
    for row in rows:
        pair = row.pair
        if units is not None and pair and KINDS[row.kind] in FLOWING and pair.edges:
            port = design.targets[pair.edges[0]]
            drive = design.is_output(port)
            yield from _uses(design, units, pair.rows[1], design.last(port), drive, question)


def _uses(
    design: Design, units: Units, unit: int, signal: str, drive: bool,
    question: Question | None = None,
) -> Iterator[Stated]:  # fmt: skip
    """Yields lines inside a unit that drive or read one of its signals.

    Of many it is the first one, and those around which most of the question stands.
    """
    at = units.flows.by_id.get(design.unit_id(unit))
    if at is None or not units.has(at, signal):
        return
    found = drivers(units, at, signal) if drive else loads(units, at, signal)
    inner = [one for one in found if one.how != "port"]
    if question is not None:
        number = design.file(unit)
        near = question.nearby.shares(number, [one.line for one in inner]) if number >= 0 else ()
        rest = sorted(range(1, len(near)), key=lambda at: -near[at])
        inner = [*inner[:1], *(inner[at] for at in rest)]
    for one in inner[:EACH]:
        yield _access(one, drive)


def _access(one: Access, drive: bool) -> Stated:
    verb = "drives" if drive else "reads"
    where = f" at {one.instance}" if one.instance else ""
    return Stated(one.path, one.line, f"{one.unit} {verb} {one.signal}{where}")


def _machines(
    design: Design, units: Units, rows: Sequence[int], question: Question
) -> Iterator[Stated]:
    lines = design.graph.nodes.column("line")
    for row in rows:
        at = units.flows.by_id.get(design.unit_id(row))
        found = machines(units, at) if at is not None else []
        found.sort(key=lambda one: -question.words.said([name for name, _ in one.states]))
        for one in found[:EACH]:
            names = {name for name, _ in one.states}
            for node in design.declared(row, TYPES | SETTINGS):
                said = design.details[node]
                if design.last(node) in names or any(
                    name in said for name in names if len(name) > 3
                ):
                    yield Stated(
                        design.paths[node],
                        lines[node],
                        f"{one.unit}.{one.register} has the states of {design.last(node)}",
                    )
                    break
            yield from _steps(one, question)
            yield Stated(one.path, one.line, f"{one.unit} tests its state {one.register}")


def _steps(machine: StateMachine, question: Question) -> Iterator[Stated]:
    """Yields the transitions and tested states of a machine that say most of a question."""
    words, name = question.words, f"{machine.unit}.{machine.register}"
    found = [
        (words.said([one.source, one.target, *_WORD.findall(one.condition)])
         + words.named([one.source, one.target]), one)
        for one in machine.transitions[:NAMES]
    ]  # fmt: skip
    for said, one in sorted(found, key=lambda pair: (-pair[0], pair[1].line))[:STEPS]:
        if said > 0:
            step = f"{one.source or 'any state'} to {one.target}"
            yield Stated(machine.path, one.line, f"{name} goes from {step}")
    tested = [(words.said([state]) + words.named([state]), state, line)
              for state, line in machine.states if line]  # fmt: skip
    for said, state, line in sorted(tested, key=lambda one: (-one[0], one[2]))[:1]:
        if said > 0:
            yield Stated(machine.path, line, f"{name} is tested for {state}")


def _names(
    design: Design, rows: Sequence[int], question: Question, number: int, first: Sequence[int]
) -> Iterator[Stated]:
    """Yields the types and settings of a file whose names say most of a question.

    What another one of the files shown first uses counts more.
    """
    used = {design.targets[edge] for _, edge in _uses_of(design, number, first)}
    found: list[tuple[float, int]] = []
    owners = [*rows, design.graph.row(f"file:{question.sides.resolver.path(number)}")]
    for owner in owners:
        facts = [*design.out(owner, DEFINES)][: 4 * NAMES] if owner >= 0 else []
        for said, node in nearest(design, question, number, [fact.row for fact in facts]):
            said -= question.words.named([design.last(node)])
            found.append((said - USED * (said < 0 and node in used), node))
    lines = design.graph.nodes.column("line")
    for said, node in sorted(found)[:EACH]:
        if said < 0:
            yield Stated(design.paths[node], lines[node], f"{design.names[node]} is declared")


def _used(
    design: Design, question: Question, number: int, first: Sequence[int]
) -> Iterator[Stated]:
    """Yields where the other files of an answer use what a file declares, as a question means it.

    Of names that say the same of the question, and of the file of a user, the first comes first.
    """
    likely = dict(zip(KINDS, question.likely, strict=True))
    if likely["declared"] + likely["configured"] < LEAST:
        return
    lines, found = design.graph.edges.column("line"), []
    for rank, edge in _uses_of(design, number, first):
        said = question.words.said([design.last(design.targets[edge])])
        found.append((-said, rank, lines[edge], edge))
    for *_, edge in sorted(found)[:STEPS]:
        yield stated(design, edge)


def _uses_of(design: Design, number: int, first: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields (place of the user's file among the first, edge) for what uses names of a file."""
    for rank, one in enumerate(first):
        for row in design.units_of.get(one, [])[:UNITS] if one != number else ():
            for fact in [*design.out(row, USES)][:NAMES]:
                if design.file(fact.row) == number:
                    yield rank, fact.edge


def _guards(
    design: Design, rows: Sequence[int], question: Question, number: int
) -> Iterator[Stated]:
    """Yields the `ifdefs of a file whose macros say most of a question."""
    lines, found = design.graph.edges.column("line"), []
    for owner in [*rows, design.graph.row(f"file:{question.sides.resolver.path(number)}")]:
        for fact in [*design.out(owner, GUARDED_BY)][:NAMES] if owner >= 0 else ():
            name = design.last(fact.row)
            said = question.words.said([name]) + question.words.named([name])
            if said > 0:
                found.append((-said, lines[fact.edge], fact.edge))
    for *_, edge in sorted(found)[:EACH]:
        yield stated(design, edge)


def _conditional(
    design: Design, units: Units | None, rows: Sequence[int], question: Question
) -> Iterator[Stated]:
    """Yields the instances of a file whose conditions say most of a question."""
    found = []
    for row in rows:
        for fact in list(design.out(row, DEFINES))[: 8 * NAMES]:
            said = design.details[fact.row]
            if design.kinds[fact.row] == INSTANCE and said:
                kinds = [design.last(f.row) for f in design.out(fact.row, "INSTANTIATES")]
                score = question.words.said([said, design.last(fact.row), *kinds])
                found.append((-score, fact.row, row, said))
    lines = design.graph.nodes.column("line")
    for _, node, row, said in sorted(found)[:EACH]:
        name = design.last(node)
        text = f"{name} is there if {said[:120]}"
        line = _guard(design, units, row, lines[node])
        yield Stated(design.paths[node], line or lines[node], text)
        if line:
            yield Stated(design.paths[node], lines[node], text)


def _guard(design: Design, units: Units | None, row: int, line: int) -> int:
    """Returns the line of the condition around an instance, 0 where it is not known."""
    at = units.flows.by_id.get(design.unit_id(row)) if units else None
    if units is None or at is None:
        return 0
    view = units.view(at)
    for child in view.flow.children:
        if child.line == line and child.guard >= 0:
            return int(view.flow.guards[child.guard].line)
    return 0


def _nets(
    design: Design, units: Units, rows: Sequence[int], question: Question
) -> Iterator[Stated]:
    """Yields the lines that drive or read the nets of a file whose names say most of a question."""
    likely = dict(zip(KINDS, question.likely, strict=True))
    drive = likely["drives"] + likely["clocked"] > likely["reads"]
    for row in rows:
        found = []
        for node in design.declared(row, NETS)[: 2 * NAMES]:
            name = design.last(node)
            said = question.words.said([name]) + 2 * question.words.named([name])
            found.append((-said, node))
        for said, node in sorted(found)[:1]:
            if said < -0.1:
                yield from _uses(design, units, row, design.last(node), drive, question)


def _between(
    design: Design, question: Question, number: int, first: Sequence[int]
) -> Iterator[Stated]:
    """Yields the nets of a unit that join two of the units of the first files."""
    likely = dict(zip(KINDS, question.likely, strict=True))
    if likely["drives"] + likely["reads"] + likely["join"] + likely["between"] < LEAST:
        return
    shown = [row for one in first for row in design.units_of.get(one, [])[:UNITS]]
    for row in design.units_of.get(number, [])[:UNITS]:
        inside = [one for one in shown if any(f.row == row for f in design.parents(one)[:60])]
        for at, one in enumerate(inside):
            for other in inside[at + 1 :]:
                edges = joining(design, one, other, row)
                texts = sorted(
                    edges,
                    key=lambda edge: -question.words.said([design.last(design.targets[edge])]),
                )
                for edge in texts[:EACH]:
                    yield stated(design, edge)
