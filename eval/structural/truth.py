"""Which process, assignment or port drives and reads each signal of an elaborated design."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from hdlgraph.eval.structural.elaborated import Elaborated, members


class Place(NamedTuple):
    """Where a signal is driven or read.

    A process or assignment by its first line, with "" as `port`; or a port of the instance there.
    """

    line: int
    port: str = ""


class UnitTruth:
    """What slang says of one unit, over all its instances: (signal, place) pairs."""

    def __init__(self) -> None:
        self.places: dict[Place, int] = {}
        """The last line of each process seen; ports of instances have 0."""
        self.drives: set[tuple[str, Place]] = set()
        self.reads: set[tuple[str, Place]] = set()
        self.broken: set[Place] = set()
        """Places with an expression that slang could not make sense of: not compared."""
        self.clocked: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        """The events of the processes with an edge that assign a register."""


def truth(design: Elaborated) -> dict[tuple[str, str], UnitTruth]:
    """Returns what slang says of each unit by (path, name)."""
    found: dict[tuple[str, str], UnitTruth] = {}
    for path, name, body in design.bodies():
        unit = found.setdefault((path, name), UnitTruth())
        _Body(design, body, unit, path).read()
    for unit in found.values():
        unit.drives = {one for one in unit.drives if one[1] not in unit.broken}
        unit.reads = {one for one in unit.reads if one[1] not in unit.broken}
        for place in unit.broken:
            unit.places.pop(place, None)
    return found


class _Body:
    """One instance body that is read into the truth of its unit."""

    def __init__(self, design: Elaborated, body: Any, unit: UnitTruth, path: str) -> None:
        from pyslang import ast

        self._ast, self._design, self._unit, self._path = ast, design, unit, path
        self._own = {id(body)}
        self._body = body
        self._place = Place(0)

    def read(self) -> None:
        """Reads all members."""
        ast = self._ast
        for one in members(self._body):
            if isinstance(one, ast.ProceduralBlockSymbol):
                self._process(one)
            elif isinstance(one, ast.ContinuousAssignSymbol):
                syntax = one.syntax.parent if one.syntax is not None else None
                if self._at(syntax if syntax is not None else one.syntax):
                    self._visit(one.assignment)
            elif isinstance(one, ast.NetSymbol) and one.initializer is not None:
                if self._at(one.syntax.parent if one.syntax is not None else None):
                    self._unit.drives.add((one.name, self._place))
                    self._visit(one.initializer)
            elif isinstance(one, ast.InstanceSymbol | ast.PrimitiveInstanceSymbol):
                self._instance(one)

    def _at(self, syntax: Any) -> bool:
        """Sets the place of what follows; returns whether it lies in the file of the unit."""
        if syntax is None:
            return False
        span = syntax.sourceRange
        if self._design.path_of(span.start) != self._path:
            return False
        first, last = self._design.line_of(span.start), self._design.line_of(span.end)
        self._place = Place(first)
        self._unit.places[self._place] = max(last, first)
        return True

    def _process(self, block: Any) -> None:
        ast = self._ast
        kinds = ast.ProceduralBlockKind
        if block.syntax is None or block.syntax.kind.name.endswith("AssertionMember"):
            return
        if block.procedureKind in (kinds.Initial, kinds.Final) or not self._at(block.syntax):
            return
        before = set(self._unit.drives)
        self._visit(block.body)
        events = tuple(self._events(block.body))
        if any(edge for edge, _ in events):
            for name, place in self._unit.drives - before:
                if place == self._place:
                    self._unit.clocked[name].add(tuple(one for edge, one in events if edge))

    def _events(self, body: Any) -> Iterator[tuple[bool, str]]:
        ast = self._ast
        if not isinstance(body, ast.TimedStatement):
            return
        waiting = [body.timing]
        while waiting:
            one = waiting.pop(0)
            if isinstance(one, ast.EventListControl):
                waiting += one.events
            elif isinstance(one, ast.SignalEventControl):
                symbol = getattr(one.expr, "symbol", None)
                edge = one.edge != ast.EdgeKind.None_
                yield edge, symbol.name if symbol is not None else ""

    def _instance(self, one: Any) -> None:
        syntax = one.syntax
        if syntax is None or self._design.path_of(syntax.sourceRange.start) != self._path:
            return
        line = self._design.line_of(syntax.sourceRange.start)
        if isinstance(one, self._ast.PrimitiveInstanceSymbol):
            return
        for connection in one.portConnections:
            port, expr = connection.port, connection.expression
            if expr is None or port is None:
                continue
            self._place = Place(line, port.name)
            self._unit.places[self._place] = 0
            self._visit(
                expr, both=getattr(port, "direction", None) == self._ast.ArgumentDirection.InOut
            )

    def _visit(self, node: Any, both: bool = False) -> None:
        """Adds the names that an expression or statement reads and assigns."""
        ast = self._ast
        skip = ast.VisitAction.Skip
        if getattr(node, "bad", False):
            self._unit.broken.add(self._place)

        def on(one: Any) -> Any:
            if isinstance(one, ast.AssignmentExpression):
                self._left(one.left, one.isCompound or both)
                one.right.visit(on)
                return skip
            if isinstance(one, ast.UnaryExpression) and "crement" in str(one.op):
                self._left(one.operand, True)
                return skip
            if isinstance(one, ast.NamedValueExpression):
                self._name(one, self._unit.reads)
            elif getattr(one, "bad", False):
                self._unit.broken.add(self._place)
            return None

        if both and not isinstance(node, ast.AssignmentExpression):
            self._left(node, True)
            return
        node.visit(on)

    def _left(self, node: Any, reads: bool) -> None:
        ast = self._ast
        if isinstance(node, ast.NamedValueExpression):
            self._name(node, self._unit.drives)
            if reads:
                self._name(node, self._unit.reads)
            return
        for name in ("selector", "left", "right"):
            inner = getattr(node, name, None)
            if inner is not None and hasattr(inner, "visit"):
                self._visit(inner)
        for name in ("value", "operand"):
            inner = getattr(node, name, None)
            if inner is not None and hasattr(inner, "visit"):
                self._left(inner, reads)
        for inner in getattr(node, "operands", None) or ():
            self._left(inner, reads)

    def _name(self, node: Any, into: set[tuple[str, Place]]) -> None:
        symbol, ast = node.symbol, self._ast
        if not isinstance(symbol, ast.NetSymbol | ast.VariableSymbol):
            return
        if isinstance(symbol, ast.FormalArgumentSymbol | ast.FieldSymbol):
            return
        kind = str(symbol.parentScope)
        if any(f"SymbolKind.{one}," in kind for one in ("InstanceBody", "GenerateBlock")):
            into.add((symbol.name, self._place))
