"""What is known of the clocks below one top, made once and kept for further questions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from hdlgraph.query.clocks.conditions import Conditions
from hdlgraph.query.clocks.crossings import Crossing, Finder
from hdlgraph.query.clocks.data import Data
from hdlgraph.query.clocks.domains import Domains
from hdlgraph.query.clocks.network import Limits, Network
from hdlgraph.query.clocks.roots import Roots
from hdlgraph.query.clocks.units import Units


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
        if not self.network.left_out:
            return []
        return [
            f"{self.network.left_out} instances were left out: more than "
            f"{self.limits.instances} of them, or more than {self.limits.seconds:g} s; "
            "name a unit below the top"
        ]
