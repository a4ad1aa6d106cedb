"""Collects the flow of every unit of a syntax tree: its processes and instances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from hdlgraph.model.flow import Block, Child, Flow, Guard, Link, Step
from hdlgraph.parsers import limits
from hdlgraph.parsers.flow.join import UnitFlow
from hdlgraph.parsers.flow.names import Names, is_choice, is_name
from hdlgraph.parsers.flow.parts import Shapes
from hdlgraph.parsers.flow.ports import modport_names, port_blocks
from hdlgraph.parsers.flow.primitives import primitive_flow
from hdlgraph.parsers.flow.scopes import Scopes
from hdlgraph.parsers.flow.statements import STEPS, TEXT, Statements, operated, shown
from hdlgraph.parsers.slang.generate_blocks import (
    Branch,
    case_branches,
    if_branches,
    loop_branch,
    opened,
)
from hdlgraph.parsers.slang.instances import read_overrides
from hdlgraph.parsers.slang.places import NodeText, is_node

_PROCESSES = {
    "AlwaysBlock": "always",
    "AlwaysCombBlock": "always_comb",
    "AlwaysFFBlock": "always_ff",
    "AlwaysLatchBlock": "always_latch",
    "InitialBlock": "initial",
    "FinalBlock": "final",
    "ContinuousAssign": "assign",
}
_UNITS = frozenset(
    {
        *("ModuleDeclaration", "InterfaceDeclaration", "ProgramDeclaration", "CheckerDeclaration"),
        "PackageDeclaration",
    }
)
_ASSERTIONS = frozenset({"ConcurrentAssertionMember", "ImmediateAssertionMember"})


def collect_flows(root: Any, at: NodeText, deep: list[str] | None = None) -> list[UnitFlow]:
    """Returns the flows of the units of a tree; of a later tree what holds lines new there.

    A unit whose code is nested too deep has none: its name is added to `deep`.
    """
    found: list[UnitFlow] = []
    outside = list(root.members) if root.kind._name_ == "CompilationUnit" else [root]
    waiting = list(outside)
    while waiting:
        node = waiting.pop(0)
        if is_node(node) and node.kind._name_ == "UdpDeclaration":
            found += _primitive(node, at)
        if not is_node(node) or node.kind._name_ not in _UNITS:
            continue
        header = getattr(node, "header", None)
        name = header.name if header is not None else node.name
        line = at.token_line(name)
        if line and name.valueText and at.touches(node):
            try:
                flow = _Unit(at, line).read(node, outside)
                end = max(at.end_line(node), line)
                found.append(UnitFlow(name.valueText, line, end, flow))
            except RecursionError:  # its other facts are worth keeping
                if deep is not None and name.valueText not in deep:
                    deep.append(name.valueText)
        waiting += [one for one in node.members if is_node(one) and one.kind._name_ in _UNITS]
    return found


def _primitive(node: Any, at: NodeText) -> Iterable[UnitFlow]:
    line = at.token_line(node.name)
    if line and node.name.valueText and at.touches(node):
        end = max(at.end_line(node), line)
        yield UnitFlow(node.name.valueText, line, end, primitive_flow(node, at))


def encoded(flows: Iterable[UnitFlow]) -> tuple[tuple[str, int, bytes], ...]:
    """Returns (name of the unit, its line, its `Flow` as MessagePack)."""
    encode = msgspec.msgpack.Encoder().encode
    return tuple((one.name, one.line, encode(one.flow)) for one in flows)


class _Unit:
    """The flow of one unit while it is read; `line` is that of its name."""

    def __init__(self, at: NodeText, line: int) -> None:
        self._at = at
        self._whole = at.is_first or at.fresh(line)
        """Whether to read members that an earlier tree has read already."""
        self._names = Names(at)
        self._statements = Statements(self._names)
        self._blocks: list[Block] = []
        self._children: list[Child] = []
        self._scopes = Scopes(at)
        self._modports: list[tuple[str, str, str]] = []
        self._links = 0

    def read(self, node: Any, outside: list[Any]) -> Flow:
        """Returns the flow of a unit; `outside` are the members of its file."""
        members = node.members
        self._statements.shapes = Shapes(self._at, node)
        lifetime = getattr(getattr(node, "header", None), "lifetime", None)
        self._statements.automatic = getattr(lifetime, "valueText", "") == "automatic"
        self._statements.integers = _integers(members)
        self._prototypes(outside)
        self._statements.own_routines = self._prototypes(members)
        self._blocks += port_blocks(node, self._names, self._at)
        self._members(members, (), -1)
        names = tuple(self._names.numbers)
        guards = tuple(self._statements.guards)
        declared = self._scopes.several(getattr(node, "header", None))
        blocks, children = tuple(self._blocks), tuple(self._children)
        modports = tuple(self._modports)
        return Flow(names, guards, blocks, children, declared=declared, modports=modports)

    def _prototypes(self, members: Any) -> set[str]:
        """Notes the directions of the arguments of tasks and functions; returns those with bodies.

        The others are imports by DPI (IEEE 1800, clause 35).
        """
        bodies = set()
        for one in members:
            kind = one.kind._name_ if is_node(one) else ""
            if kind not in ("TaskDeclaration", "FunctionDeclaration", "DPIImport"):
                continue
            directions, former = [], "input"
            for _, direction in _arguments(one):
                former = direction or former
                directions.append(former)
            name = self._at.text(_prototype(one).name)
            self._statements.routines[name] = directions
            if kind != "DPIImport":
                bodies.add(name)
        return bodies

    def _members(self, members: Iterable[Any], labels: tuple[str, ...], guard: int) -> None:
        for node in members:
            if is_node(node) and (self._whole or self._at.touches(node)):
                self._member(node, labels, guard)

    def _member(self, node: Any, labels: tuple[str, ...], guard: int) -> None:
        kind = node.kind._name_
        process = _PROCESSES.get(kind)
        if process:
            if self._statements.count < STEPS and self._at.line(node):
                self._blocks.append(self._statements.block(node, process, guard))
        elif kind in ("HierarchyInstantiation", "PrimitiveInstantiation"):
            self._instances(node, labels, guard)
        elif kind in ("GenerateRegion", "GenerateBlock"):
            self._members(node.members, labels, guard)
        elif kind == "LoopGenerate":
            self._branches((loop_branch(node, self._at),), node, labels, guard)
        elif kind == "IfGenerate":
            self._branches(if_branches(node, self._at), node, labels, guard)
        elif kind == "CaseGenerate":
            self._branches(case_branches(node, self._at), node, labels, guard)
        elif kind in ("NetDeclaration", "DataDeclaration"):
            self._declared(node, kind, guard)
        elif kind == "PortDeclaration":
            self._scopes.add(node.declarators, -1)
        elif kind in ("TaskDeclaration", "FunctionDeclaration"):
            self._routine(node, guard)
        elif kind in _ASSERTIONS:
            self._assertion(node, guard)
        elif kind == "ModportDeclaration":
            self._modports += modport_names(node, self._names)
        elif kind == "NetAlias":
            self._alias(node, guard)

    def _branches(
        self, branches: Iterable[Branch], node: Any, labels: tuple[str, ...], guard: int
    ) -> None:
        guards, number = self._statements.guards, self._scopes.construct()
        for branch in branches:
            members, scope = opened(branch, self._at)
            line = scope.line or self._at.line(node)
            guards.append(Guard(guard, "generate", shown(scope.condition), line))
            inner = (*labels, scope.label) if scope.label else labels
            with self._scopes.block(node, branch, scope.label, number):
                self._members(members, inner, len(guards) - 1)

    def _declared(self, node: Any, kind: str, guard: int) -> None:
        """Adds the values that declarations give: of a net for good, of a variable at the start."""
        self._scopes.add(node.declarators, guard)
        steps = []
        for one in node.declarators:
            if is_node(one) and one.initializer is not None:
                line = self._at.token_line(one.name)
                target = (self._names.number(one.name.valueText), "")
                value = one.initializer.expr
                text = self._at.text(value, TEXT)
                steps.append(Step(line, guard, (target,), self._names.reads(value), text))
        line = self._at.line(node)
        if steps and line:
            how = "assign" if kind == "NetDeclaration" else "initial"
            self._add(how, node, line, steps)

    def _add(self, how: str, node: Any, line: int, steps: list[Step], label: str = "") -> None:
        end, first = max(self._at.end_line(node), line), len(self._statements.guards)
        self._blocks.append(Block(how, line, end, label, (), tuple(steps), first, first))

    def _routine(self, node: Any, guard: int) -> None:
        if not self._at.line(node):
            return
        arguments = [name for name, _ in _arguments(node)]
        own = [*arguments, self._at.text(node.prototype.name)]
        for one in node.items:
            if is_node(one) and one.kind._name_ == "DataDeclaration":
                own += [item.name.valueText for item in one.declarators if is_node(item)]
        kind = "task" if node.kind._name_ == "TaskDeclaration" else "function"
        label = f"{own[len(arguments)]}({', '.join(arguments)})"
        block = self._statements.block(node, kind, guard, tuple(own), label)
        if block.steps or block.guards_end > block.guards:
            self._blocks.append(block)

    def _assertion(self, node: Any, guard: int) -> None:
        line = self._at.line(node)
        statement = node.statement
        held = getattr(statement, "propertySpec", None) or getattr(statement, "expr", None)
        reads = self._names.reads(held) if held is not None else ()
        if line and reads:
            label = statement.label.name.valueText if statement.label is not None else ""
            self._add("assert", node, line, [Step(line, guard, (), reads)], label)

    def _alias(self, node: Any, guard: int) -> None:
        line = self._at.line(node)
        nets = [self._names.targets(one)[0] for one in node.nets if is_node(one)]
        steps = []
        for net in nets:  # each is the others, in both directions (clause 10.11)
            own = {number for number, _ in net}
            others = (n for other in nets for n, _ in other if n not in own)
            steps.append(Step(line, guard, net, tuple(dict.fromkeys(others))))
        if line and steps:
            self._add("alias", node, line, steps)

    def _instances(self, node: Any, labels: tuple[str, ...], guard: int) -> None:
        of = node.type
        unit = self._at.text(of) if is_node(of) else of.valueText
        values = read_overrides(getattr(node, "parameters", None), self._at)
        start = self._at.line(node)
        for item in node.instances:
            if not is_node(item):
                continue
            name = item.decl.name.valueText if item.decl else ""
            line = (self._at.token_line(item.decl.name) if item.decl else 0) or start
            if not line:
                continue
            links = tuple(self._connections(item))
            self._links += len(links)
            if self._links > limits.FILE_CONNECTIONS:
                return
            whole = ".".join((*labels, name or f"{unit}@{line}"))
            self._children.append(Child(whole, unit, line, guard, links, values))

    def _connections(self, item: Any) -> Iterable[Link]:
        position = 0
        for port in item.connections:
            if not is_node(port):
                continue
            kind, line = port.kind._name_, self._at.line(port)
            expr = getattr(port, "expr", None)
            if kind == "WildcardPortConnection":
                yield Link("*", -1, line)
            elif kind == "NamedPortConnection" and not port.openParen:
                name = port.name.valueText
                yield Link(name, -1, line, ((self._names.number(name), ""),))
            elif expr is not None:
                writes, selected = self._names.targets(expr)
                reads = selected
                if not is_name(expr):
                    written = {number for number, _ in writes}
                    others = (one for one in self._names.reads(expr) if one not in written)
                    reads = tuple(dict.fromkeys((*selected, *others)))
                is_told = len(reads) < 2 or is_choice(expr)
                value = "" if writes or not is_told else self._at.text(expr, TEXT)
                logic = "" if writes or len(reads) < 2 else operated(self._at.text(expr))
                named = kind == "NamedPortConnection"
                name = port.name.valueText if named else ""
                place = -1 if named else position
                yield Link(name, place, line, writes, reads, value, logic)
            position += 1


def _integers(members: Any) -> set[str]:
    """Returns the variables of a unit that are whole numbers and no arrays."""
    kinds = ("IntegerType", "IntType")
    declared = (
        one
        for node in members
        if is_node(node) and node.kind.name == "DataDeclaration" and node.type.kind.name in kinds
        for one in node.declarators
        if is_node(one)
    )
    return {
        one.name.valueText
        for one in declared
        if not len(one.dimensions) and one.initializer is None
    }


def _prototype(node: Any) -> Any:
    return node.method if node.kind._name_ == "DPIImport" else node.prototype


def _arguments(node: Any) -> Iterable[tuple[str, str]]:
    """Yields (name, direction) of the arguments of a task or function, "" where none is written."""
    ports = _prototype(node).portList
    for port in ports.ports if ports is not None else ():
        if is_node(port):
            direction = port.direction.valueText if getattr(port, "direction", None) else ""
            yield port.declarator.name.valueText, direction
    for one in getattr(node, "items", ()):
        if is_node(one) and one.kind._name_ == "PortDeclaration":
            direction = one.header.direction.valueText
            for item in one.declarators:
                if is_node(item):
                    yield item.name.valueText, direction
