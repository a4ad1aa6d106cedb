"""Which nets of an elaborated design are registers because a register cell drives them.

A unit is a cell for an output that an edge process of it assigns, or a copy of such a variable, or
a cell within it; larger units, by the limits of `hdlgraph.query.clocks.cells`, are none.
"""

from __future__ import annotations

from typing import Any

from hdlgraph.eval.structural.elaborated import Elaborated, members
from hdlgraph.query.clocks.cells import PARTS, PORTS, REGISTERS

Outputs = dict[str, str]
"""The clock port of each output that is a register."""


class CellTruth:
    """Finds the register cells of an elaborated design."""

    def __init__(self, design: Elaborated) -> None:
        from pyslang import ast

        self._ast, self._design = ast, design
        self._kept: dict[int, Outputs] = {}
        self._bodies: list[Any] = []

    def registers(self) -> dict[tuple[str, str], dict[str, set[str]]]:
        """Returns the clocks of nets at outputs of cells, by (path, unit) around and net."""
        found: dict[tuple[str, str], dict[str, set[str]]] = {}
        for path, name, body in self._design.bodies():
            for one in members(body):
                if isinstance(one, self._ast.InstanceSymbol):
                    for net, clock in self._connected(one).items():
                        found.setdefault((path, name), {}).setdefault(net, set()).add(clock)
        return found

    def _connected(self, instance: Any) -> dict[str, str]:
        """Returns the clock net of each net at an output that is a register."""
        actual = {}
        for connection in instance.portConnections:
            if connection.port is not None and connection.expression is not None:
                actual[connection.port.name] = _base(self._ast, connection.expression)
        outputs = self._outputs(instance.canonicalBody or instance.body)
        return {
            actual[port]: actual[clock]
            for port, clock in outputs.items()
            if actual.get(port) and actual.get(clock)
        }

    def _outputs(self, body: Any) -> Outputs:
        if id(body) not in self._kept:
            self._bodies.append(body)  # an id is its own only while the object lives
            self._kept[id(body)] = {}
            self._kept[id(body)] = self._find(body)
        return self._kept[id(body)]

    def _find(self, body: Any) -> Outputs:
        """Returns the outputs of a body that come from registers; none if it is no small cell."""
        ast, ports = self._ast, [one for one in body.portList if hasattr(one, "direction")]
        inner = list(members(body))
        parts = [one for one in inner if isinstance(one, ast.InstanceSymbol)]
        if not 2 < len(ports) <= PORTS or len(parts) > PARTS:
            return {}
        clocks: dict[str, str] = {}
        for one in inner:
            if isinstance(one, ast.ProceduralBlockSymbol):
                clocks |= self._process(one)
        if len(clocks) > REGISTERS:
            return {}
        for part in parts:
            clocks |= self._connected(part)
        copies = dict(
            self._copies(one) for one in inner if isinstance(one, ast.ContinuousAssignSymbol)
        )
        names = {one.name: one.direction for one in ports}
        found = {}
        for name, direction in names.items():
            at, seen = name, set()
            while at not in clocks and at in copies and at not in seen:
                seen.add(at)
                at = copies[at]
            clock = clocks.get(at, "")
            if (
                direction == ast.ArgumentDirection.Out
                and names.get(clock) == ast.ArgumentDirection.In
            ):
                found[name] = clock
        return found

    def _process(self, block: Any) -> dict[str, str]:
        """Returns the variables of an edge process with its first event that is no reset."""
        ast = self._ast
        body = block.body
        kinds = ast.ProceduralBlockKind
        if block.procedureKind in (kinds.Initial, kinds.Final):
            return {}
        if not isinstance(body, ast.TimedStatement):
            return {}
        timing = body.timing
        events = list(timing.events) if isinstance(timing, ast.EventListControl) else [timing]
        edges = [
            one for one in events
            if isinstance(one, ast.SignalEventControl) and one.edge != ast.EdgeKind.None_
        ]  # fmt: skip
        if not edges:
            return {}
        clock = _base(ast, edges[0].expr)
        found: dict[str, str] = {}

        def on(one: Any) -> None:
            if isinstance(one, ast.AssignmentExpression):
                name = _base(ast, one.left)
                if name:
                    found[name] = clock

        body.stmt.visit(on)
        return found

    def _copies(self, assign: Any) -> tuple[str, str]:
        one = assign.assignment
        if not isinstance(one, self._ast.AssignmentExpression):
            return "", ""
        return _base(self._ast, one.left), _base(self._ast, one.right)


def _base(ast: Any, node: Any) -> str:
    """Returns the variable or net that an expression is or selects from, "" for any other."""
    if isinstance(node, ast.AssignmentExpression):
        node = node.left
    while not isinstance(node, ast.NamedValueExpression):
        if _varies(ast, getattr(node, "selector", None)):
            return ""
        inner = getattr(node, "value", None) or getattr(node, "operand", None)
        if inner is None or not hasattr(inner, "visit"):
            return ""
        node = inner
    return str(node.symbol.name)


def _varies(ast: Any, selector: Any) -> bool:
    """Returns whether a selection names a variable or net."""
    found: list[bool] = []

    def on(one: Any) -> None:
        if isinstance(one, ast.NamedValueExpression):
            found.append(isinstance(one.symbol, ast.VariableSymbol | ast.NetSymbol))

    if selector is not None:
        selector.visit(on)
    return any(found)
