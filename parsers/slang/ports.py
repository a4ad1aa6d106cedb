"""Ports and parameters from pyslang headers and body declarations."""

from __future__ import annotations

from typing import Any

from hdlgraph.model import BIT, Layer, Parameter, Port
from hdlgraph.parsers import limits
from hdlgraph.parsers.finish import direction_of
from hdlgraph.parsers.slang.places import NodeText, is_node

SLANG = BIT[Layer.SLANG]


def read_ports(header: Any, at: NodeText) -> list[Port]:
    """Returns the ports of a module header in order; non-ANSI ones have no direction yet."""
    ports = header.ports
    if ports is None or not hasattr(ports, "ports"):
        return []
    found: list[Port] = []
    former = ("", "")
    for item in ports.ports:
        if not is_node(item):
            continue
        name = type(item).__name__
        if name == "ImplicitAnsiPortSyntax":
            port = _ansi_port(item, former, at)
            former = (port.direction, port.type)
        elif name == "ExplicitAnsiPortSyntax":
            port = _port(item.name, item.direction.valueText, at.text(item.expr), at)
        elif name == "ExplicitNonAnsiPortSyntax":
            port = _port(item.name, "", "", at)
        elif name == "ImplicitNonAnsiPortSyntax" and hasattr(item.expr, "name"):
            port = _port(item.expr.name, "", "", at)
        else:
            continue
        if port.name:
            found.append(port)
    return found


def inner_names(header: Any) -> dict[str, list[str]]:
    """Returns the names inside the unit of the ports that have another: `.o(w)`, `.i({p, q})`.

    IEEE 1800, clauses 23.2.2.1 and 23.2.2.2.
    """
    ports = getattr(header, "ports", None)
    found: dict[str, list[str]] = {}
    for item in getattr(ports, "ports", ()) if ports is not None else ():
        if is_node(item) and item.kind._name_ == "ExplicitNonAnsiPort" and item.expr is not None:
            found[item.name.valueText] = [one.name.valueText for one in references(item.expr)]
    return found


def references(expr: Any) -> list[Any]:
    """Returns the references in the expression of a non-ANSI port, in their order."""
    if expr.kind._name_ == "PortReference":
        return [expr]
    return [one for one in getattr(expr, "references", ()) if is_node(one)]


def _ansi_port(item: Any, former: tuple[str, str], at: NodeText) -> Port:
    header = item.header
    declarator = item.declarator
    dimensions = "".join(at.text(d) for d in declarator.dimensions)
    if type(header).__name__ == "InterfacePortHeaderSyntax":
        return _port(declarator.name, "interface", at.text(header), at)
    direction = header.direction.valueText if header.direction else ""
    written = at.text(header)
    kind = written.removeprefix(direction).strip() if direction else written
    if not direction and not written:
        direction, kind = former
    elif not direction:
        direction = direction_of(kind, former[0])
    if dimensions:
        kind = f"{kind} {dimensions}".strip()
    return _port(declarator.name, direction, kind, at)


def _port(name: Any, direction: str, kind: str, at: NodeText) -> Port:
    line, origin = at.place(name.location)
    return Port(
        name=name.valueText,
        direction=direction,
        type=kind[: limits.TYPE_CHARS],
        line=line,
        comment="" if origin else at.inventory.comments.near(line),
        witnesses=SLANG,
        condition=at.condition(line),
        origin=origin,
    )


def body_ports(declaration: Any, at: NodeText) -> list[Port]:
    """Returns the ports that a declaration in the body completes (non-ANSI style)."""
    header = declaration.header
    direction = header.direction.valueText if hasattr(header, "direction") else "interface"
    kind = at.text(header).removeprefix(direction).strip()
    found = []
    for item in declaration.declarators:
        if is_node(item):
            dimensions = "".join(at.text(d) for d in item.dimensions)
            found.append(_port(item.name, direction, f"{kind} {dimensions}".strip(), at))
    return found


def header_parameters(ports: Any, at: NodeText) -> list[Parameter]:
    """Returns the parameters of a `#( ... )` list."""
    if ports is None:
        return []
    found: list[Parameter] = []
    keyword = "parameter"
    for item in ports.declarations:
        if is_node(item):
            keyword = item.keyword.valueText or keyword
            found.extend(read_parameters(item, keyword, at))
    return found


def read_parameters(declaration: Any, keyword: str, at: NodeText) -> list[Parameter]:
    """Returns the parameters that one declaration makes."""
    found = []
    is_type = hasattr(declaration, "typeKeyword")
    kind = "type" if is_type else at.text(declaration.type, limits.TYPE_CHARS)
    for item in declaration.declarators:
        if not is_node(item) or not item.name.valueText:
            continue
        if is_type:
            value = at.text(item.assignment.type) if item.assignment else ""
        else:
            value = at.value(item.initializer.expr) if item.initializer else ""
            dimensions = "".join(at.text(d) for d in item.dimensions)
            if dimensions:
                kind = f"{at.text(declaration.type)} {dimensions}".strip()
        line, origin = at.place(item.name.location)
        if line and not (origin and keyword == "localparam"):
            found.append(
                Parameter(
                    name=item.name.valueText,
                    kind="type" if is_type and keyword != "localparam" else keyword,
                    type=kind[: limits.TYPE_CHARS],
                    default=value[: limits.EXPRESSION_CHARS],
                    line=line,
                    comment="" if origin else at.inventory.comments.near(line),
                    witnesses=SLANG,
                    condition=at.condition(line),
                    origin=origin,
                )
            )
    return found
