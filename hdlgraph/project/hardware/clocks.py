"""Clocks below a top: `Project.clock_tree` and `Project.crossings`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexVersionError, UsageError
from hdlgraph.project.hardware.signals import Signals

if TYPE_CHECKING:
    from hdlgraph.query.clocks.analysis import Analysis
    from hdlgraph.query.signals.design import Design as Units

KEPT = 4
"""Tops whose clocks are kept for further questions."""
LIMIT = 20
SECONDS = 30.0
NAMED = 8


class Clocks(Signals):
    """The part of a project for clock and reset trees, and data that crosses clocks."""

    _one_at_a_time = threading.RLock()
    """What is known of a net is worked out in steps that must not mix."""
    _analyses: tuple[Units, dict[tuple[int, float], Analysis]] | None = None

    def clock_tree(
        self, name: str, resets: bool = False, limit: int = LIMIT, seconds: float = SECONDS
    ) -> dict[str, Any]:
        """Returns the clocks or the resets below a unit, with what hangs on each.

        Args:
            name: of the unit, or the id of its node.
            resets: the resets and not the clocks.
            limit: the greatest number of clocks, and of steps of each, that are listed.
            seconds: of each step of the work; what is not done then is left out.

        Raises:
            UsageError: there is no such unit, or there are several.
        """
        from hdlgraph.query.clocks.resets import reset_tree
        from hdlgraph.query.clocks.tree import clock_tree
        from hdlgraph.query.collection import uncollected

        with self._one_at_a_time, uncollected():
            analysis = self._analysis(name, seconds)
            return self._with_stale_clocks((reset_tree if resets else clock_tree)(analysis, limit))

    def crossings(
        self, name: str, kind: str = "all", limit: int = LIMIT, seconds: float = SECONDS
    ) -> dict[str, Any]:
        """Returns where data of one clock reaches a register of another below a unit.

        Args:
            name: of the unit, or the id of its node.
            kind: what is in the way: "none", "handshake", "fifo", "synchroniser", or "all".
            limit: the greatest number that is listed; all are counted.
            seconds: of each step of the work; what is not done then is left out.

        Raises:
            UsageError: there is no such unit or kind, or there are several units.
        """
        from hdlgraph.query.clocks.listing import crossings
        from hdlgraph.query.collection import uncollected

        with self._one_at_a_time, uncollected():
            return self._with_stale_clocks(crossings(self._analysis(name, seconds), kind, limit))

    def show(self, name: str, limit: int | None = 50) -> dict[str, Any]:
        """Returns all definitions of a name; of a signal that is a register also its clock.

        See `Design.show`. A port or signal has `clocked`, where a process or a register cell
        assigns it at a clock; a unit that is a register cell has `register_outputs`.
        """
        from hdlgraph.query.signals.shown import with_clocks

        found = super().show(name, limit)
        try:
            design = self._signals()
        except IndexVersionError:  # of an earlier version: the graph answers alone
            return found
        return with_clocks(design, found)

    def _with_stale_clocks(self, found: dict[str, Any]) -> dict[str, Any]:
        """Returns an answer with what moved since the index was made."""
        notes = found["notes"]
        stale = self._with_stale({})
        return {**found, "notes": [*notes, *stale["notes"]], "stale": stale["stale"]}

    def _analysis(self, name: str, seconds: float) -> Analysis:
        from hdlgraph.query.clocks.analysis import Analysis
        from hdlgraph.query.clocks.network import INSTANCES, Limits
        from hdlgraph.query.clocks.units import Units as Drivers

        design = self._signals()
        rows = design.units(name)
        if len(rows) > 1:
            raise UsageError(_several(design, name, rows))
        kept = self._analyses
        if kept is None or kept[0] is not design:
            self._analyses = kept = (design, {})
        found = kept[1].get((rows[0], seconds))
        if found is None:
            while len(kept[1]) >= KEPT:
                kept[1].pop(next(iter(kept[1])))
            limits = Limits(INSTANCES, seconds)
            found = kept[1][rows[0], seconds] = Analysis(Drivers(design), rows[0], limits)
        return found


def _several(design: Units, name: str, rows: list[int]) -> str:
    units = [design.flows.units[row] for row in rows]
    places = ", ".join(f"{one.id} (line {one.line})" for one in units[:NAMED])
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return f"{name[:200]!r} is the name of {len(rows)} units: {places}{more}; give one of these ids"
