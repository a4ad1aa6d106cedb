"""State machines as Mermaid state diagrams."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.query.signals.records import StateMachine

LABEL = 60
"""Characters that are kept of a condition."""
_WORD = re.compile(r"\W")
_STEERING = re.compile(r"[^\w\s!&|=<>()\[\]'.,+*/^~?-]")


def mermaid(unit: str, machines: Sequence[StateMachine]) -> str:
    """Returns the state machines of a unit as one Mermaid diagram, a composite state for each.

    Without a machine a comment says so.
    """
    lines = ["stateDiagram-v2"]
    if not machines:
        lines.append(f"    %% {_safe(unit)}: no state machine found")
    for number, machine in enumerate(machines):
        prefix = f"m{number}_" if len(machines) > 1 else ""
        inner = "    "
        if prefix:
            lines.append(f'    state "{_safe(machine.register)}" as m{number} {{')
            inner = "        "
        lines += [inner + line for line in _body(machine, prefix)]
        if prefix:
            lines.append("    }")
    return "\n".join(lines) + "\n"


def _body(machine: StateMachine, prefix: str) -> list[str]:
    def name(state: str) -> str:
        return f"{prefix}s_{_WORD.sub('_', state)}"

    states = dict.fromkeys(state for state, _ in machine.states)
    extra = {one.source or "any state" for one in machine.transitions} - set(states)
    lines = [f'state "{_safe(state)}" as {name(state)}' for state in (*states, *sorted(extra))]
    if machine.reset:
        lines.append(f"[*] --> {name(machine.reset)}")
    lines += [f"note right of {name(one)} : nothing leads here" for one in machine.unreached]
    for one in machine.transitions:
        when = _safe(one.condition)
        when = when if len(when) <= LABEL else when[: LABEL - 3] + "..."
        ends = f"{name(one.source or 'any state')} --> {name(one.target)}"
        lines.append(f"{ends} : {when}" if when else ends)
    return list(dict.fromkeys(lines))


def _safe(text: str) -> str:
    """Returns a text without what would end a label or a line of a diagram."""
    return " ".join(_STEERING.sub(" ", text).split())
