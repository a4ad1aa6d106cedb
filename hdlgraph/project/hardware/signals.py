"""Signals: `Project.drivers`, `loads`, `clocks`, `resets`, `machines`, `trace`, `fsm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.query.signals.records import Access, Clock, Reset, StateMachine


class Signals(Repository):
    """The part of a project that tells how signals are driven, read, clocked and reset.

    A unit is given by its name or by the id of its node in the graph (`module:rtl/uart.sv#uart`);
    of several units of a name all are looked at, and each answer says by `unit_id` whose it is.
    """

    def drivers(self, unit: str, signal: str) -> list[Access]:
        """Returns the places inside a unit that drive one of its signals, by path and line.

        These are assignments and processes, ports of instances that drive it, binds, and the
        unit's own input port of that name. Places in other units are not among them: of an
        instance, `of_id` and `port` say where to go on.

        Args:
            unit: the unit that declares the signal.
            signal: its name, or a member of an interface as `bus.valid`.

        Raises:
            UsageError: there is no such unit, or it has no such signal; the message holds the
                nearest names.
        """
        raise NotImplementedError

    def loads(self, unit: str, signal: str) -> list[Access]:
        """Returns the places inside a unit that read one of its signals, by path and line.

        As `drivers`; the unit's own output port counts as a reader of the signal of its name.
        Tests around an assignment (`if`, `case`) count, with `control` set, and so do the events
        that a process waits for.

        Raises:
            UsageError: there is no such unit, or it has no such signal.
        """
        raise NotImplementedError

    def clocks(self, unit: str) -> list[Clock]:
        """Returns the clocks of a unit, the one of most registers first.

        Raises:
            UsageError: there is no such unit.
        """
        raise NotImplementedError

    def resets(self, unit: str) -> list[Reset]:
        """Returns the resets of a unit with the values that registers get, most registers first.

        Raises:
            UsageError: there is no such unit.
        """
        raise NotImplementedError

    def machines(self, unit: str) -> list[StateMachine]:
        """Returns the state machines of a unit, by line: states, transitions, reset state.

        Raises:
            UsageError: there is no such unit.
        """
        raise NotImplementedError
