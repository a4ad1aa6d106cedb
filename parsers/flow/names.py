"""The names that expressions of a pyslang tree read and assign."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hdlgraph.model.flow import Target
from hdlgraph.parsers.slang.places import NodeText, is_node

BITS = 60
"""Characters that are kept of the selection behind a name."""
_OUTER = frozenset({"this", "super", "$unit", "$root", "local"})
_PARTS = ("left", "expression", "expr")


class Names:
    """The names of one unit by number, and the readers of its expressions."""

    def __init__(self, at: NodeText) -> None:
        from pyslang import ast, syntax

        self.at = at
        self.numbers: dict[str, int] = {}
        self._skip = ast.VisitAction.Skip
        self._read: list[str] = []
        kind = syntax.SyntaxKind
        self._table: dict[Any, Callable[[Any], Any]] = {
            kind.IdentifierName: self._on_name,
            kind.IdentifierSelectName: self._on_name,
            kind.ScopedName: self._on_scoped,
            kind.InvocationExpression: self._on_call,
            kind.CastExpression: self._on_cast,
            kind.NamedType: self._on_type,
            kind.AssignmentPatternItem: self._on_item,
            kind.VariablePattern: self._on_type,
        }
        self._assigned = dict.fromkeys(_assigning(), self._on_assignment)
        self._written: list[Any] = []

    def number(self, name: str) -> int:
        """Returns the number of a name."""
        return self.numbers.setdefault(name, len(self.numbers))

    def reads(self, *nodes: Any) -> tuple[int, ...]:
        """Returns the numbers of the names that expressions read, each once."""
        self._read = []
        for node in nodes:
            if node is None or not is_node(node):
                continue
            kind = node.kind._name_
            if kind == "IdentifierName":  # as most are: a walk would cost ten times as much
                self._on_name(node)
            elif kind not in _LITERALS:
                node.visit(lookup_table=self._table)
        return tuple(dict.fromkeys(map(self.number, self._read)))

    def assignments(self, node: Any) -> list[Any]:
        """Returns the assignments and increments within a statement or expression."""
        self._written = []
        node.visit(lookup_table=self._assigned)
        return self._written

    def targets(self, node: Any) -> tuple[tuple[Target, ...], tuple[int, ...]]:
        """Returns what a left side assigns, and the names that its selections read.

        An expression that is no left side has no targets.
        """
        found: list[Target] = []
        reads: list[Any] = []
        self._target(node, found, reads)
        return tuple(found), self.reads(*reads) if reads else ()

    def _target(self, node: Any, found: list[Target], reads: list[Any]) -> None:
        while node is not None:
            kind = node.kind._name_
            if kind == "IdentifierName":
                found.append((self.number(node.identifier.valueText), ""))
                return
            if kind == "IdentifierSelectName":
                bits = "".join(self.at.text(one) for one in node.selectors)[:BITS]
                found.append((self.number(node.identifier.valueText), bits))
                reads.extend(node.selectors)
                return
            if kind == "ScopedName":
                self._scoped_target(node, found, reads)
                return
            if kind in ("ConcatenationExpression", "SimpleAssignmentPattern"):
                parts = getattr(node, "expressions", None) or getattr(node, "items", None)
                for part in parts or ():
                    if is_node(part):
                        self._target(part, found, reads)
                return
            if kind in ("StreamingConcatenationExpression", "AssignmentPatternExpression"):
                self._parts_of(node, found, reads)
                return
            if kind not in TRANSPARENT:
                return
            if kind == "ElementSelectExpression":
                reads.append(node.select)
            node = next(
                (p for name in _PARTS if (p := getattr(node, name, None)) is not None), None
            )

    def _parts_of(self, node: Any, found: list[Target], reads: list[Any]) -> None:
        if node.kind._name_ == "AssignmentPatternExpression":
            self._target(node.pattern, found, reads)
            return
        for part in node.expressions:
            if is_node(part):
                self._target(part.expression, found, reads)

    def _scoped_target(self, node: Any, found: list[Target], reads: list[Any]) -> None:
        parts = _parts(node)
        while parts and parts[0][0] in _OUTER:
            parts = parts[1:]
        if not parts or parts[0][2] == "::":
            return
        bits = _selection(parts[0][1], self.at)
        bits += "".join(f".{word}{_selection(part, self.at)}" for word, part, _ in parts[1:])
        found.append((self.number(_dotted(parts)), bits[:BITS]))
        for _, part, _ in parts:
            reads.extend(getattr(part, "selectors", None) or ())

    def _on_name(self, node: Any) -> None:
        self._read.append(node.identifier.valueText)

    def _on_scoped(self, node: Any) -> Any:
        parts = _parts(node)
        while parts and parts[0][0] in _OUTER:
            parts = parts[1:]
        if parts and parts[0][2] != "::":
            self._read.append(_dotted(parts))
        for _, part, _ in parts:
            for one in getattr(part, "selectors", None) or ():
                one.visit(lookup_table=self._table)
        return self._skip

    def _on_call(self, node: Any) -> Any:
        called = node.left
        if called.kind._name_ == "ScopedName":
            parts = _parts(called)
            if len(parts) > 1 and parts[0][2] == ".":
                self._read.append(_dotted(parts[:-1]))
        if node.arguments is not None:
            node.arguments.visit(lookup_table=self._table)
        return self._skip

    def _on_cast(self, node: Any) -> Any:
        node.right.visit(lookup_table=self._table)
        return self._skip

    def _on_type(self, _: Any) -> Any:
        return self._skip

    def _on_item(self, node: Any) -> Any:
        node.expr.visit(lookup_table=self._table)
        return self._skip

    def _on_assignment(self, node: Any) -> None:
        self._written.append(node)


_LITERALS = frozenset(
    {
        "IntegerLiteralExpression",
        "IntegerVectorExpression",
        "UnbasedUnsizedLiteralExpression",
        "StringLiteralExpression",
    }
)
"""Expressions without names in them."""
ASSIGN_TOO = (
    "NonblockingAssignmentExpression",
    "PostincrementExpression",
    "PostdecrementExpression",
    "UnaryPreincrementExpression",
    "UnaryPredecrementExpression",
)
"""Kinds of expressions besides `...AssignmentExpression` that assign."""
TRANSPARENT = frozenset(
    {"ParenthesizedExpression", "SimplePropertyExpr", "SimpleSequenceExpr"}
    | {"ElementSelectExpression", "MemberAccessExpression"}
)
"""Expressions that are a left side where what they hold is one."""


@cache
def _assigning() -> tuple[Any, ...]:
    """Returns the syntax kinds of expressions that assign."""
    from pyslang.syntax import SyntaxKind

    named = (one for one in dir(SyntaxKind) if one.endswith("AssignmentExpression"))
    return tuple(getattr(SyntaxKind, one) for one in sorted({*named, *ASSIGN_TOO}))


def is_name(node: Any) -> bool:
    """Returns whether an expression is a name with selections and nothing else."""
    return _kind(node) in ("IdentifierName", "IdentifierSelectName", "ScopedName")


def is_choice(node: Any) -> bool:
    """Returns whether an expression is a choice, `a ? b : c`."""
    return _kind(node) == "ConditionalExpression"


def _kind(node: Any) -> str:
    """Returns the kind of an expression without what a port connection wraps it in."""
    while node.kind._name_ in ("SimplePropertyExpr", "SimpleSequenceExpr"):
        node = node.expr
    return str(node.kind._name_)


def _parts(node: Any) -> list[tuple[str, Any, str]]:
    """Returns (word, node, separator behind it) of a dotted name, from left to right."""
    found: list[tuple[str, Any, str]] = []
    separator = ""
    while node.kind._name_ == "ScopedName":
        right = node.right
        found.append((_word(right), right, separator))
        separator = node.separator.valueText
        node = node.left
    found.append((_word(node), node, separator))
    return found[::-1]


def _dotted(parts: list[tuple[str, Any, str]]) -> str:
    return ".".join(word for word, _, _ in parts)


def _word(node: Any) -> str:
    token = getattr(node, "identifier", None) or getattr(node, "keyword", None)
    return token.valueText if token is not None else ""


def _selection(node: Any, at: NodeText) -> str:
    return "".join(at.text(one) for one in getattr(node, "selectors", None) or ())
