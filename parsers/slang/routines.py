"""Functions and tasks from pyslang nodes: their signatures, and the names that C knows them by."""

from __future__ import annotations

from typing import Any

from hdlgraph.model import Argument, Routine
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node

ARGUMENTS = 64
"""Kept of one routine."""


def read_routine(prototype: Any, node: Any, at: NodeText, dpi: str = "") -> list[Routine]:
    """Returns the function or task of a prototype, or nothing when it is in another file.

    Args:
        prototype: its name, type and arguments.
        node: the declaration.
        at: text and place of nodes.
        dpi: "import" for one that is written in C.
    """
    line = at.line(node)
    if not line:
        return []
    name, kind = at.text(prototype.name), prototype.keyword.valueText
    foreign = ""
    if dpi:
        foreign = (node.c_identifier.valueText if node.c_identifier else "") or name
    return [
        Routine(
            name=name,
            kind=kind,
            line=line,
            end_line=max(at.end_line(node), line),
            comment=at.inventory.comments.of(line),
            arguments=tuple(_arguments(prototype, node, at)[:ARGUMENTS]),
            returns="" if kind == "task" else at.text(prototype.returnType, limits.TYPE_CHARS),
            dpi=dpi,
            foreign=foreign,
            condition=at.condition(line),
        )
    ]


def read_export(node: Any, at: NodeText) -> list[tuple[str, str]]:
    """Returns (name, name in C) of a routine that is exported to C."""
    name = node.name.valueText
    foreign = (node.c_identifier.valueText if node.c_identifier else "") or name
    return [(name, foreign)] if at.line(node) and name else []


def _arguments(prototype: Any, node: Any, at: NodeText) -> list[Argument]:
    ports = prototype.portList
    found: list[Argument] = []
    former = ("input", "")
    for port in ports.ports if ports is not None else ():
        if is_node(port) and hasattr(port, "declarator"):
            found.append(_argument(port, former, at))
            former = (found[-1].direction, _kind(port, at) or former[1])
    if ports is None:
        for item in getattr(node, "items", None) or ():
            if is_node(item) and item.kind._name_ == "PortDeclaration":
                found += _declared(item, at)
    return found


def _kind(port: Any, at: NodeText) -> str:
    return at.text(port.dataType, limits.TYPE_CHARS) if port.dataType is not None else ""


def _argument(port: Any, former: tuple[str, str], at: NodeText) -> Argument:
    written = port.direction.valueText if port.direction else ""
    if written and port.constKeyword and port.constKeyword.valueText:
        written = f"const {written}"
    kind = _kind(port, at) or ("" if written else former[1])
    item = port.declarator
    return Argument(
        name=item.name.valueText,
        direction=written or former[0],
        type=_with_dimensions(kind, item, at),
        default=_default(item, at),
    )


def _declared(node: Any, at: NodeText) -> list[Argument]:
    """Returns the arguments that a declaration in the body of a routine makes."""
    header = node.header
    direction = header.direction.valueText if hasattr(header, "direction") else "input"
    kind = at.text(header, limits.TYPE_CHARS).removeprefix(direction).strip()
    return [
        Argument(one.name.valueText, direction, _with_dimensions(kind, one, at), _default(one, at))
        for one in node.declarators
        if is_node(one)
    ]


def _with_dimensions(kind: str, item: Any, at: NodeText) -> str:
    dimensions = "".join(at.text(d) for d in item.dimensions)
    return f"{kind} {dimensions}".strip()[: limits.TYPE_CHARS]


def _default(item: Any, at: NodeText) -> str:
    return at.value(item.initializer.expr)[: limits.EXPRESSION_CHARS] if item.initializer else ""
