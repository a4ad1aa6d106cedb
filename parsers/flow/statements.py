"""The assignments of one process with the tests around them, from a pyslang tree."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.model.flow import Block, Guard, Step, Target
from hdlgraph.parsers.flow.locals import Locals
from hdlgraph.parsers.flow.names import Names
from hdlgraph.parsers.flow.parts import Shapes
from hdlgraph.parsers.slang.places import is_node

TEXT = 400
"""Characters that are kept of a condition or a value; what is cut ends in `CUT`."""
CHOICE = 4000
"""Characters that are kept of a choice: the next state may be one among twenty."""
CUT = " ..."
LABELS = 64
"""Labels that are kept of one arm of a case."""
GUARDS, STEPS = 60_000, 60_000
"""Kept of one unit."""
_TELLING = re.compile(r"[\[&|^]|(?<![\w$'])[A-Za-z_]\w*\s*\(")
_TOLD = frozenset("""ConditionalExpression ConcatenationExpression IdentifierSelectName ScopedName
    AssignmentPatternExpression""".split())  # fmt: skip
_RUN_AGAIN = frozenset({"always", "always_ff"})
"""Processes in which a variable of the unit may hold something."""
_WRITING_CALLS = {"$readmemh": 1, "$readmemb": 1, "$value$plusargs": 1}
"""System tasks that assign an argument, and which."""


def shown(text: str) -> str:
    """Returns a text as it is kept: whole, or cut and marked."""
    return text if len(text) <= TEXT else text[: TEXT - len(CUT)] + CUT


def operated(text: str) -> str:
    """Returns the text of logic where it tells more than its names, "" for others and a long one.

    Such are the elements that it selects, operators that work bit by bit, and calls.
    """
    return text if len(text) <= TEXT and _TELLING.search(text) else ""


class Statements:
    """Reads the statements of the processes of one unit; the guards of all stand in one list."""

    def __init__(self, names: Names) -> None:
        self._names, self._at = names, names.at
        self.shapes: Shapes | None = None
        """The widths of the unit's names, for assignments of concatenations."""
        self.guards: list[Guard] = []
        self.routines: dict[str, list[str]] = {}
        """The directions of the arguments of the tasks and functions that the unit can call."""
        self.own_routines: set[str] = set()
        """Those whose bodies stand in the unit: of their calls the text is kept."""
        self._steps: list[Step] = []
        self._events: list[tuple[str, int, int]] = []
        self.count = 0
        self._left_out: set[int] = set()
        self.automatic = False
        """Whether the unit's variables are automatic where nothing else is said."""
        self.integers: set[str] = set()
        """The whole numbers (`int`, `integer`) that the unit declares and no port has."""
        self._locals = Locals(names)
        self._own: dict[int, str] = {}
        """The names that the routine being read declares, by number."""

    def block(
        self, node: Any, kind: str, guard: int, left_out: tuple[str, ...] = (), label: str = ""
    ) -> Block:
        """Returns a process; `left_out` are names that are its own, such as arguments."""
        at, first = self._at, len(self.guards)
        self._steps, self._events = [], []
        self._own = {self._names.number(name): name for name in left_out}
        self._left_out = set(self._own)
        self._locals = Locals(self._names, automatic=self.automatic)
        for name in sorted(self.integers) if kind in _RUN_AGAIN else ():
            self._locals.may_count(name, guard)
        line = at.line(node)
        body = getattr(node, "statement", None)
        if kind == "assign":
            for one in node.assignments:
                if is_node(one):
                    self._expression(one, guard)
        elif body is not None:
            label = self._body(body, guard)
        else:
            for one in node.items:
                self._statement(one, guard)
        self.count += len(self._steps)
        end, guards_end = max(at.end_line(node), line), len(self.guards)
        events, steps, own = tuple(self._events), tuple(self._steps), self._locals.found()
        return Block(kind, line, end, label, events, steps, first, guards_end, own)

    def _body(self, node: Any, guard: int) -> str:
        """Reads the body of a process and its events; returns its label."""
        if node.kind._name_ == "TimingControlStatement":
            self._timing(node.timingControl, guard)
            node = node.statement
        name = getattr(node, "blockName", None)
        self._statement(node, guard)
        return name.name.valueText if name is not None and hasattr(name, "name") else ""

    def _timing(self, control: Any, guard: int) -> None:
        expression = getattr(control, "expr", None)
        if expression is None or not is_node(expression):
            return
        waiting, line = [expression], self._at.line(control)
        while waiting:
            one = waiting.pop(0)
            kind = one.kind._name_
            if kind == "BinaryEventExpression":
                waiting[:0] = [one.left, one.right]
            elif kind == "ParenthesizedEventExpression":
                waiting.insert(0, one.expr)
            elif kind == "SignalEventExpression":
                self._event(one, line, guard)
            else:
                self._read(self._names.reads(one), line, guard)

    def _event(self, node: Any, line: int, guard: int) -> None:
        edge = node.edge.valueText if node.edge else ""
        if edge:
            found = self._names.targets(node.expr)[0]
            if found:
                number, bits = found[0]
                self._events.append((edge, number if not bits else self._whole(number, bits), line))
        else:
            self._sensitive(self._names.reads(node.expr), line)
        if node.iffClause is not None:
            self._read(self._names.reads(node.iffClause.expr), line, guard)

    def _whole(self, number: int, bits: str) -> int:
        """Returns the number of a name with its selections; `bits` has its members too."""
        name = next(name for name, at in self._names.numbers.items() if at == number)
        return self._names.number(name.partition(".")[0] + bits)

    def _sensitive(self, reads: tuple[int, ...], line: int) -> None:
        """Notes what a process without an edge waits for, as events of no edge."""
        self._events += [("", number, line) for number in reads]

    def _read(self, reads: tuple[int, ...], line: int, guard: int, value: str = "") -> None:
        self._step(line, guard, (), reads, value)

    def _step(
        self, line: int, guard: int, writes: tuple[Target, ...], reads: tuple[int, ...],
        value: str = "", logic: str = "",
    ) -> None:  # fmt: skip
        self._locals.use(guard, writes, reads)
        if self._left_out:
            value = self._of_own(writes, value)
            writes = tuple(one for one in writes if one[0] not in self._left_out)
            reads = tuple(one for one in reads if one not in self._left_out)
        if (writes or reads or value) and self.count + len(self._steps) < STEPS:
            self._steps.append(Step(line, guard, writes, reads, value, logic))

    def _of_own(self, writes: tuple[Target, ...], value: str) -> str:
        """Returns a value as `NAME = X` where it is given to one name of the routine itself."""
        if not any(number in self._left_out for number, _ in writes):
            return value
        (number, bits), *others = writes
        if others or number not in self._own:
            return ""
        return f"{self._own[number]}{bits} = {value}".rstrip()

    def _guard(
        self, outer: int, kind: str, text: str, line: int, labels: tuple[str, ...] = (),
        reads: tuple[int, ...] = (),
    ) -> int:  # fmt: skip
        if len(self.guards) >= GUARDS:
            return outer
        self._locals.use(outer, (), reads)
        if self._left_out:
            reads = tuple(one for one in reads if one not in self._left_out)
        self.guards.append(Guard(outer, kind, text, line, labels, reads))
        return len(self.guards) - 1

    def _statement(self, node: Any, guard: int) -> None:
        handler = getattr(self, f"_on_{node.kind._name_}", None)
        if handler is not None:
            handler(node, guard)
            return
        inner = getattr(node, "statement", None)
        if inner is not None:
            for name in ("expr", "repeatOrWhile"):
                held = getattr(node, name, None)
                if held is not None and name == "expr" and is_node(held):
                    self._read(self._names.reads(held), self._at.line(node), guard)
            self._statement(inner, guard)

    def _on_SequentialBlockStatement(self, node: Any, guard: int) -> None:
        for item in node.items:
            self._statement(item, guard)

    _on_ParallelBlockStatement = _on_SequentialBlockStatement

    def _on_TimingControlStatement(self, node: Any, guard: int) -> None:
        held = self._events
        self._events = []
        self._timing(node.timingControl, guard)
        reads = tuple(number for _, number, _ in self._events)
        self._events = held
        if reads:
            self._read(reads, self._at.line(node), guard)
        self._statement(node.statement, guard)

    def _on_ConditionalStatement(self, node: Any, guard: int) -> None:
        while True:
            line = self._at.line(node.predicate) or self._at.line(node)
            text = shown(self._at.text(node.predicate))
            reads = self._names.reads(node.predicate)
            self._statement(node.statement, self._guard(guard, "if", text, line, (), reads))
            if node.elseClause is None:
                return
            guard = self._guard(guard, "else", text, line)
            node = node.elseClause.clause
            if node.kind._name_ != "ConditionalStatement":
                self._statement(node, guard)
                return

    def _on_CaseStatement(self, node: Any, guard: int) -> None:
        line, text = self._at.line(node), shown(self._at.text(node.expr))
        reads = self._names.reads(node.expr)
        self._read(reads, line, self._guard(guard, "over", text, line))
        for item in node.items:
            kind = item.kind._name_
            place = self._at.line(item) or line
            if kind == "DefaultCaseItem":
                self._statement(item.clause, self._guard(guard, "default", text, place))
            elif kind == "StandardCaseItem":
                written = [one for one in item.expressions if is_node(one)]
                labels = tuple(self._at.text(one, TEXT) for one in written[:LABELS])
                tested = self._names.reads(*written)
                arm = self._guard(guard, "case", text, place, labels, tested)
                self._statement(item.clause, arm)
            else:
                self._statement(item.statement, guard)

    def _on_ForLoopStatement(self, node: Any, guard: int) -> None:
        own = {self._names.number(name) for name in self._loop_names(node)}
        held, self._left_out = self._left_out, self._left_out | own
        line = self._at.line(node)
        self._locals.count_with(node.initializers, guard)
        self._read(self._names.reads(node.stopExpr), line, guard)
        for one in (*node.initializers, *node.steps):
            if is_node(one) and not hasattr(one, "declarator"):
                self._expression(one, guard)
            elif is_node(one) and one.declarator.initializer is not None:
                self._read(self._names.reads(one.declarator.initializer.expr), line, guard)
        self._statement(node.statement, guard)
        self._left_out = held

    def _loop_names(self, node: Any) -> list[str]:
        return [
            one.declarator.name.valueText
            for one in node.initializers
            if is_node(one) and hasattr(one, "declarator")
        ]

    def _on_ForeachLoopStatement(self, node: Any, guard: int) -> None:
        listed = node.loopList
        words = [
            one.identifier.valueText for one in listed.loopVariables if hasattr(one, "identifier")
        ]
        own = {self._names.number(word) for word in words}
        held, self._left_out = self._left_out, self._left_out | own
        self._read(self._names.reads(listed.arrayName), self._at.line(node), guard)
        self._statement(node.statement, guard)
        self._left_out = held

    def _on_LoopStatement(self, node: Any, guard: int) -> None:
        self._read(self._names.reads(node.expr), self._at.line(node), guard)
        self._statement(node.statement, guard)

    _on_DoWhileStatement = _on_LoopStatement

    def _on_ExpressionStatement(self, node: Any, guard: int) -> None:
        self._expression(node.expr, guard)

    _on_ProceduralAssignStatement = _on_ExpressionStatement
    _on_ProceduralForceStatement = _on_ExpressionStatement
    _on_VoidCastedCallStatement = _on_ExpressionStatement

    def _on_ReturnStatement(self, node: Any, guard: int) -> None:
        held = node.returnValue
        reads = self._names.reads(held)
        value = self._value(held, reads) if held is not None else ""
        self._read(reads, self._at.line(node), guard, f"return {value}".rstrip())

    def _on_DataDeclaration(self, node: Any, guard: int) -> None:
        self._locals.declare(node, guard)
        for one in node.declarators:
            if is_node(one) and one.initializer is not None:
                target = (self._names.number(one.name.valueText), "")
                value = one.initializer.expr
                reads = self._names.reads(value)
                self._step(self._at.line(one), guard, (target,), reads, self._value(value, reads))

    def _on_ImmediateAssertStatement(self, node: Any, guard: int) -> None:
        self._read(self._names.reads(node.expr), self._at.line(node), guard)
        action = node.action
        if action is not None and action.statement is not None:
            self._statement(action.statement, guard)
        if action is not None and action.elseClause is not None:
            self._statement(action.elseClause.clause, guard)

    _on_ImmediateAssumeStatement = _on_ImmediateAssertStatement
    _on_ImmediateCoverStatement = _on_ImmediateAssertStatement

    def _expression(self, node: Any, guard: int) -> None:
        """Adds the steps of a statement that is an assignment, an increment or a call."""
        if node is None or not is_node(node):
            return
        kind = node.kind._name_
        line = self._at.line(node)
        if kind.endswith("AssignmentExpression"):
            self._assign(node, kind, line, guard)
        elif kind.startswith(("Post", "UnaryPre")):
            writes, reads = self._names.targets(node.operand)
            self._step(line, guard, writes, (*reads, *(number for number, _ in writes)))
        elif kind == "InvocationExpression":
            self._call(node, line, guard)
        elif kind == "IdentifierName" and self._at.text(node) in self.own_routines:
            self._read(self._names.reads(node), line, guard, f"{self._at.text(node)}()")
        else:
            self._read(self._names.reads(node), line, guard)

    def _assign(self, node: Any, kind: str, line: int, guard: int) -> None:
        writes, selected = self._names.targets(node.left)
        right = node.right
        if right.kind._name_ == "TimingControlExpression":
            right = right.expr
        if right.kind._name_ == "InvocationExpression":
            called = self.routines.get(self._at.text(right.left), [])
            if any(one not in ("", "input") for one in called):
                self._call(right, line, guard)  # its outputs are assigned too
        if kind == "NonblockingAssignmentExpression":
            self._locals.hold(writes)
        is_plain = kind in ("AssignmentExpression", "NonblockingAssignmentExpression")
        pairs = self.shapes.pairs(node.left, right) if is_plain and self.shapes else ()
        for one, other in pairs:  # each part gets its own
            target = self._names.targets(one)[0]
            self._step(line, guard, target, self._names.reads(other), self._at.text(other, TEXT))
        if pairs:
            return
        reads = self._names.reads(right)
        if not is_plain:
            reads += tuple(number for number, _ in writes)  # `+=` reads what it assigns
        value = self._value(right, reads) if writes else ""
        is_told = bool(value or not writes or len(reads) < 2)
        logic = "" if is_told else operated(self._at.text(right))
        self._step(line, guard, writes, (*reads, *selected), value, logic)
        for inner in self._names.assignments(right) if "=" in self._at.raw(right) else ():
            self._expression(inner, guard)

    def _call(self, node: Any, line: int, guard: int) -> None:
        called = self._at.text(node.left)
        arguments = node.arguments.parameters if node.arguments is not None else ()
        given = [one for one in arguments if is_node(one)]
        directions = self.routines.get(called, [])
        last = _WRITING_CALLS.get(called, -1)
        writes: list[Target] = []
        for position, one in enumerate(given):
            direction = directions[position] if position < len(directions) else ""
            if position == last or direction in ("output", "inout", "ref"):
                writes += self._names.targets(one.expr)[0] if hasattr(one, "expr") else ()
        out = {number for number, _ in writes}
        reads = self._names.reads(node)
        text = self._at.text(node, TEXT) if called in self.own_routines else ""
        self._step(
            line, guard, tuple(writes), tuple(one for one in reads if one not in out),
            "" if writes else text,
        )  # fmt: skip
        if writes and text:  # the call is not the value of what it assigns
            self._step(line, guard, (), (), text)

    def _value(self, node: Any, reads: tuple[int, ...]) -> str:
        """Returns the text of a value that may be asked for, "" for others.

        Such are constants, names, choices, parts, and calls of functions.
        """
        while node.kind._name_ == "ParenthesizedExpression":
            node = node.expression
        inner = node.right if node.kind._name_ == "CastExpression" else node
        while inner.kind._name_ == "ParenthesizedExpression":
            inner = inner.expression
        kind = (
            inner.kind._name_ if inner.kind._name_ == "ConditionalExpression" else node.kind._name_
        )
        if kind == "InvocationExpression" and not self._at.raw(node.left).startswith("$"):
            return self._at.text(node, TEXT)
        if len(reads) > 1 and kind not in _TOLD:
            return ""
        return self._at.text(node, CHOICE if kind == "ConditionalExpression" else TEXT)
