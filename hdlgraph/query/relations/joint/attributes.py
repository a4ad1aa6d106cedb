"""What a file has that may answer each kind of relation."""

from __future__ import annotations

from hdlgraph.model import NodeKind
from hdlgraph.query.relations.design import INSTANCE, NETS, TYPES, Design
from hdlgraph.query.relations.joint.pairs import EXTENDS, IMPORTS
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.words import split_identifier

UNITS, NAMES = 8, 400
"""Units of a file, and names of a unit, that are looked at."""
CLOCKING = frozenset(("clk", "clock", "rst", "reset", "clkmgr", "rstmgr"))
HEADERS = (".vh", ".svh")
PACKAGE = NodeKind.PACKAGE.value
INSTANCES = frozenset({INSTANCE})


def attributes(number: int, resolver: Resolver) -> tuple[bool, ...]:
    """Returns whether a file has what answers each of `kinds.KINDS`."""
    design = resolver.design
    units = design.units_of.get(number, [])[:UNITS]
    package = any(design.kinds[row] == PACKAGE for row in units)
    parent = any(design.children(row) for row in units)
    part = any(design.parents(row) for row in units)
    return (
        part,
        parent,
        not package,
        not package,
        parent,
        part,
        package or resolver.path(number).endswith(HEADERS)
        or any(design.declared(row, TYPES) for row in units),
        any(True for row in units for _ in design.out(row, IMPORTS)),
        any(True for row in units for _ in design.out(row, EXTENDS)),
        number in resolver.binding,
        any(_conditional(design, row) for row in units),
        resolver.tests(number),
        any(not CLOCKING.isdisjoint(split_identifier(design.names[row])) for row in units),
        any(_has_states(design, row) for row in units),
    )  # fmt: skip


def _conditional(design: Design, unit: int) -> bool:
    """Returns whether a generate or `ifdef condition stands around an instance of a unit."""
    return any(design.details[row] for row in design.declared(unit, INSTANCES))


def _has_states(design: Design, unit: int) -> bool:
    names = (design.last(row).lower() for row in design.declared(unit, NETS | TYPES)[:NAMES])
    return any("state" in name or "fsm" in name for name in names)
