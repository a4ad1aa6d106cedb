"""Gates, defparams and primitives of the user from pyslang nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hdlgraph.model import BIT, Defparam, Gate, Layer, Port
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.instances import dimensions_of
from hdlgraph.parsers.slang.places import NodeText, is_node

SLANG = BIT[Layer.SLANG]


def read_gates(node: Any, at: NodeText) -> list[Gate]:
    """Returns the gates of one statement; those of a header are left out."""
    found = []
    start = at.line(node)
    for item in node.instances:
        if not is_node(item):
            continue
        name = item.decl.name.valueText if item.decl else ""
        line = (at.token_line(item.decl.name) if item.decl else at.line(item)) or start
        terminals = tuple(
            at.text(getattr(one, "expr", None), limits.EXPRESSION_CHARS)
            for one in item.connections
            if is_node(one)
        )
        if line:
            dimensions = dimensions_of(item.decl, at)
            kind, condition = node.type.valueText, at.condition(line)
            found.append(Gate(kind, name, line, terminals, dimensions, condition))
    return found


def read_defparams(node: Any, at: NodeText) -> list[Defparam]:
    """Returns the overrides of one defparam statement."""
    found = []
    for item in node.assignments:
        line = at.line(item) if is_node(item) else 0
        if line:
            path = "".join(at.text(item.name).split())
            value = at.value(item.setter.expr)[: limits.EXPRESSION_CHARS]
            found.append(Defparam(path, value, line, at.condition(line)))
    return found


def read_primitive_ports(node: Any, at: NodeText) -> list[Port]:
    """Returns the ports of a primitive in the order of its header."""
    listed = [item for item in getattr(node.portList, "ports", ()) if is_node(item)]
    if listed and not hasattr(listed[0], "keyword"):
        declared: dict[str, Port] = {}
        for item in node.body.portDecls:
            for port in _declared(item, at) if is_node(item) else ():
                declared.setdefault(port.name, port)
        names = [item.identifier.valueText for item in listed]
        return [declared[name] for name in names if name in declared]
    return [port for item in listed for port in _declared(item, at)]


def _declared(item: Any, at: NodeText) -> Iterator[Port]:
    if hasattr(item, "names"):
        names, kind = [one.identifier for one in item.names if is_node(one)], ""
    else:
        is_register = getattr(item, "reg", None) is not None and item.reg.valueText
        names, kind = [item.name], "reg" if is_register else ""
    direction = item.keyword.valueText if item.keyword else ""
    for name in names:
        line = at.token_line(name)
        if line and direction in ("input", "output"):
            near, condition = at.inventory.comments.near(line), at.condition(line)
            yield Port(name.valueText, direction, kind, line, near, SLANG, condition)
