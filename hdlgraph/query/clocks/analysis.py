"""What is known of the clocks below one top, made once and kept for further questions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from hdlgraph.parsers.text.expressions import GATES
from hdlgraph.query.clocks.conditions import Conditions
from hdlgraph.query.clocks.crossings import Crossing, Finder
from hdlgraph.query.clocks.data import Data
from hdlgraph.query.clocks.domains import Domains
from hdlgraph.query.clocks.elements.doubts import Doubts
from hdlgraph.query.clocks.keys import Key
from hdlgraph.query.clocks.network import Limits, Net, Network
from hdlgraph.query.clocks.passing import CLOCK
from hdlgraph.query.clocks.records import Part
from hdlgraph.query.clocks.roots import CONSTANT, OPEN, UNKNOWN, Roots
from hdlgraph.query.clocks.units import VENDOR_BUFFERS, Units
from hdlgraph.query.signals.design import OUTPUT

UNITS, NAMES = 5, 4
"""Units that are named, and clocks of each."""
CELL = 6
"""Ports of a unit with one clock that is taken for a gate or buffer and followed, at most."""


class Analysis:
    """The clocks, resets and crossings below a top; each is made when it is asked for."""

    def __init__(self, units: Units, row: int, limits: Limits) -> None:
        self.limits = limits
        self.network = Network(units, row, limits)
        self.clocks, self.resets = Roots(self.network), Roots(self.network, resets=True)

    @cached_property
    def data(self) -> Data:
        """Returns the data paths."""
        self.network.start_clock()
        return Data(self.network)

    @cached_property
    def domains(self) -> Domains:
        """Returns the clock of each register."""
        return Domains(self.network, self.clocks, self.data)

    @cached_property
    def finder(self) -> Finder:
        """Returns what finds crossings."""
        return Finder(self.domains, self.conditions)

    @cached_property
    def conditions(self) -> Conditions:
        """Returns what tells the conditions of ways."""
        return Conditions(self.data)

    @cached_property
    def doubts(self) -> Doubts:
        """Returns what tells the ways that are doubtful."""
        return Doubts(self.data)

    @cached_property
    def crossings(self) -> list[Crossing]:
        """Returns the crossings."""
        finder = self.finder
        self.network.start_clock()
        return finder.find()

    def head(self) -> dict[str, Any]:
        """Returns the keys that all reports have: the top and what was looked at."""
        network = self.network
        unit = network.unit(0).unit
        return {
            "schema": 1,
            "top": unit.name,
            "unit_id": unit.id,
            "location": network.location(0, unit.line),
            "instances": len(network.rows),
            "left_out": network.left_out,
        }

    def notes(self) -> list[str]:
        """Returns what a reader should know."""
        notes = []
        if self.network.left_out:
            notes.append(
                f"{self.network.left_out} instances were left out: more than "
                f"{self.limits.instances} of them, or more than {self.limits.seconds:g} s; "
                "name a unit below the top"
            )
        repeated = sorted(self.network.repeated.items(), key=lambda one: one[1])
        names = [f"{self.network.units.at(row).unit.name} ({at})" for row, at in repeated[:UNITS]]
        if names:
            more = f" and {len(repeated) - UNITS} more" if repeated[UNITS:] else ""
            notes.append(
                f"{', '.join(names)}{more} instantiate themselves, to a depth that no parameter "
                "tells: one level of each was looked at"
            )
        return notes


def clocks_outside(network: Network, roots: Roots) -> list[str]:
    """Returns which clocks go into which units that the index does not hold, most clocks first."""
    found: dict[str, dict[str, None]] = {}
    places: dict[str, str] = {}
    for at in range(len(network.rows)):
        for part in network.unit(at).parts:
            name = part.child.unit
            if part.row >= 0 or name in GATES or name in VENDOR_BUFFERS:
                continue
            if network.has(at, part.child.guard):
                clocks = _clocks(network, roots, at, part)
                if clocks:
                    found.setdefault(name, {}).update(clocks)
                    places.setdefault(name, network.location(at, part.child.line))
    order = sorted(found, key=lambda name: (-len(found[name]), name))
    told = [_told(name, places[name], list(found[name])) for name in order[:UNITS]]
    if len(order) > UNITS:
        told.append(f"clocks go into {len(order) - UNITS} more units that the index does not hold")
    return told


def _clocks(network: Network, roots: Roots, at: int, part: Part) -> dict[str, None]:
    """Returns the names of the clocks at the inputs of an instance."""
    ports = [
        actual
        for port, actual in part.actuals.items()
        if CLOCK.search(port) and actual.direction != OUTPUT and len(actual.keys) == 1
    ]
    unit = network.unit(at)
    is_source = any(
        unit.outside(one.keys[0]) == one.line and _begins(roots, at, one.keys[0]) for one in ports
    )
    if is_source or (len(ports) == 1 and len(part.actuals) <= CELL):
        return {}
    traced = (roots.roots[roots.of(Net(at, one.keys[0])).root] for one in ports)
    live = (one for one in traced if one.kind not in (CONSTANT, OPEN, UNKNOWN))
    return dict.fromkeys(network.name(one.net) for one in live)


def _begins(roots: Roots, at: int, key: Key) -> bool:
    """Returns whether a clock comes out of an unknown unit at a net, as of a PLL."""
    root = roots.roots[roots.of(Net(at, key)).root]
    return root.kind == UNKNOWN and root.net == Net(at, key)


def _told(unit: str, place: str, clocks: list[str]) -> str:
    names = ", ".join(clocks[:NAMES]) + (", ..." if len(clocks) > NAMES else "")
    count = f"{len(clocks)} clocks go" if len(clocks) > 1 else "1 clock goes"
    return (
        f"{count} into {unit} ({place}), which the index does not hold: {names}; registers and "
        "crossings in it are not counted"
    )
