"""Reads which bits of nets and variables each statement and connection drives."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.index.elaborate.bodies import Bodies
from hdlgraph.index.elaborate.compilation import Compiled, Places
from hdlgraph.store.design.elaborated import Body, Driven, Elaborated

MOST = 1_000_000
"""Drivers that are kept."""
_KINDS = {
    "AlwaysComb": "always_comb",
    "AlwaysFF": "always_ff",
    "AlwaysLatch": "always_latch",
    "Always": "always",
    "Initial": "initial",
    "Final": "final",
    "Subroutine": "subroutine",
    "ContinuousAssign": "assign",
    "Instance": "instance",
    "InstanceBody": "port",
}


def with_drivers(compiled: Compiled, bodies: Bodies, found: Elaborated) -> Elaborated:
    """Returns the bodies with the drivers of nets that are driven in part or more than once."""
    from pyslang import analysis

    manager = analysis.AnalysisManager()
    manager.analyze(compiled.compilation)
    filled: list[Body] = []
    held = 0
    for body, values in zip(found.bodies, bodies.values, strict=False):
        driven: list[Driven] = []
        if held < MOST:
            for prefix, one in values:
                driven += _drivers(prefix, one, manager.getDrivers(one), compiled.places)
        held += len(driven)
        filled.append(msgspec.structs.replace(body, driven=tuple(driven)))
    rest = found.bodies[len(filled) :]
    return msgspec.structs.replace(found, bodies=(*filled, *rest))


def _drivers(prefix: str, symbol: Any, drivers: Any, places: Places) -> list[Driven]:
    if not drivers:
        return []
    last = symbol.type.selectableWidth - 1
    if len(drivers) == 1 and tuple(drivers[0].bounds) == (0, last):
        return []
    found = []
    for one in drivers:
        low, high = one.bounds
        inside = str(one.containingSymbol.kind).rpartition(".")[2]
        source = str(one.source).rpartition(".")[2]
        kind = _KINDS.get(source) or _KINDS.get(inside, "other")
        found.append(
            Driven(prefix + symbol.name, high, low, kind, *places.of(one.sourceRange.start))
        )
    return sorted(found, key=lambda one: (one.lsb, one.msb, one.path, one.line, one.kind))
