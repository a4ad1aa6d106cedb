"""What tells a state machine from a counter, a flag or a multiplexer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hdlgraph.model.flow import Step
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.parsers.text.conditions import bare
from hdlgraph.query.signals.machines.choices import CONSTANT, METHOD, alone, leaves
from hdlgraph.query.signals.machines.moves import Move, Named
from hdlgraph.query.signals.unit import UnitView

LEAST = 2
"""States of a machine."""
LEAST_NUMBERS = 3
"""States of a machine whose states are numbers and whose register is not named as one."""
_STATE = re.compile(r"state|fsm|(^|_)(st|stm|sm|cs|ns|phase|step)(_|\d|$)", re.I)
_FLAG = re.compile(r"^(?:true|false|on|off|high|low|enabled?|disabled?)$|mubi", re.I)


def is_state(name: str) -> bool:
    """Returns whether a name tells that it holds a state."""
    return bool(_STATE.search(name.rpartition(".")[2]))


def is_machine(view: UnitView, known: Named, names: Sequence[str], moves: Sequence[Move]) -> bool:
    """Returns whether a register with its moves is a state machine.

    Args:
        view: the unit.
        known: the register and its states.
        names: the names whose assignment sets it.
        moves: what gives it a state.
    """
    labels, reached = known.labels, {move.target for move in moves}
    states = set(labels) | reached
    if len(states) < LEAST or not reached:
        return False
    named = {state for state in states if not state[:1].isdigit()}
    plain = {state for state in named if not _FLAG.search(state)}
    if not labels and steps_itself(view, names):
        return True
    if not labels:  # an enumeration whose members are told apart in expressions alone
        is_known = bool(known.members) and is_state(known.pair.register)
        return is_known and len(plain & reached) >= LEAST and _chooses_constants(view, names)
    if all(state.startswith("[") for state in states):  # one-hot code of numbered bits
        return len(reached) >= LEAST and len(_steps(moves)) >= LEAST
    is_named = is_state(known.pair.register)
    if len(plain) >= LEAST:
        if "." in known.pair.register and not is_named and len(_steps(moves)) < LEAST:
            return False  # a field of a configuration, such as a saved mode
        counts = not (known.members or is_named) and _counts(view, names)
        return not counts and (bool(known.members) or bool(reached & set(labels)))
    if named or len(reached) < LEAST:
        return False
    if is_named:
        return True
    is_far = len(states) >= LEAST_NUMBERS and len(_steps(moves)) >= LEAST
    return is_far and _chooses_constants(view, names)


def steps_itself(view: UnitView, names: Iterable[str]) -> bool:
    """Returns whether one of some names is given the next member of its enumeration."""
    own = [*names]
    return any(
        (found := METHOD.match(bare(leaf))) and found[1] in own and found[2] in ("next", "prev")
        for name in own
        for _, step in view.writes.get(name, ()) if "." in step.value
        for leaf, _ in leaves(step.value)
    )  # fmt: skip


def _steps(moves: Iterable[Move]) -> set[tuple[str, str]]:
    """Returns the (source, target) of the moves out of a state that a test names."""
    return {
        (source, move.target)
        for move in moves
        for source in move.sources
        if source not in ("default", move.target)
    }


def _values(view: UnitView, names: Sequence[str]) -> list[tuple[Step, str]]:
    """Returns what is assigned to some names: each step with each value that it chooses from."""
    found = []
    for name in names:
        for block, whole in view.writes.get(name, ()):
            step = alone(view, whole, name)
            if block.kind not in ("initial", "final", "assert"):
                found += [(step, leaf) for leaf, _ in leaves(step.value)]
    return found


def _counts(view: UnitView, names: Sequence[str]) -> bool:
    """Returns whether a register is assigned what is made of its own value, as a counter is."""
    own = set(names)
    for step, value in _values(view, names):
        reads = {view.flow.names[number] for number in step.reads}
        words = set(re.findall(r"[A-Za-z_][\w$.]*", value)) if value else reads
        if words & own and value not in own:
            return True
    return False


def _chooses_constants(view: UnitView, names: Sequence[str]) -> bool:
    """Returns whether a register is assigned constants and what it holds already, all of it."""
    found = _values(view, names)
    for step, value in found:
        if any("[" in bits for _, bits in step.writes):
            return False
        is_constant = CONSTANT.fullmatch(value) and constant(value) not in view.lines
        held = value in names and value in view.writes
        if not (is_constant or held or value in ("'0", "'1")):
            return False
    linked = any(link.writes for name in names for _, link in view.links.get(name, ()))
    return bool(found) and not linked
