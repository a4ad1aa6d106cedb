"""Signals: `Project.drivers`, `loads`, `clocks`, `resets`, `machines`, `trace`, `fsm`, and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexVersionError, UsageError
from hdlgraph.project.hardware.members import Members

if TYPE_CHECKING:
    from hdlgraph.query.signals.design import Design as Units
    from hdlgraph.query.signals.records import Access, Check, Clock, Reset, StateMachine
    from hdlgraph.query.signals.resolve import Point
    from hdlgraph.store.folder import Generation


WHO = 200
"""Users that `who` lists."""


class Signals(Members):
    """The part of a project that answers how signals are driven, read, clocked and reset.

    A unit is given by its name or by the id of its node in the graph (`module:rtl/uart.sv#uart`);
    of several units of a name all are looked at, and each answer says by `unit_id` whose it is.
    """

    _flows: tuple[Generation, Units] | None = None

    def drivers(self, unit: str, signal: str) -> list[Access]:
        """Returns the places inside a unit that drive one of its signals, by path and line.

        These are assignments and processes, ports of instances that drive it, and the unit's own
        input port of that name. Places in other units are not among them: of an
        instance, `of_id` and `port` say where to go on.

        Args:
            unit: the unit that declares the signal.
            signal: its name, or a member of an interface as `bus.valid`.

        Raises:
            UsageError: there is no such unit, or it has no such signal; the message holds the
                nearest names.
        """
        from hdlgraph.query.signals.access import drivers

        design = self._signals()
        rows = design.having(design.units(unit), signal)
        return [one for row in rows for one in drivers(design, row, signal)]

    def loads(self, unit: str, signal: str) -> list[Access]:
        """Returns the places inside a unit that read one of its signals, by path and line.

        As `drivers`; the unit's own output port counts as a reader of the signal of its name.
        Tests around an assignment (`if`, `case`) count, with `control` set, and so do the events
        that a process waits for.

        Raises:
            UsageError: there is no such unit, or it has no such signal.
        """
        from hdlgraph.query.signals.access import loads

        design = self._signals()
        rows = design.having(design.units(unit), signal)
        return [one for row in rows for one in loads(design, row, signal)]

    def clocks(self, unit: str) -> list[Clock]:
        """Returns the clocks of a unit, the one of most registers first.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.signals.clocks import clocks

        design = self._signals()
        return [one for row in design.units(unit) for one in clocks(design.view(row), design, row)]

    def resets(self, unit: str) -> list[Reset]:
        """Returns the resets of a unit with the values that registers get, most registers first.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.signals.clocks import resets

        design = self._signals()
        return [one for row in design.units(unit) for one in resets(design.view(row))]

    def machines(self, unit: str) -> list[StateMachine]:
        """Returns the state machines of a unit, by line: states, transitions, reset state.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.signals.machines.find import machines

        design = self._signals()
        return [one for row in design.units(unit) for one in machines(design, row)]

    def _machines_at(self, path: str) -> list[StateMachine]:
        """Returns the state machines of the units of a file, [] where the index has no signals."""
        from hdlgraph.query.signals.machines.find import machines

        try:
            design = self._signals()
        except IndexVersionError:
            return []
        rows = [row for row, unit in enumerate(design.flows.units) if unit.path == path]
        return [one for row in rows for one in machines(design, row)]

    def checks(self, unit: str) -> list[Check]:
        """Returns the assertions, covergroups and error messages of a unit, by line.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.signals.checks import checks
        from hdlgraph.store.design.facts import read_facts_of

        design = self._signals()
        held = self._generation()
        held.check("facts.msgpack")
        messages = design.flows.said()
        return [
            check
            for row in design.units(unit)
            for one in (design.flows.units[row],)
            for check in checks(read_facts_of(held.folder, one.path), one.name, one.line, messages)
        ]

    def who(self, name: str, limit: int | None = WHO) -> dict[str, Any]:
        """Returns every place that uses a name; of a signal also what drives and reads it.

        Then come the lines of checks and macros that name it, last those that reach it by a path
        through an instance.

        Args:
            name: the name.
            limit: the greatest number of users; None for all.
        """
        from hdlgraph.query.mentions.reached import SIGNALS, uses_by_path
        from hdlgraph.query.signals.named import named
        from hdlgraph.query.signals.uses import behind, users

        design, points = self._signals_of(name)
        if design is None:
            return super().who(name, limit)
        if not points:
            found = super().who(name, limit)
            points = behind(design, name, found["targets"])  # of an interface that a port is
            if not points:
                return found
        try:
            found = super().who(name, None)
        except UsageError:  # a path through instances, of which the graph knows nothing
            found = self._with_stale({"schema": 1, "name": name, "targets": [], "users": []})
            found["total"] = 0
        known = {(one["user"], one["port"]) for one in found["users"] if "port" in one}
        all_ = [*found["users"], *map(_sentence, users(design, points, known))]
        graph = self.graph()
        rows = [graph.row(one["id"]) for one in found["targets"] if one["kind"] in SIGNALS]
        places = {(one["path"], one["line"]) for one in all_}
        all_ += named(graph, self._sources(), rows, places)
        places |= {(one["path"], one["line"]) for one in all_}
        all_ += uses_by_path(graph, self._sources(), rows, places)
        targets = found["targets"][:limit]
        return {**found, "targets": targets, "users": all_[:limit], "total": len(all_)}

    def path(self, source: str, target: str, limit: int = 3) -> dict[str, Any]:
        """Returns the shortest walks between two names.

        Between two signals it is the way that a value takes, where there is one.
        """
        from hdlgraph.query.signals.uses import flow

        design, starts = self._signals_of(source)
        ends = self._signals_of(target)[1] if starts else []
        found = flow(design, starts, ends) if design and starts and ends else None
        if found is None:
            return self._by_nets(super().path(source, target, limit), limit)
        return self._with_stale({"schema": 1, "from": source, "to": target, **found})

    def _by_nets(self, found: dict[str, Any], limit: int) -> dict[str, Any]:
        """Returns an answer of `path` with the ways by nets between units beside each other first.

        Walks that lead from a unit straight down or up stay as they are.
        """
        from hdlgraph.query.design.between.chain import UNITS, chains
        from hdlgraph.query.design.between.passing import Passing
        from hdlgraph.query.design.between.siblings import ways_between

        graph = self.graph()
        starts, ends = (
            [graph.row(one["id"]) for one in found[key]] for key in ("sources", "targets")
        )
        of = graph.nodes.column("kind")
        are_units = all(any(of[row] in UNITS for row in rows) for rows in (starts, ends))
        if not are_units or chains(graph, starts, ends)[1]:
            return found
        try:
            passes = Passing(self._signals())
        except IndexVersionError:  # of an earlier version: the graph answers alone
            return found
        ways = ways_between(graph, starts, ends, passes.sets, passes, limit)
        walks = [*ways, *found["walks"]][:limit]
        return {**found, "walks": walks, "total": found["total"] + len(ways)}

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what a change of a name may affect; of a signal also the `signals` it reaches."""
        from hdlgraph.query.signals.uses import reached

        found = super().impact(name, depth, limit)
        design, points = self._signals_of(name)
        if design is None or not points:
            return found
        return {**found, "signals": reached(design, points, depth, limit)}

    def _signals_of(self, name: str) -> tuple[Units | None, list[Point]]:
        """Returns the units and the signals that a name means; none where it is no signal."""
        from hdlgraph.query.signals.uses import points_of

        try:
            design = self._signals()
        except IndexVersionError:  # of an earlier version: the graph answers alone
            return None, []
        return design, points_of(design, name)

    def trace(
        self,
        name: str,
        directions: Sequence[str] = ("drivers", "loads"),
        depth: int = 2,
        limit: int = 20,
    ) -> dict[str, Any]:
        """Returns what drives a signal and what it goes into, across units.

        Args:
            name: `NAME`, `UNIT.NAME`, or a path through instances as `top.u_core.pc`.
            directions: "drivers", "loads" or both.
            depth: how many nets away to look, from 1.
            limit: the greatest number of places listed of one net; all are counted.

        Raises:
            UsageError: the name is unknown or ambiguous; the message holds the candidates.
        """
        from hdlgraph.query.signals.trace import trace

        return self._with_stale(trace(self._signals(), name, tuple(directions), depth, limit))

    def fsm(self, unit: str) -> dict[str, Any]:
        """Returns the state machines of a unit: `{schema, unit, machines}`.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.design.names import several
        from hdlgraph.query.signals.machines.elsewhere import notes
        from hdlgraph.query.signals.machines.find import machines

        design = self._signals()
        rows = design.units(unit)
        found = {row: machines(design, row) for row in rows}
        whole = [one.to_dict() for row in rows for one in found[row]]
        answer = self._with_stale({"schema": 1, "unit": unit, "machines": whole})
        units = (design.flows.units[row] for row in rows)
        many = several(unit, [(one.id, one.path, one.line) for one in units])
        more = [note for row in rows for note in notes(design.view(row), found[row])]
        return {**answer, "notes": [*many, *more, *answer["notes"]]}

    def fsm_diagram(self, unit: str) -> str:
        """Returns the state machines of a unit as Mermaid state diagrams.

        Raises:
            UsageError: there is no such unit.
        """
        from hdlgraph.query.signals.diagram import mermaid

        return mermaid(unit, self.machines(unit))

    def _with_stale(self, found: dict[str, Any]) -> dict[str, Any]:
        """Returns an answer with its notes and with what moved since the index was made."""
        moved = self._moved(self._generation().manifest)
        return {**found, "notes": list(self._note_on(moved)), "stale": moved.to_dict()}

    def _signals(self) -> Units:
        """Returns the signals of all units; loaded again after a new index.

        Raises:
            IndexVersionError: the index has no facts of signals.
        """
        from hdlgraph.query.clocks.cells import Cells
        from hdlgraph.query.clocks.units import Units as Drivers
        from hdlgraph.query.signals.design import Design as Units
        from hdlgraph.store.design.flows import FOLDER, Flows

        held, graph = self._held_graph()
        opened = self._flows
        if opened is None or opened[0].id != held.id:
            held.check(FOLDER)
            units = Units(graph, Flows(held.folder))
            cells = Cells(Drivers(units))
            units.held, units.cell = cells.held, cells.told
            self._flows = opened = (held, units)
        return opened[1]


def _sentence(user: dict[str, Any]) -> dict[str, Any]:
    """Returns a user whose `user_name`, `words` and `name` follow each other as in a sentence."""
    first = ("kind", "user", "user_name", "user_kind", "words")
    name = user["target"].rpartition("#")[2]
    return {key: user[key] for key in first} | {"name": name} | user
