"""The places inside a unit that drive or read one of its signals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from hdlgraph.model.flow import Block, Step
from hdlgraph.query.signals.binds import of_binds
from hdlgraph.query.signals.clocks import clock_of, in_reset
from hdlgraph.query.signals.conditions.reduced import settled, values_of
from hdlgraph.query.signals.design import (
    INOUT,
    INPUT,
    INTERFACE,
    OUTPUT,
    Design,
    Held,
    Wire,
    is_gate,
)
from hdlgraph.query.signals.meaning.modports import direction_in, names_inside, of_port
from hdlgraph.query.signals.meaning.patterns import given_to, members_given, mentions
from hdlgraph.query.signals.meaning.scopes import Homes, guard_of
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.unit import UnitView

BOTH = frozenset({INOUT, "ref"})
OTHERS = 32
"""Names on the other side that are listed of one place."""
VALUE = 60
"""Characters of a value that are told."""
CUT = " ..."
"""What a value ends in that is not whole."""
DIRECTIONS = {"_o": OUTPUT, "_i": INPUT, "_io": INOUT, "_out": OUTPUT, "_in": INPUT}
"""How the names of ports of unknown units end."""


def drivers(design: Design, row: int, signal: str) -> list[Access]:
    """Returns the places that drive a signal of the unit at a row, by path and line."""
    view = design.view(row)
    found = [_of_port(design, row, signal, drives=True)]
    for name, homes in view.spelled(signal):
        for block, step in view.writes.get(name, ()):
            if view.scopes.is_at(name, step.guard, homes):
                step, chosen = _chosen(view, _of_member(view, signal, name, step))
                others = tuple(_name(view, number, step) for number in step.reads)
                given = _value(view, name, step)
                one = _of_step(view, name, block, step, others, value=given)
                told = tuple(dict.fromkeys((*one.given, *chosen)))
                found.append(msgspec.structs.replace(one, given=told))
    found += _of_wires(design, row, signal, drives=True)
    found += of_binds(design, row, signal, drives=True)
    return _sorted(found)


def loads(design: Design, row: int, signal: str) -> list[Access]:
    """Returns the places that read a signal of the unit at a row, by path and line."""
    view = design.view(row)
    found = [_of_port(design, row, signal, drives=False)]
    for name, homes in view.spelled(signal):
        for block, step in view.reads.get(name, ()):
            if view.scopes.is_at(name, step.guard, homes):
                others = tuple(_given(view, name, number, step) for number, _ in step.writes)
                found.append(_of_step(view, name, block, step, others, control=not others))
        found += _of_tests(view, name, homes)
    found += _of_wires(design, row, signal, drives=False)
    found += of_binds(design, row, signal, drives=False)
    return _sorted(found)


def _of_member(view: UnitView, signal: str, name: str, step: Step) -> Step:
    """Returns what a step gives a member of what it assigns by a pattern, else the step."""
    fields = signal.removeprefix(f"{name}.").split(".") if signal.startswith(f"{name}.") else ()
    text = given_to(step.value, fields) if fields and len(step.writes) == 1 else ""
    if not text or step.value.endswith(CUT):
        return step
    reads = tuple(one for one in step.reads if mentions(text, view.flow.names[one]))
    return msgspec.structs.replace(step, reads=reads, value=text)


def _chosen(view: UnitView, step: Step) -> tuple[Step, list[str]]:
    """Returns a step with what parameters choose of its value, and their values."""
    if "?" not in step.value or step.value.endswith(CUT):
        return step, []
    left = settled(step.value, view.known_names)
    values = values_of(step.value, left, view.known_names)
    if not values:
        return step, []
    names = view.flow.names
    reads = tuple(one for one in step.reads if mentions(left, names[one]))
    return msgspec.structs.replace(step, reads=reads, value=left), values


def _given(view: UnitView, name: str, number: int, step: Step) -> str:
    """Returns the name that a step assigns, the member of it that a pattern makes of a name."""
    target = _name(view, number, step)
    made = members_given(step.value, name) if len(step.writes) == 1 else []
    return f"{target}.{made[0]}" if len(made) == 1 and not step.writes[0][1] else target


def _name(view: UnitView, number: int, step: Step) -> str:
    return view.scopes.whole(view.flow.names[number], step.guard)


def _of_tests(view: UnitView, name: str, homes: Homes) -> Iterator[Access]:
    """Yields the tests and events that read a name, with what they decide."""
    for block, at in view.tests.get(name, ()):
        if not view.scopes.is_at(name, at, homes):
            continue
        guard = view.flow.guards[at]
        yield _access(
            view, name, guard.line, block.kind, condition=view.condition(guard.outer),
            control=True, clock=clock_of(view, block), others=_decided(view, block, at),
        )  # fmt: skip
    for block, _, line in view.waits.get(name, ()):
        if not view.scopes.is_at(name, guard_of(view.flow, block), homes):
            continue
        written = {_name(view, n, s): None for s in block.steps for n, _ in s.writes}
        yield _access(
            view, name, line, block.kind, control=True, clock=clock_of(view, block),
            others=tuple(written)[:OTHERS],
        )  # fmt: skip


def _decided(view: UnitView, block: Block, at: int) -> tuple[str, ...]:
    """Returns what is assigned under a test, or under the other outcome of it."""
    guards = view.flow.guards
    inside = {at}
    found: dict[str, None] = {}
    for number in range(at + 1, block.guards_end):
        one = guards[number]
        other = one.outer == guards[at].outer and one.text == guards[at].text
        if one.outer in inside or (other and one.kind == "else"):
            inside.add(number)
    for step in block.steps:
        if step.guard in inside:
            found |= dict.fromkeys(_name(view, number, step) for number, _ in step.writes)
    return tuple(found)[:OTHERS]


def _of_step(
    view: UnitView, name: str, block: Block, step: Step, others: tuple[str, ...],
    control: bool = False, value: str = "",
) -> Access:  # fmt: skip
    bits = next((bits for number, bits in step.writes if view.flow.names[number] == name), "")
    used = view.scopes.whole(name.partition(".")[0] if bits.startswith(".") else name, step.guard)
    condition, given = view.settled(step.guard)
    return _access(
        view, used, step.line, block.kind,
        bits=bits, condition=condition, control=control, given=given,
        clock=clock_of(view, block), reset=in_reset(view, block, step),
        others=tuple(dict.fromkeys(others))[:OTHERS], value=value,
    )  # fmt: skip


def _value(view: UnitView, name: str, step: Step) -> str:
    """Returns what a step assigns, "" where several names share it or more than it is assigned."""
    names = {view.flow.names[number] for number, _ in step.writes}
    text = " ".join(step.value.split())
    own = name.partition(".")[0]
    is_added = any(view.flow.names[number].partition(".")[0] == own for number in step.reads)
    if len(names) != 1 or (is_added and not re.search(rf"(?<![\w$]){re.escape(own)}\b", text)):
        return ""  # `{a, b} = x;`, `a += 1;`
    return text if len(text) <= VALUE else text[: VALUE - 1] + "…"


def _access(view: UnitView, signal: str, line: int, how: str, **more: object) -> Access:
    unit, ifdef = view.unit, view.ifdef(line)
    return Access(
        unit.name, unit.id, signal, unit.path, line, how, ifdef=ifdef, **more  # type: ignore
    )  # fmt: skip


def _of_port(design: Design, row: int, signal: str, *, drives: bool) -> Access | None:
    view = design.view(row)
    base, _, member = signal.partition(".")
    direction, line, of = view.ports.get(base, ("", 0, ""))
    ways = (INPUT if drives else OUTPUT, *BOTH)
    if direction == INTERFACE and member:
        told = direction_in(design, of_port(design, row, base), member)
        if told and told not in ways:
            return None
        return _access(view, signal, line, "port", port=of, sure=told in (INPUT, OUTPUT))
    if direction in ways:
        return _access(view, signal, line, "port", port=base, sure=direction not in BOTH)
    return None


def _of_wires(design: Design, row: int, signal: str, *, drives: bool) -> Iterator[Access]:
    view = design.view(row)
    plain, homes = view.scopes.meant(signal)
    names = view.names_of(plain)
    names = names if plain in names else [plain, *names]
    base = plain.partition(".")[0]
    if "." in plain:  # `bus.master` connects all that the modport has
        names += [f"{base}.{one}" for one in design.modports(row, base)]
    numbers = {one for one in view.numbers.get(base, ()) if view.flow.names[one] in names}
    for wire in design.wires(row, names):
        if not view.scopes.is_at(base, wire.child.guard, homes):
            continue
        link = wire.link
        written = [bits for number, bits in link.writes if number in numbers]
        written = [""] if wire.implied else written
        read = any(number in numbers for number in link.reads)
        member = plain[len(base) :] if wire.direction == INTERFACE else ""
        flows = direction_of(design, wire, member)
        hit = bool(written) and flows in (OUTPUT, *BOTH, "")
        hit = hit if drives else read or (bool(written) and flows != OUTPUT)
        if hit:
            held = design.held(row, wire.child, wire.port) if drives else None
            access = _of_wire(design, view, wire, signal, (written or [""])[0], flows, held)
            if is_gate(wire):
                others = terminals(design, row, wire, drives=drives)
                access = msgspec.structs.replace(access, others=others)
            yield access


def terminals(design: Design, row: int, wire: Wire, *, drives: bool) -> tuple[str, ...]:
    """Returns the nets at a gate's other terminals: those it takes, or those it `drives`."""
    view, found = design.view(row), dict[str, None]()
    names, guard = view.flow.names, wire.child.guard
    for link in wire.child.links:
        way = design.wire(row, wire.child, link).direction
        if link is wire.link or way == (OUTPUT if drives else INPUT):
            continue
        reads = link.reads if drives else ()
        numbers = (*(number for number, _ in link.writes), *reads)
        found |= {view.scopes.whole(names[number], guard): None for number in numbers}
    return tuple(found)[:OTHERS]


def direction_of(design: Design, wire: Wire, member: str = "") -> str:
    """Returns the direction of a connection, "" where it is not known.

    Of an interface the member counts, by the modport of the port or else by its use inside.
    """
    if wire.direction == INTERFACE:
        return _through_interface(design, wire, member) if member and wire.targets else ""
    if wire.direction or wire.targets:
        return wire.direction
    port = wire.port.lower()
    return next((to for end, to in DIRECTIONS.items() if port.endswith(end)), "")


def _through_interface(design: Design, wire: Wire, member: str) -> str:
    inner = design.view(wire.targets[0])
    own = of_port(design, wire.targets[0], wire.port)
    fields = names_inside(design, own, member.lstrip("."))
    told = (direction_in(design, own, one) for one in fields)
    if direction := next(filter(None, told), ""):
        return direction
    name = wire.port + member
    written, read = name in inner.writes, name in inner.reads or name in inner.tests
    return {(True, False): OUTPUT, (False, True): INPUT, (True, True): INOUT}.get(
        (written, read), ""
    )


def _of_wire(
    design: Design, view: UnitView, wire: Wire, signal: str, bits: str, flows: str,
    held: Held | None,
) -> Access:  # fmt: skip
    child = wire.child
    of = design.flows.units[wire.targets[0]] if wire.targets else None
    return _access(
        view, signal, wire.link.line, "instance", bits=bits,
        condition=view.condition(child.guard), instance=child.name,
        port=wire.port, of=child.unit, of_id=of.id if of else "",
        sure=flows in (INPUT, OUTPUT) if held is None else held.sure,
        clock=(held.edge, held.clock) if held else ("", ""), cell_reset=held.reset if held else "",
    )  # fmt: skip


def _sorted(found: Iterable[Access | None]) -> list[Access]:
    """Returns the places by line, each once."""
    kept = dict.fromkeys(one for one in found if one is not None)
    return sorted(
        kept, key=lambda a: (a.path, a.line, a.how, a.instance, a.port, a.signal, a.condition)
    )
