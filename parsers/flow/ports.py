"""What ports that have another name inside their unit drive and read there."""

from __future__ import annotations

from typing import Any

from hdlgraph.model.flow import Block, Step, Target
from hdlgraph.parsers.flow.names import BITS, Names
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.slang.ports import references

_EXPLICIT = ("ExplicitNonAnsiPort", "ExplicitAnsiPort")


def port_blocks(node: Any, names: Names, at: NodeText) -> list[Block]:
    """Returns an assignment for each port as `.o(w)`: an output of its inside, an input to it.

    IEEE 1800, clauses 23.2.2.1 and 23.2.2.2.
    """
    ports = getattr(getattr(node, "header", None), "ports", None)
    items = [
        one
        for one in (getattr(ports, "ports", ()) if ports is not None else ())
        if is_node(one) and one.kind._name_ in _EXPLICIT and one.expr is not None
    ]
    ways = _directions(node) if items else {}
    found = (_block(one, ways, names, at) for one in items)
    return [one for one in found if one is not None]


def modport_names(node: Any, names: Names) -> list[tuple[str, str, str]]:
    """Returns (modport, port, name in the interface) of ports such as `.d(data)` (25.5.4)."""
    found = []
    for item in (one for one in node.items if is_node(one)):
        groups = (one for one in getattr(item.ports, "ports", ()) if is_node(one))
        for port in (port for group in groups for port in getattr(group, "ports", ())):
            if (
                is_node(port)
                and port.kind._name_ == "ModportExplicitPort"
                and port.expr is not None
            ):
                numbers = {number for number, _ in names.targets(port.expr)[0]}
                inner = [name for name, number in names.numbers.items() if number in numbers]
                found += [(item.name.valueText, port.name.valueText, one) for one in inner]
    return found


def _directions(node: Any) -> dict[str, str]:
    """Returns the directions that declarations in the body give."""
    found = {}
    for one in node.members:
        if is_node(one) and one.kind._name_ == "PortDeclaration":
            way = getattr(one.header, "direction", None)
            for item in one.declarators:
                if is_node(item) and way is not None:
                    found[item.name.valueText] = way.valueText
    return found


def _block(item: Any, ways: dict[str, str], names: Names, at: NodeText) -> Block | None:
    line, port = at.line(item), item.name.valueText
    if item.kind._name_ == "ExplicitAnsiPort":
        way, inside = item.direction.valueText, names.targets(item.expr)[0]
    else:
        parts = references(item.expr)
        way = next((ways.get(one.name.valueText, "") for one in parts), "")
        inside = tuple(_target(one, names, at) for one in parts)
    outside = (names.number(port), "")
    inside = tuple(one for one in inside if one[0] != outside[0])
    if not line or not port or not inside or not way:
        return None
    inner = tuple(dict.fromkeys(number for number, _ in inside))
    out = Step(line, -1, (outside,), inner)
    into = Step(line, -1, inside, (outside[0],))
    steps = {"output": (out,), "input": (into,)}.get(way, (out, into))
    kind = "assign" if len(steps) == 1 else "alias"
    return Block(kind, line, max(at.end_line(item), line), port, (), steps)


def _target(part: Any, names: Names, at: NodeText) -> Target:
    bits = at.text(part.select) if part.select is not None else ""
    return names.number(part.name.valueText), bits[:BITS]
