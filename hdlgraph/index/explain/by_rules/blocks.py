"""The main function of a unit, where at least two signs in its code agree on it."""

from __future__ import annotations

import re

from hdlgraph.index.explain.by_rules.phrases import article
from hdlgraph.index.explain.by_rules.protocols import port_groups
from hdlgraph.index.explain.by_rules.sentences import Name, Sentence, named
from hdlgraph.model import Operation, Unit

_FULL = re.compile(r"(^|_)full(_|$)|Full$|almost_?full", re.I)
_EMPTY = re.compile(r"(^|_)empty(_|$)|Empty$", re.I)
_WRITE_POINTER = re.compile(r"(^|_)(w(r|rite)?_?p(tr|ointer)|wp|tail|enq_?ptr|head_w)", re.I)
_READ_POINTER = re.compile(r"(^|_)(r(d|ead)?_?p(tr|ointer)|rp|head|deq_?ptr)", re.I)
_WRITE_END = re.compile(
    r"(^|_)(w(r|rite)?|push|enq|in)_?(a(d|ddr|dress)?r?|ptr|pointer|idx|index)(_|$)", re.I
)
_READ_END = re.compile(
    r"(^|_)(r(d|ead)?|pop|deq|out)_?(a(d|ddr|dress)?r?|ptr|pointer|idx|index)(_|$)", re.I
)
_MEMORY = re.compile(r"(^|_)(d?mem(ory)?|s?ram|rom|rf|regfile|storage)(_|\d|$)|ram\d*$|mem$", re.I)
_BUS = re.compile(r"^(AXI4|AXI4-Lite|AHB|APB|Avalon|Wishbone|TileLink|simple)")
_FEW = 3
_MANY_REGISTERS = 4


def main_function(unit: Unit) -> Sentence | None:
    """Returns what a unit is as a whole, or None where its code does not say."""
    kinds = {one.kind: one for one in reversed(unit.operations)}
    for describe in (_fifo, _arbiter, _register_block, _memory, _synchroniser, _gray, _wrapper):
        sentence = describe(unit, kinds)
        if sentence:
            return sentence
    return None


Kinds = dict[str, Operation]


def _declared(unit: Unit) -> list[str]:
    return [*(port.name for port in unit.ports), *(signal.name for signal in unit.signals)]


def _clocks(unit: Unit) -> int:
    return len({clock for process in unit.processes for _, clock in process.clocks})


def _fifo(unit: Unit, _kinds: Kinds) -> Sentence | None:
    """A queue has full and empty, and pointers that count at its two ends.

    A unit that is more than its queue neither says full and empty nor is named for it.
    """
    names = _declared(unit)
    if not (any(map(_FULL.search, names)) and any(map(_EMPTY.search, names))):
        return None
    outputs = [port.name for port in unit.ports if port.direction == "output"]
    has_flags = any(map(_FULL.search, outputs)) and any(map(_EMPTY.search, outputs))
    if not has_flags and not re.search("fifo|queue|buf", unit.name, re.I):
        return None
    counted = [o.names[0] for o in unit.operations if o.kind in ("counts", "counts up and down")]
    writes = [name for name in counted if _WRITE_POINTER.search(name)]
    reads = [name for name in counted if _READ_POINTER.search(name)]
    memory = next((o for o in unit.operations if o.kind == "memory" and len(o.names) > 2), None)
    if not (writes and reads) and not (memory and set(memory.names[1:]) <= set(counted)):
        return None
    gray = any("gray" in one.kind for one in unit.operations)
    clocks = "dual-clock " if _clocks(unit) == 2 else ""
    coded = " with Gray-coded pointers" if gray and clocks else ""
    pointers = [*writes[:1], *reads[:1]] or list(memory.names[1:] if memory else ())
    return (f"{clocks}FIFO queue (first in, first out){coded}, pointers ", *named(pointers))


def named_queue(unit: Unit) -> Sentence | None:
    """Returns that a unit is a queue where its name says so, and it counts at two ends.

    Its flags may be handshakes: this is for people, who see the names behind it.
    """
    if not re.search(r"fifo|queue", unit.name, re.I):
        return None
    kinds = ("counts", "counts up and down")
    counted = [one.names[0] for one in unit.operations if one.kind in kinds]
    ends = [next(filter(end.search, counted), "") for end in (_WRITE_END, _READ_END)]
    if not all(ends) or ends[0] == ends[1]:
        return None
    return ("FIFO queue (first in, first out), counted by ", *named(ends))


def _arbiter(_unit: Unit, kinds: Kinds) -> Sentence | None:
    one = kinds.get("arbitrates")
    if one is None:
        return None
    return (
        "round-robin arbiter that answers the requests ",
        Name(one.names[0]),
        " with ",
        Name(one.names[1]),
    )


def _register_block(unit: Unit, kinds: Kinds) -> Sentence | None:
    """Registers have named addresses that are decoded, and a bus that reads and writes them."""
    one = kinds.get("decodes address")
    if one is None or len(one.names) <= _MANY_REGISTERS:
        return None
    buses = [g for g in port_groups(unit.ports) if _BUS.match(g.protocol)]
    if not buses:
        return None
    bus = buses[0].protocol
    names = [re.sub(r"^`", "", name) for name in one.names[1:]]
    what = f"register block on {article(bus)} with {one.detail} registers: "
    return (what, *named(names, 12, ", "))


def _memory(unit: Unit, kinds: Kinds) -> Sentence | None:
    one = kinds.get("memory")
    others = {o.kind for o in unit.operations} - {"memory", "loads memory", "selects", "registers"}
    if one is None or not _MEMORY.search(one.names[0]) or len(others) >= _FEW or unit.machines:
        return None
    if not {port.name for port in unit.ports if port.direction == "input"} & set(one.names[1:]):
        return None
    return ("memory ", *array_pieces(one))


def array_pieces(one: Operation) -> Sentence:
    """Returns the name, the size and the addresses of an array that an operation describes."""
    words, _, bits = one.detail.partition(" x ")
    size: Sentence = ()
    if words and bits:
        size = (" of ", _amount(words), " words of ", _amount(bits), " bits")
    places: Sentence = (", written at ", Name(one.names[1])) if len(one.names) > 1 else ()
    if len(one.names) > 2 and one.names[2] != one.names[1]:
        places += (", read at ", Name(one.names[2]))
    return (Name(one.names[0]), *size, *places)


def _amount(text: str) -> str:
    return Name(text) if re.fullmatch(r"[A-Za-z_]\w*", text) else text


def _synchroniser(unit: Unit, kinds: Kinds) -> Sentence | None:
    one = kinds.get("synchronises")
    others = {o.kind for o in unit.operations} - {"synchronises", "drives"}
    if one is None or others or unit.machines or unit.instances:
        return None
    return ("synchroniser of ", Name(one.names[0]), f" to another clock by {one.detail} flip-flops")


def _gray(unit: Unit, kinds: Kinds) -> Sentence | None:
    for kind, what in (
        ("encodes gray", "binary to Gray code"),
        ("decodes gray", "Gray code to binary"),
    ):
        if kind in kinds and len(unit.operations) <= _FEW and not unit.machines:
            return (f"converter of {what}",)
    return None


def _wrapper(unit: Unit, _kinds: Kinds) -> Sentence | None:
    """A unit without code of its own that instantiates one other passes its ports on."""
    if unit.kind != "module" or unit.processes or unit.operations or len(unit.instances) != 1:
        return None
    return ("wrapper of ", Name(unit.instances[0].unit))
