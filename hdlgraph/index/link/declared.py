"""How ports, parameters, types, routines and instances are declared, in words of one line."""

from __future__ import annotations

from hdlgraph.model import Instance, Routine, Type

TEXT_LIMIT = 2000
TYPE_LIMIT = 40_000
"""Characters of a type: enumerations of registers have hundreds of members, all to be found."""
DETAIL_LIMIT = 400
WAYS = {"input": "load", "output": "driver", "inout": "inout", "ref": "ref"}


def way_of(direction: str, of_type: str) -> str:
    """Returns what a port does with the net outside: "load", "driver", "interface.target" ..."""
    if direction != "interface":
        return WAYS.get(direction, "")
    modport = of_type.partition(".")[2].strip()
    return f"interface.{modport}" if modport.isidentifier() else "interface"


def conditions(instance: Instance) -> str:
    """Returns the generate blocks and `ifdef branches around an instance, outermost first."""
    parts = []
    for scope in instance.scopes:
        sign = "`" if scope.kind == "ifdef" else ""
        both = [part for part in (scope.label, sign + scope.condition) if part not in ("", "`")]
        parts.append(": ".join(both))
    return "; ".join(filter(None, parts))[:DETAIL_LIMIT]


def parameter_detail(kind: str, of_type: str, default: str) -> str:
    """Returns how a parameter is declared, as `parameter int = 8`."""
    declared = " ".join(filter(None, (kind, of_type)))
    return (f"{declared} = {default}" if default else declared)[:DETAIL_LIMIT]


def declared_type(one: Type) -> str:
    """Returns how a type is declared, as `struct packed, 5 bits {op: logic [3:0] (4 bits)}`."""
    known = {field.name: field for field in one.fields}
    members = []
    for name in one.members:
        field = known.get(name)
        if field is None or not (field.type or field.width):
            members.append(name)
        elif one.kind == "enum":
            members.append(f"{name} = {field.type}")
        else:
            width = f" ({bits(field.width)})" if field.width else ""
            members.append(f"{name}: {field.type}{width}")
    words = " ".join(filter(None, (one.kind, one.base)))
    width = f", {bits(one.width)}" if one.width else ""
    return (words + width + (f" {{{', '.join(members)}}}" if members else ""))[:TYPE_LIMIT]


def bits(width: int) -> str:
    """Returns a width in words."""
    return "1 bit" if width == 1 else f"{width} bits"


def signature(one: Routine) -> str:
    """Returns the arguments and the type of a routine, "" where no reader told them."""
    arguments = [
        " ".join(filter(None, (arg.direction, arg.type, arg.name)))
        + (f" = {arg.default}" if arg.default else "")
        for arg in one.arguments
    ]
    if not (arguments or one.returns or one.dpi):
        return ""
    text = f"({', '.join(arguments)})" + (f" returns {one.returns}" if one.returns else "")
    text += f", DPI {one.dpi} of C {one.foreign or one.name}" if one.dpi else ""
    return text[:TEXT_LIMIT]
