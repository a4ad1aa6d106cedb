"""Instances from tree-sitter nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hdlgraph.model import BIT, Connection, Instance, Layer, Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.text.comments import CommentIndex
from hdlgraph.parsers.text.expressions import KEYWORDS, distinct, names

TREE = BIT[Layer.TREE_SITTER]

Text = Callable[..., str]


def read_instances(
    node: Any, scopes: tuple[Scope, ...], text: Text, comments: CommentIndex, confidence: float
) -> list[Instance]:
    """Returns the instances of one instantiation node."""
    kind = node.child_by_field_name("instance_type") or node.named_children[0]
    unit = text(kind).removeprefix("\\")
    if not unit or kind.is_missing or unit in KEYWORDS or "`" in unit:
        return []
    overrides: tuple[tuple[str, str], ...] = ()
    lines: tuple[int, ...] = ()
    found: list[Instance] = []
    start = int(node.start_point[0]) + 1
    for child in node.named_children:
        if child.type == "parameter_value_assignment":
            overrides, lines = _overrides(child, text)
        elif child.type == "hierarchical_instance":
            name = _name(child)
            if name is None or name.is_missing or text(name) in KEYWORDS:
                continue
            line = int(name.start_point[0]) + 1
            found.append(
                Instance(
                    name=text(name).removeprefix("\\"),
                    unit=unit,
                    line=line,
                    end_line=int(child.end_point[0]) + 1,
                    parameters=overrides,
                    connections=_connections(child, text),
                    scopes=scopes,
                    comment=comments.above.get((line if found else start) - 1)
                    or comments.beside.get(start)
                    or comments.beside.get(line, ""),
                    witnesses=TREE,
                    confidence=confidence,
                    override_witnesses=(TREE,) * len(overrides),
                    override_lines=lines,
                )
            )
    return found


def _name(instance: Any) -> Any:
    holder = next((c for c in instance.named_children if c.type == "name_of_instance"), None)
    return holder.child_by_field_name("instance_name") if holder is not None else None


def _overrides(node: Any, text: Text) -> tuple[tuple[tuple[str, str], ...], tuple[int, ...]]:
    """Returns the overrides as (name, expression), and the line of each."""
    found: list[tuple[str, str]] = []
    lines: list[int] = []
    for group in node.named_children:
        for position, item in enumerate(group.named_children):
            if item.type == "named_parameter_assignment":
                parts = item.named_children
                value = text(parts[1], limits.EXPRESSION_CHARS) if len(parts) > 1 else ""
                found.append((text(parts[0]), value))
                lines.append(int(item.start_point[0]) + 1)
            elif item.type == "ordered_parameter_assignment":
                found.append((f"#{position}", text(item, limits.EXPRESSION_CHARS)))
                lines.append(int(item.start_point[0]) + 1)
    return tuple(found), tuple(lines)


def _connections(instance: Any, text: Text) -> tuple[Connection, ...]:
    group = next((c for c in instance.named_children if c.type == "list_of_port_connections"), None)
    if group is None:
        return ()
    found = []
    position = 0  # counted by commas: an empty connection has no node
    for item in group.children:
        line = int(item.start_point[0]) + 1
        if item.type == ",":
            position += 1
        elif item.type == "ordered_port_connection":
            expr = text(item)
            signals = distinct(names(expr))
            expr = expr[: limits.EXPRESSION_CHARS]
            found.append(Connection("", expr, signals, line, position, TREE))
        elif item.type == "named_port_connection":
            found.append(_named(item, line, text))
    return tuple(found)


def _named(item: Any, line: int, text: Text) -> Connection:
    name = item.child_by_field_name("port_name")
    if name is None:
        return Connection("*", "", line=line, witnesses=TREE)
    actual = item.child_by_field_name("connection")
    written = text(item)
    expr = text(actual) if actual is not None else ""
    if actual is None and "(" not in written:
        expr = text(name)
    signals, expr = distinct(names(expr)), expr[: limits.EXPRESSION_CHARS]
    return Connection(text(name), expr, signals, line, witnesses=TREE)
