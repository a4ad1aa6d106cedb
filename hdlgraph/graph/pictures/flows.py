"""Finds the ends of each signal in a block diagram; clocks, resets and wide signals stand apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hdlgraph.graph.pictures.actuals import meet
from hdlgraph.graph.pictures.nets import HUB, LOGIC, OWN, UNKNOWN, Net, Pin

WIDE = 8
"""A signal between more pairs of boxes is listed instead of drawn."""

_CLOCK = re.compile(r"(?:^|_)(?:[a-z]?clk|[a-z]?clock|ck)\d*(?:_|$)|clk$", re.I)
_RESET = re.compile(r"(?:^|_)(?:[a-z]?rst[nb]?|[a-z]?reset[nb]?|nrst)\d*(?:_|$)|rstn?$", re.I)
_GATE = re.compile(
    r"(?:^|_)(?:en|enable|gate|ack|req|sel|cfg|err|test|valid|ready|cause|info|bypass|intr|irq)(?:_|$)",
    re.I,
)

End = str | int
"""The number of a box, `>name` or `<name` of a port that is no output or is one, or AT_LOGIC."""
AT_LOGIC = "logic"


class Flow(NamedTuple):
    """Where a signal comes from and goes to; `both` is set where it has no direction."""

    source: End
    target: End
    both: bool = False


class Sorted(NamedTuple):
    """The nets of a unit by what becomes of them in a picture."""

    clocks: list[Net]
    resets: list[Net]
    wide: list[Net]
    drawn: list[Net]


def sort_nets(nets: Sequence[Net], flows: Callable[[Net], Sequence[Flow]]) -> Sorted:
    """Returns which nets are clocks, resets, too wide to be drawn, and the others.

    Args:
        nets: all nets of a unit.
        flows: returns the flows of a net, by which it is wide or not.
    """
    found = Sorted([], [], [], [])
    for net in nets:
        if any(pin.way == HUB for pin in net.pins):
            found.drawn.append(net)
        elif _is_called(net, _CLOCK):
            found.clocks.append(net)
        elif _is_called(net, _RESET):
            found.resets.append(net)
        elif len(flows(net)) > WIDE:
            found.wide.append(net)
        else:
            found.drawn.append(net)
    return found


def flows_of(net: Net, box_of: Callable[[int], End]) -> list[Flow]:
    """Returns the flows of a net, each once.

    Logic is an end only if there is no other: for a signal from one instance to another it is not
    drawn that the unit's own logic reads it too.
    """
    if all(pin.owner == LOGIC for pin in net.pins):
        return []
    logic = {pin.way for pin in net.pins if pin.owner == LOGIC}
    pins = [pin for pin in net.pins if pin.owner != LOGIC]
    drivers, readers, others = by_direction(pins)
    if hub := [pin for pin in pins if pin.way == HUB]:
        return _around(_end(hub[0], box_of), drivers, readers, others, box_of)
    found: dict[Flow, None] = {}
    strange = [pin for pin in others if pin.way == UNKNOWN]
    if strange and len(strange) < len(pins):
        known = [pin for pin in net.pins if pin.way != UNKNOWN]
        return [
            *flows_of(net._replace(pins=tuple(known)), box_of),
            *_beside(net.name, strange, drivers or readers or others, box_of),
        ]
    if others and not drivers and not readers:
        ends = list(dict.fromkeys(_end(pin, box_of) for pin in others))
        far = ends[1:] or [AT_LOGIC] * bool(logic)
        return [Flow(ends[0], end, True) for end in far]
    for source in [*drivers, *others] if readers else drivers:
        for target in readers or others:
            if meet(net.name, source.expr, target.expr):
                found[Flow(_end(source, box_of), _end(target, box_of))] = None
    if not others:
        found |= dict.fromkeys(_with_logic(drivers, readers, logic, found, box_of))
    return [flow for flow in found if flow.source != flow.target]


def _beside(
    name: str, strange: Sequence[Pin], known: Sequence[Pin], box_of: Callable[[int], End]
) -> Iterator[Flow]:
    """Yields the flows of pins without a known direction: none of them drives another box."""
    found = {
        Flow(_end(one, box_of), _end(pin, box_of), True): None
        for pin in strange
        for one in known
        if one.way != UNKNOWN and meet(name, one.expr, pin.expr)
    }
    yield from (flow for flow in found if flow.source != flow.target)


def _around(
    hub: End,
    drivers: Sequence[Pin],
    readers: Sequence[Pin],
    others: Sequence[Pin],
    box_of: Callable[[int], End],
) -> list[Flow]:
    """Returns the flows of an interface: everything is connected with its own box."""
    found = dict.fromkeys(Flow(_end(pin, box_of), hub) for pin in drivers)
    found |= dict.fromkeys(Flow(hub, _end(pin, box_of)) for pin in readers)
    joined = {end for flow in found for end in flow[:2]}
    ends = (_end(pin, box_of) for pin in others)
    found |= dict.fromkeys(Flow(hub, end, True) for end in ends if end not in joined)
    return [flow for flow in found if flow.source != flow.target]


def _with_logic(
    drivers: Sequence[Pin],
    readers: Sequence[Pin],
    logic: set[str],
    found: dict[Flow, None],
    box_of: Callable[[int], End],
) -> Iterator[Flow]:
    fed, heard = {flow.target for flow in found}, {flow.source for flow in found}
    if "input" in logic:
        ends = (_end(pin, box_of) for pin in drivers)
        yield from (Flow(end, AT_LOGIC) for end in ends if end not in heard)
    if "output" in logic:
        ends = (_end(pin, box_of) for pin in readers)
        yield from (Flow(AT_LOGIC, end) for end in ends if end not in fed)


def _end(pin: Pin, box_of: Callable[[int], End]) -> End:
    if pin.owner != OWN:
        return box_of(pin.owner)
    return f"{'<' if pin.way == 'output' else '>'}{pin.port}"


def by_direction(pins: Sequence[Pin]) -> tuple[list[Pin], list[Pin], list[Pin]]:
    """Returns the pins that drive a net, that read it, and those without a direction.

    An input of the unit drives the net that has its name.
    """
    drives = [pin for pin in pins if pin.way == ("input" if pin.owner == OWN else "output")]
    reads = [pin for pin in pins if pin.way == ("output" if pin.owner == OWN else "input")]
    return drives, reads, [pin for pin in pins if pin.way in ("inout", UNKNOWN)]


def _is_called(net: Net, pattern: re.Pattern[str]) -> bool:
    """Returns whether a net is a clock (or reset): most ports that it is connected to are."""
    ports = [pin.port for pin in net.pins if pin.owner >= 0]
    if _GATE.search(net.name):
        return False
    if not ports:
        return bool(pattern.search(net.name))
    named = [port for port in ports if pattern.search(port) and not _GATE.search(port)]
    return 2 * len(named) > len(ports)
