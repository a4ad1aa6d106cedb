"""The routines of packages that a unit calls, put among its own so that they are read in place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hdlgraph.model import EdgeKind
from hdlgraph.model.flow import Block, Flow, Guard
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.unit import UnitView

MOST = 64
"""Routines of packages that are read for one unit."""
_CALL = re.compile(r"(?<![\w$.'`:])((?:[A-Za-z_]\w*::)?[A-Za-z_]\w*)\s*\(")
_ROUTINES = ("function", "task")


def with_packages(design: Design, row: int, view: UnitView) -> UnitView:
    """Returns a unit that has the routines of packages which it calls as its own.

    Their lines are 0, as they stand in other files. It is the unit itself where it calls none.
    """
    own = {_name(block) for block in view.flow.blocks if block.kind in _ROUTINES}
    called = [one for block in view.flow.blocks for one in _calls(block) if one not in own]
    if not called:
        return view
    whole = _Joined(view.flow)
    waiting = [(one, "") for one in dict.fromkeys(called)]
    seen = set(waiting)
    for name, within in waiting:
        if whole.count >= MOST:
            break
        found = _routine(design, row, name, within)
        if found is None:
            continue
        package, flow, block = found
        labels = [one for one in (name, name.rpartition("::")[2]) if one not in own]
        whole.add(flow, block, package, dict.fromkeys(labels))
        own |= {*labels}
        more = [(one, package) for one in _calls(block) if one not in own]
        waiting += [one for one in dict.fromkeys(more) if one not in seen]
        seen |= {*more}
    if not whole.count:
        return view
    joined = UnitView(view.unit, whole.flow())
    joined.lines = view.lines
    return joined


def _name(block: Block) -> str:
    return block.label.partition("(")[0]


def _calls(block: Block) -> Iterator[str]:
    for step in block.steps:
        if "(" in step.value:
            yield from _CALL.findall(step.value)


def _routine(design: Design, row: int, name: str, within: str) -> tuple[str, Flow, Block] | None:
    """Returns (package, its flow, body) of a routine as the unit, or a package, sees its name."""
    package, _, short = name.rpartition("::")
    packages = [package] if package else [within] if within else _imported(design, row)
    for one in packages:
        for at in design.flows.by_name.get(one, ()):
            if design.flows.units[at].kind != "package":
                continue
            flow = design.flows.flow(at)
            for block in flow.blocks:
                if block.kind in _ROUTINES and _name(block) == short:
                    return one, flow, block
    return None


def _imported(design: Design, row: int) -> list[str]:
    """Returns the packages that a unit, or its file, imports, by name."""
    graph, unit = design.graph, design.flows.units[row]
    kinds, ends = graph.edges.column("kind"), graph.edges.column("target")
    names = graph.nodes.column("name")
    holders = (graph.row(one) for one in (unit.id, f"file:{unit.path}"))
    return sorted({
        names[ends[edge]]
        for holder in holders if holder >= 0
        for edge in graph.out_edges(holder).tolist()
        if kinds[edge] == EdgeKind.IMPORTS.value
    })  # fmt: skip


class _Joined:
    """The flow of a unit while routines of other flows are added to it."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self.count = flow, 0
        self._names = {name: number for number, name in enumerate(flow.names)}
        self._guards, self._blocks = list(flow.guards), list(flow.blocks)

    def add(self, flow: Flow, block: Block, package: str, labels: dict[str, None]) -> None:
        """Adds a routine under each of some names."""
        numbers = [
            self._names.setdefault(f"{package}::{name}", len(self._names)) for name in flow.names
        ]
        first = len(self._guards)
        places = {at: first + n for n, at in enumerate(range(block.guards, block.guards_end))}
        for at in places:
            one = flow.guards[at]
            outer = places.get(one.outer, -1)
            reads = tuple(numbers[number] for number in one.reads)
            self._guards.append(Guard(outer, one.kind, one.text, 0, one.labels, reads))
        steps = tuple(
            msgspec.structs.replace(
                step, line=0, guard=places.get(step.guard, -1),
                writes=tuple((numbers[number], bits) for number, bits in step.writes),
                reads=tuple(numbers[number] for number in step.reads),
            )
            for step in block.steps
        )  # fmt: skip
        arguments = block.label.partition("(")[2]
        for label in labels:
            copy = Block(
                block.kind, 0, 0, f"{label}({arguments}", (), steps, first, len(self._guards)
            )
            self._blocks.append(copy)
        self.count += 1

    def flow(self) -> Flow:
        """Returns the whole."""
        return msgspec.structs.replace(
            self._flow, names=tuple(self._names), guards=tuple(self._guards),
            blocks=tuple(self._blocks),
        )  # fmt: skip
