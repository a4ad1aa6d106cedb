"""Modports that call what an interface holds by other names: `modport m(output .d(data))`."""

from __future__ import annotations

from hdlgraph.query.signals.design import INTERFACE, Design

Modport = tuple[str, str]
"""(name of the interface, name of the modport)."""


def of_port(design: Design, row: int, port: str) -> Modport:
    """Returns the modport in the type of a port, ("", "") where it has none."""
    direction, _, of = design.view(row).ports.get(port, ("", 0, ""))
    interface, _, modport = of.partition(".")
    has_modport = direction == INTERFACE and modport
    return (interface.partition("#")[0].strip(), modport.strip()) if has_modport else ("", "")


def names_inside(design: Design, modport: Modport, member: str) -> list[str]:
    """Returns what a modport calls a member of its interface: `data` is `d`, IEEE 1800, 25.5.4."""
    field, dot, rest = member.partition(".")
    named = [port for port, inner in _pairs(design, modport) if inner == field]
    return [port + dot + rest for port in named] or [member]


def names_outside(design: Design, modport: Modport, member: str) -> list[str]:
    """Returns what the interface itself calls a member of one of its modports."""
    field, dot, rest = member.partition(".")
    named = [inner for port, inner in _pairs(design, modport) if port == field]
    return [inner + dot + rest for inner in named] or [member]


def direction_in(design: Design, modport: Modport, member: str) -> str:
    """Returns the direction that a modport gives one of its members, "" where it is not known."""
    field = member.partition(".")[0]
    for row in design.flows.by_name.get(modport[0], ())[:1]:
        for name, ports in design.flows.units[row].modports:
            for direction, port in ports:
                if name == modport[1] and port == field:
                    return direction
    return ""


def _pairs(design: Design, modport: Modport) -> list[tuple[str, str]]:
    interface, name = modport
    rows = design.flows.by_name.get(interface, ())[:1] if name else ()
    named = (one for row in rows for one in design.view(row).flow.modports)
    return [(port, inner) for of, port, inner in named if of == name]
