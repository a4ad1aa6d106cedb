"""Instances and binds from pyslang nodes."""

from __future__ import annotations

from typing import Any

from hdlgraph.model import BIT, Bind, Connection, Instance, Layer, Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.text.directives import scopes_at
from hdlgraph.parsers.text.expressions import distinct, names

SLANG = BIT[Layer.SLANG]


def read_instances(node: Any, scopes: tuple[Scope, ...], at: NodeText) -> list[Instance]:
    """Returns the instances that one instantiation statement makes."""
    unit = at.text(node.type) if is_node(node.type) else node.type.valueText
    overrides = read_overrides(node.parameters, at)
    comments = at.inventory.comments
    start = at.line(node)
    found: list[Instance] = []
    for item in node.instances:
        if not is_node(item):
            continue
        name = item.decl.name if item.decl else None
        line = (at.token_line(name) if name else 0) or start
        if not line:
            continue
        begin = start if not found else line
        found.append(
            Instance(
                name=name.valueText if name else "",
                unit=unit,
                line=line,
                end_line=max(at.end_line(item), line),
                parameters=overrides,
                connections=read_connections(item, at),
                scopes=(*scopes_at(at.inventory.regions, line), *scopes),
                comment=comments.above.get(begin - 1)
                or comments.beside.get(begin)
                or comments.beside.get(line, ""),
                witnesses=SLANG,
                confidence=0.95,
                override_witnesses=(SLANG,) * len(overrides),
            )
        )
    return found


def read_overrides(node: Any, at: NodeText) -> tuple[tuple[str, str], ...]:
    """Returns parameter overrides as (name, expression); ordered ones are named #0, #1, ..."""
    if node is None:
        return ()
    found = []
    position = 0
    for item in node.parameters:
        if not is_node(item):
            continue
        value = at.text(item.expr, limits.EXPRESSION_CHARS) if item.expr else ""
        found.append((item.name.valueText if hasattr(item, "name") else f"#{position}", value))
        position += 1
    return tuple(found)


def read_connections(item: Any, at: NodeText) -> tuple[Connection, ...]:
    """Returns the port connections of one instance as written."""
    found: list[Connection] = []
    position = 0
    for port in item.connections:
        if not is_node(port):
            continue
        kind = type(port).__name__
        if kind == "NamedPortConnectionSyntax":
            name = port.name.valueText
            if port.openParen:
                found.append(_connection(name, port.expr, port, -1, at))
            else:
                line = at.line(port)
                found.append(Connection(name, name, (name,), line, witnesses=SLANG))
        elif kind == "WildcardPortConnectionSyntax":
            found.append(Connection("*", "", line=at.line(port), witnesses=SLANG))
        else:
            found.append(_connection("", getattr(port, "expr", None), port, position, at))
        position += 1
    if len(found) == 1 and found[0].port == "" and not found[0].expr:
        return ()
    return tuple(found)


def _connection(name: str, expr: Any, node: Any, position: int, at: NodeText) -> Connection:
    text = at.text(expr)
    return Connection(
        port=name,
        expr=text[: limits.EXPRESSION_CHARS],
        signals=distinct(names(text)),
        line=at.line(node),
        position=position,
        witnesses=SLANG,
    )


def read_binds(node: Any, at: NodeText) -> list[Bind]:
    """Returns the binds of one directive; a target path is cut to its first name."""
    line = at.line(node)
    instantiation = node.instantiation
    if not line or not hasattr(instantiation, "instances"):
        return []
    target = at.text(node.target).split("[")[0]
    return [
        Bind(
            target=target,
            unit=instance.unit,
            name=instance.name,
            line=line,
            connections=instance.connections,
            witnesses=SLANG,
        )
        for instance in read_instances(instantiation, (), at)
    ]
