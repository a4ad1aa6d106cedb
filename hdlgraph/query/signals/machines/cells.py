"""A register with its next value; those that are instances of units, by what these do."""

from __future__ import annotations

import re
from typing import NamedTuple

from hdlgraph.model.flow import Child
from hdlgraph.query.signals.clocks import is_reset, timing
from hdlgraph.query.signals.design import INPUT, Design, Held
from hdlgraph.query.signals.unit import UnitView

_AFFIX = re.compile(
    r"^(?:next|nxt|n|cur|curr|current|c|r|reg)_|_(?:next|nxt|n|d|q|r|c|reg|ns|cs|cur|curr|state_n)$"
)
_INTO = re.compile(r"^(?:d|state|data|in|din|next)(?:_i)?$", re.I)
_OUT = re.compile(r"^(?:q|state|data|out|dout)(?:_o)?$", re.I)


class Pair(NamedTuple):
    """A register and its next value, with the state after reset as written, and its clock."""

    register: str
    next: str
    reset: str
    clock: str = ""


def stem(name: str) -> str:
    """Returns a name without what marks it as the next or the current value: `state_d`, `state`."""
    short = name.rpartition(".")[2].lower()
    return _AFFIX.sub("", _AFFIX.sub("", short))


def is_alike(one: str, other: str) -> bool:
    """Returns whether two names are one but for what marks the next value, record by record."""
    left, right = one.split("."), other.split(".")
    if min(len(left), len(right)) == 1:
        return stem(one) == stem(other)
    return [stem(part) for part in left] == [stem(part) for part in right]


def cell_of(design: Design, row: int, child: Child) -> Pair | None:
    """Returns the register that an instance makes of one net of the unit at a row, else None.

    What the instance's unit does decides. One whose inside does not tell it, such as a unit that
    the repository has not, is taken by the names of its ports.
    """
    found = _held(design, row, child)
    if found is None and not _is_combinational(design, row, child):
        found = _by_ports(design.view(row), child)
    return found


def _held(design: Design, row: int, child: Child) -> Pair | None:
    """Returns the register that an instance of a register cell makes of one net."""
    view = design.view(row)
    for link in child.links:
        held = design.held(row, child, design.wire(row, child, link).port)
        if held is not None and len(link.writes) == 1:
            register = view.flow.names[link.writes[0][0]]
            after = _next_of(view, held, register)
            if after:
                reset = _reset_text(child) or _loaded(design, row, child, held)
                return Pair(register, after, reset, held.clock)
    return None


def _next_of(view: UnitView, held: Held, register: str) -> str:
    """Returns the net that a register takes, of several that named as its next value, else ""."""
    nets = [one for one in held.data if _is_net(view, one) and one != register]
    if len(nets) > 1:
        nets = [one for one in nets if is_alike(one, register)]
    return nets[0] if len(nets) == 1 else ""


def _loaded(design: Design, row: int, child: Child, held: Held) -> str:
    """Returns the constant that a reset puts in the place of the next value, "" for none."""
    view = design.view(row)
    constants = [one for one in held.data if not _is_net(view, one)]
    taken = [link for link in child.links if design.wire(row, child, link).direction == INPUT]
    numbers = [n for link in taken for n in (*link.reads, *(one for one, _ in link.writes))]
    names = [view.flow.names[number] for number in numbers]
    if len(constants) == 1 and any(is_reset(one) for one in names if _is_net(view, one)):
        return constants[0]
    return ""


def _is_net(view: UnitView, name: str) -> bool:
    return name.partition(".")[0] in view.known


def _reset_text(child: Child) -> str:
    return next((text for name, text in child.values if "reset" in name.lower()), "")


def _is_combinational(design: Design, row: int, child: Child) -> bool:
    """Returns whether the repository has the unit of an instance, and nothing in it has a clock."""
    targets = design.targets(row, child)
    views = [design.view(target) for target in targets]
    return bool(views) and not any(
        view.flow.children or any(timing(view, block).clock for block in view.flow.blocks)
        for view in views
    )


def _by_ports(view: UnitView, child: Child) -> Pair | None:
    """Returns the register of an instance with an input `d` and an output `q`."""
    into = out = ""
    for link in child.links:
        name = view.flow.names[link.writes[0][0]] if len(link.writes) == 1 else ""
        if not name and len(link.reads) == 1:
            name = view.flow.names[link.reads[0]]
        if not name:
            continue
        port = link.port
        if _INTO.match(port) and not port.endswith("_o"):
            into = name
        elif _OUT.match(port) and not port.endswith("_i"):
            out = name
    if not into or not out or into == out:
        return None
    return Pair(out, into, _reset_text(child))
