"""Instances and binds from pyslang nodes."""

from __future__ import annotations

from typing import Any

from hdlgraph.model import BIT, Bind, Connection, Instance, Layer, Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.stubs import UNKNOWN
from hdlgraph.parsers.text.directives import scopes_at
from hdlgraph.parsers.text.expressions import GATES, distinct, names, paths

SLANG = BIT[Layer.SLANG]


def read_instances(node: Any, scopes: tuple[Scope, ...], at: NodeText) -> list[Instance]:
    """Returns the instances that one instantiation statement makes."""
    unit, macro = _unit_of(node, at)
    overrides = read_overrides(getattr(node, "parameters", None), at)
    lines = _override_lines(getattr(node, "parameters", None), at)
    comments = at.inventory.comments
    start, origin = at.place(node.sourceRange.start)
    found: list[Instance] = []
    for item in node.instances:
        if not is_node(item):
            continue
        name = item.decl.name if item.decl else None
        line = (at.place(name.location)[0] if name else 0) or start
        if not line or unit in GATES or not (name or at.is_first):
            continue  # without a name it is a primitive, or what is left of a broken branch
        begin = start if not found else line
        around = scopes_at(at.inventory.regions, line) if at.condition(line) else ()
        if not around and at.condition(start):
            around = scopes_at(at.inventory.regions, start)
        found.append(
            Instance(
                name=name.valueText if name else "",
                unit=unit,
                line=line,
                end_line=max(at.end_line(item), line),
                parameters=overrides,
                connections=read_connections(item, at),
                scopes=(*around, *scopes),
                comment=comments.above.get(begin - 1)
                or comments.beside.get(begin)
                or comments.beside.get(line, ""),
                witnesses=SLANG,
                confidence=0.95,
                override_witnesses=(SLANG,) * len(overrides),
                dimensions=dimensions_of(item.decl, at),
                macro=macro,
                origin=origin,
                override_lines=lines,
            )
        )
    return found


def dimensions_of(declared: Any, at: NodeText) -> str:
    """Returns the dimensions behind a declared name as written, "" for none."""
    return "".join(at.text(d) for d in declared.dimensions) if declared is not None else ""


def _unit_of(node: Any, at: NodeText) -> tuple[str, str]:
    """Returns what is instantiated, and the macro that names it."""
    kind = node.type
    if is_node(kind):
        return at.text(kind), ""
    name = kind.valueText
    if name.startswith(UNKNOWN):
        macro = name.removeprefix(UNKNOWN)
        return f"`{macro}", macro
    return name, at.macro(kind)


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


def _override_lines(node: Any, at: NodeText) -> tuple[int, ...]:
    """Returns the line of each override that `read_overrides` lists."""
    listed = node.parameters if node is not None else ()
    return tuple(at.place(one.sourceRange.start)[0] for one in listed if is_node(one))


def read_connections(item: Any, at: NodeText) -> tuple[Connection, ...]:
    """Returns the port connections of one instance as written."""
    found: list[Connection] = []
    position = 0
    for port in item.connections:
        if not is_node(port):
            continue
        kind = type(port).__name__
        line = at.place(port.sourceRange.start)[0]
        if kind == "NamedPortConnectionSyntax":
            name = port.name.valueText
            if port.openParen:
                found.append(_connection(name, port.expr, line, -1, at))
            else:
                condition = at.condition(line)
                found.append(Connection(name, name, (name,), line, -1, SLANG, condition))
        elif kind == "WildcardPortConnectionSyntax":
            condition = at.condition(line)
            found.append(Connection("*", "", (), line, -1, SLANG, condition))
        else:
            found.append(_connection("", getattr(port, "expr", None), line, position, at))
        position += 1
    if len(found) == 1 and found[0].port == "" and not found[0].expr:
        return ()
    return tuple(found)


def _connection(name: str, expr: Any, line: int, position: int, at: NodeText) -> Connection:
    text = at.text(expr)
    return Connection(
        port=name,
        expr=text[: limits.EXPRESSION_CHARS],
        signals=distinct(names(text)),
        line=line,
        position=position,
        witnesses=SLANG,
        condition=at.condition(line),
        paths=paths(text) if "." in text else (),
    )


def read_binds(node: Any, at: NodeText, parent: str) -> list[Bind]:
    """Returns the binds of one directive; without an instance they are of all of the target."""
    line = at.line(node)
    instantiation = node.instantiation
    if not line or not hasattr(instantiation, "instances"):
        return []
    written = at.text(node.target)
    instances: tuple[str, ...] = (written,) if "." in written else ()
    if node.targetInstances is not None:
        listed = node.targetInstances.targets
        instances = tuple("".join(at.text(one).split()) for one in listed if is_node(one))
    return [
        Bind(
            target=written.split("[")[0],
            unit=instance.unit,
            name=instance.name,
            line=line,
            connections=instance.connections,
            witnesses=SLANG,
            instances=instances,
            parameters=instance.parameters,
            override_lines=instance.override_lines,
            condition=at.condition(line),
            parent=parent,
        )
        for instance in read_instances(instantiation, (), at)
    ]
