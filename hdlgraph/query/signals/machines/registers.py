"""The registers of a unit with their next values, and what each name is a copy of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hdlgraph.model.flow import Step
from hdlgraph.parsers.text.expressions import fields_of
from hdlgraph.query.signals.clocks import is_under, timing
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.machines.cells import Pair, cell_of
from hdlgraph.query.signals.machines.choices import ONE, alone, of_bit
from hdlgraph.query.signals.unit import UnitView

_CAST = re.compile(r"^\(?\s*[A-Za-z_][\w$:]*\s*'\s*(?=\()|^\$(?:un)?signed\s*(?=\()")


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
        cell = cell_of(design, row, child)
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
