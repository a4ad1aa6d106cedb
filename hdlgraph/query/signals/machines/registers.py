"""The registers of a unit with their next values, and what each name is a copy of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from hdlgraph.model.flow import Child, Step
from hdlgraph.parsers.text.expressions import fields_of
from hdlgraph.query.signals.clocks import is_under, timing
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.machines.choices import ONE, alone, of_bit
from hdlgraph.query.signals.unit import UnitView

_CAST = re.compile(r"^\(?\s*[A-Za-z_][\w$:]*\s*'\s*(?=\()|^\$(?:un)?signed\s*(?=\()")
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


def registers(design: Design, view: UnitView, row: int) -> dict[str, Pair]:
    """Returns the registers of a unit by name: of processes with a clock, and of cells."""
    found: dict[str, Pair] = {}
    for block in view.flow.blocks:
        at = timing(view, block)
        if not at.clock:
            continue
        for step in block.steps:
            under = at.branch >= 0 and step.guard >= 0 and is_under(view, step.guard, at.branch)
            _add(view, found, step, at.clock, under=under)
    for child in view.flow.children:
        cell = _held(design, row, child)
        if cell is None and not _is_combinational(design, row, child):
            cell = _of_cell(view, child)
        if cell is not None and (cell.register not in found or not found[cell.register].next):
            found[cell.register] = cell
    return found


def _add(view: UnitView, found: dict[str, Pair], step: Step, clock: str, *, under: bool) -> None:
    """Adds what a step of a process with a clock assigns, or notes the value after reset."""
    for number, bits in step.writes:
        name = view.flow.names[number]
        pair = found.setdefault(name, Pair(name, "", "", clock))
        if under:
            value = alone(view, step, name).value
            bit = of_bit(name + bits)[1] if value.strip() in ONE else ""
            found[name] = pair._replace(reset=bit or pair.reset or value)
        elif (source := copied_of(view, step)) and source != name:
            found[name] = pair._replace(next=pair.next or source)


def _is_combinational(design: Design, row: int, child: Child) -> bool:
    """Returns whether the repository has the unit of an instance, and nothing in it has a clock."""
    targets = design.targets(row, child)
    views = [design.view(target) for target in targets]
    return bool(views) and not any(
        view.flow.children or any(timing(view, block).clock for block in view.flow.blocks)
        for view in views
    )


def copied_of(view: UnitView, step: Step) -> str:
    """Returns the name that a step copies, a cast around it included; "" for other values.

    A part may be copied to the same part: `q[i] <= d[i]`.
    """
    part = step.writes[0][1].replace(" ", "") if len(step.writes) == 1 else ""
    part = part if part.startswith("[") else ""
    if len(step.writes) != 1 or not step.reads or (len(step.reads) > 1 and not part):
        return ""
    value = _CAST.sub("", step.value).strip("() ").replace(" ", "")
    own = view.flow.names[step.writes[0][0]]
    for number in step.reads:
        name = view.flow.names[number]
        if name.startswith(f"{own}."):  # `state.next` is a method, a value has no part as large
            continue
        if value in (name, name + part) and name.partition(".")[0] in view.known:
            return name
    return ""


def copies(view: UnitView) -> dict[str, str]:
    """Returns what each name is a copy of, by continuous assignments and combinational code."""
    found: dict[str, str] = {}
    for block in view.flow.blocks:
        if block.kind in ("assign", "always_comb", "always"):
            for step in block.steps:
                if step.guard < 0 or view.flow.guards[step.guard].kind == "generate":
                    source = copied_of(view, step)
                    if source:
                        found.setdefault(view.flow.names[step.writes[0][0]], source)
    return found


def copy_of(name: str, known: Mapping[str, str]) -> str:
    """Returns what a name is a copy of, also as a field of a record; "" for no copy."""
    base, dot, field = name.rpartition(".")
    if name in known or not dot:
        return known.get(name, "")
    whole = copy_of(base, known)
    return f"{whole}.{field}" if whole else ""


def _held(design: Design, row: int, child: Child) -> Pair | None:
    """Returns the register that an instance of a register cell makes of one net."""
    names = design.view(row).flow.names
    for link in child.links:
        held = design.held(row, child, design.wire(row, child, link).port)
        if held is not None and len(link.writes) == len(held.data) == 1:
            return Pair(names[link.writes[0][0]], held.data[0], _reset_text(child), held.clock)
    return None


def _reset_text(child: Child) -> str:
    return next((text for name, text in child.values if "reset" in name.lower()), "")


def _of_cell(view: UnitView, child: Child) -> Pair | None:
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


def pair_of(name: str, known: Mapping[str, Pair], copied: Mapping[str, str]) -> Pair | None:
    """Returns the register that a tested name is or copies; None where it is none.

    Args:
        name: the name, also of a field of a record.
        known: the registers by name.
        copied: what each name is a copy of.
    """
    seen: set[str] = set()
    held = name
    while held not in known and held in copied and held not in seen:
        seen.add(held)
        held = copied[held]
    pair = known.get(held)
    if pair is not None:  # `next = state;` as a default is no copy
        return pair._replace(register=name) if name != pair.next else None
    base, dot, field = name.rpartition(".")
    record = pair_of(base, known, copied) if dot else None
    if record is None:
        return None
    while base not in known and base in copied and base not in seen:
        seen.add(base)
        base = copied[base]
    after = f"{record.next}.{field}" if record.next else ""
    return Pair(f"{base}.{field}", after, fields_of(record.reset).get(field, ""), record.clock)


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
