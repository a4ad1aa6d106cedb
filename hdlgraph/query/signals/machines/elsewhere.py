"""What may set a state besides the processes of its unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hdlgraph.model import Location
from hdlgraph.query.signals.machines.inlined import never_called
from hdlgraph.query.signals.records import StateMachine
from hdlgraph.query.signals.unit import UnitView


def notes(view: UnitView, found: Iterable[StateMachine]) -> Iterator[str]:
    """Yields a sentence for each routine that sets a state and that no process of the unit calls.

    Args:
        view: the unit.
        found: its state machines.
    """
    machines = list(found)
    routines = never_called(view) if machines else []
    for machine in machines:
        own = {machine.register, machine.next} - {""}
        for name, body in routines:
            steps = (s for s in body.steps for n, _ in s.writes if view.flow.names[n] in own)
            line = next((step.line for step in steps), 0)
            if line:
                where = Location(view.unit.path, line)
                what = f"{body.kind} {name}".strip()
                yield (
                    f"the state {machine.register} of {machine.unit} may also be set by {what} "
                    f"({where}), which no process of the unit is seen to call"
                )
