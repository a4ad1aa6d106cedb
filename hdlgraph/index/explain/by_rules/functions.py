"""Describes what the code of a file does, from the operations and state machines of its units."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from hdlgraph.index.explain.by_rules.behaviour import state_words
from hdlgraph.index.explain.by_rules.blocks import array_pieces, main_function, named_queue
from hdlgraph.index.explain.by_rules.contents import contents_of, file_contents
from hdlgraph.index.explain.by_rules.evidence.repeats import main_unit
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, join
from hdlgraph.index.explain.by_rules.sentences import (
    Name,
    Sentence,
    grouped,
    named,
    some,
    spelled,
    without_repeats,
    written,
)
from hdlgraph.model import FileRecord, Machine, Operation, Unit
from hdlgraph.parsers.operations.conditions import UNNAMED

UNITS = 6
"""Units of a file of which something is said."""
LIBRARY, NAMED = 64, 4
"""The same where people read it, and units that are named before what several of them do."""
STATES = 24
MANY = 4
"""Choices by one signal that are told in one sentence."""

_UNKNOWN = re.compile(r"\d*'[bodh]?[xz?]+", re.I)
"""A value that is no state: what an arm gives for none of them."""

Say = Callable[[Sequence[Operation]], list[Sentence]]


def from_code(record: FileRecord, vocabulary: Vocabulary | None = None) -> list[str]:
    """Returns sentences on what the code of a file does, the most telling first.

    Args:
        record: facts of the file.
        vocabulary: writes identifiers in words; None leaves them as written, in backticks.
    """
    units = _main_first(record)[: UNITS if vocabulary is not None else LIBRARY]
    found = [(unit, one) for unit in units for one in unit_sentences(unit, vocabulary)]
    return _worded(_of_units(found, main_unit(record), vocabulary), vocabulary)


def _of_units(
    found: Sequence[tuple[Unit, Sentence]], main: Unit | None, vocabulary: Vocabulary | None
) -> list[Sentence]:
    """Returns sentences with their units before them where people read of others than the main.

    What several units do is said once, of all of them.
    """
    if vocabulary is not None:
        return [sentence for _, sentence in found]
    others: dict[Sentence, list[str]] = defaultdict(list)
    for unit, sentence in found:
        if unit is not main:
            others[sentence].append(unit.name)
    out = dict.fromkeys(
        sentence if unit is main else ("In ", *some(others[sentence], NAMED), ": ", *sentence)
        for unit, sentence in found
    )
    return list(out)


def lists_of_code(record: FileRecord, vocabulary: Vocabulary | None = None) -> list[str]:
    """Returns sentences on what a file consists of and on its lesser operations.

    Arguments as of `from_code`, whose sentences tell more.
    """
    units = _main_first(record)[: UNITS if vocabulary is not None else LIBRARY]
    people, main = vocabulary is None, main_unit(record)
    parts = [(unit, one) for unit in units for one in contents_of(unit, proven=people)]
    found = _of_units(parts, main, vocabulary)
    found += file_contents(record, people) if not units else []
    lesser = [(unit, one) for unit in units for one in details(unit, people)]
    return _worded([*found, *_of_units(lesser, main, vocabulary)], vocabulary)


def _worded(found: Sequence[Sentence], vocabulary: Vocabulary | None) -> list[str]:
    if vocabulary is None:
        return [written(one) for one in without_repeats(found)]
    return [spelled(one, vocabulary) for one in without_repeats(found)]


def _main_first(record: FileRecord) -> list[Unit]:
    stem = record.path.rpartition("/")[2].partition(".")[0]
    return sorted(record.units, key=lambda unit: (unit.name != stem, bool(unit.parent), unit.line))


def unit_sentences(unit: Unit, vocabulary: Vocabulary | None = None) -> list[Sentence]:
    """Returns what one unit does: its main function, its machines, then each kind of operation."""
    first = main_function(unit) or (named_queue(unit) if vocabulary is None else None)
    out: list[Sentence] = [first] if first else []
    out += [one for machine in unit.machines for one in machine_sentences(machine, vocabulary)]
    described = {"memory"} if first and first[0] == "memory " else set()
    described |= _SMALL if unit.instances else set()
    described |= _later(unit, bool(out)) if vocabulary is None else set()
    return [*out, *_operations(unit, described | _PLAIN, vocabulary is None)]


def details(unit: Unit, conditional: bool = False) -> list[Sentence]:
    """Returns the operations of a unit that say little of what it is for.

    Args:
        unit: what does them.
        conditional: whether it is said under which condition they are done.
    """
    first = bool(unit.machines) or main_function(unit) is not None
    own = _PLAIN | _later(unit, first) if conditional else _PLAIN
    return _operations(unit, set(_SAY) - own, conditional)


def _later(unit: Unit, known: bool) -> frozenset[str]:
    """Returns the kinds that people are told behind what a unit consists of.

    Args:
        unit: what does them.
        known: whether its main function or a state machine is told first.
    """
    return _MINOR | _COUNTS if len(unit.instances) > 1 and not known else _MINOR


def _operations(unit: Unit, skip: Collection[str], conditional: bool) -> list[Sentence]:
    """Returns the sentences on the operations of a unit, kind by kind."""
    grouped: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for one in unit.operations:
        if "unused" not in one.names[0]:
            grouped[one.kind, one.condition if conditional else ""].append(one)
    return [
        (*sentence, *_only_if(condition))
        for kind in _SAY
        if kind not in skip
        for (same, condition), found in grouped.items()
        if same == kind
        for sentence in (_selects_by if conditional and kind == "selects" else _SAY[kind])(found)
    ]


def _only_if(condition: str) -> Sentence:
    """Returns the pieces that say under which condition of a generate block something is done."""
    if condition == UNNAMED:
        return (f" {UNNAMED}",)
    return (" if ", Name(condition)) if condition else ()


def machine_sentences(machine: Machine, vocabulary: Vocabulary | None) -> list[Sentence]:
    """Returns the states of a machine, and the one after reset."""
    names = [name for name, _ in machine.states]
    names = [name for name in names if vocabulary is not None or not _UNKNOWN.fullmatch(name)]
    register = Name(machine.register)
    if all(name.isdigit() for name in names):
        return [("a state machine in ", register, f" has {len(names)} numbered states")]
    if vocabulary is None:
        states = named(names, STATES, " and " if len(names) <= STATES else ", ")
        reset = (", after reset ", Name(machine.reset)) if machine.reset else ()
    else:
        states, reset = [join(state_words(names, vocabulary)[:STATES])], ()
    more = f" and {len(names) - STATES} more" if len(names) > STATES else ""
    return [("a state machine in ", register, " has the states ", *states, more, *reset)]


def _listed(verb: str, limit: int = 6, at: int = 0) -> Say:
    """Returns a function that says "VERB a, b and c" of the names at a position."""

    def say(found: Sequence[Operation]) -> list[Sentence]:
        names = [one.names[at] for one in found if len(one.names) > at]
        return [(verb, *named(names, limit))] if names else []

    return say


def _pairs(middle: str, first: int = 0, second: int = 1, limit: int = 3, verb: str = "") -> Say:
    """Returns a function that says "VERB a MIDDLE b" for each of the first operations."""

    def say(found: Sequence[Operation]) -> list[Sentence]:
        whole = [one.names for one in found[:limit] if len(one.names) > max(first, second)]
        return [(verb, Name(names[first]), middle, Name(names[second])) for names in whole]

    return say


def _counts(found: Sequence[Operation]) -> list[Sentence]:
    limited = [one for one in found if one.detail]
    plain = [one.names[0] for one in found if not one.detail]
    out: list[Sentence] = [
        ("counts ", Name(one.names[0]), " up and tests it against ", Name(one.detail))
        for one in limited[:3]
    ]
    return [*out, *([("counts up ", *named(plain, 6))] if plain else [])]


def _decodes(found: Sequence[Operation]) -> list[Sentence]:
    out: list[Sentence] = []
    for one in found[:4]:
        if len(one.names) > 1:
            more = len(one.names) - 1 - 12
            tail = (f" and {more} more",) if more > 0 else ()
            last = ", " if more > 0 else " and "
            out.append(
                ("decodes ", Name(one.names[0]), ": ", *named(one.names[1:], 12, last), *tail)
            )
    return out


def _addresses(found: Sequence[Operation]) -> list[Sentence]:
    out = _decodes([one for one in found if len(one.names) > 1])
    bare = [one for one in found if len(one.names) == 1]
    out += [("tests ", Name(one.names[0]), f" against {one.detail} constants") for one in bare[:2]]
    return out


def _memory(found: Sequence[Operation]) -> list[Sentence]:
    return [("stores an array ", *array_pieces(one)) for one in found[:3]]


def _synchronises(found: Sequence[Operation]) -> list[Sentence]:
    return [
        ("synchronises ", Name(o.names[0]), f" by {o.detail} flip-flops to ", Name(o.names[1]))
        for o in found[:3]
    ]


def _passes(found: Sequence[Operation]) -> list[Sentence]:
    return [
        ("passes ", Name(o.names[0]), f" through {o.detail} registers to ", Name(o.names[1]))
        for o in found[:3]
    ]


def _shifts(way: str) -> Say:
    def say(found: Sequence[Operation]) -> list[Sentence]:
        out: list[Sentence] = []
        fed = [one for one in found if len(one.names) > 1]
        out += [("shifts ", Name(o.names[1]), " into ", Name(o.names[0])) for o in fed[:3]]
        rest = [one.names[0] for one in found if len(one.names) == 1]
        return [*out, *([("shifts ", *named(rest, 4), f" {way}")] if rest else [])]

    return say


def _edges(found: Sequence[Operation]) -> list[Sentence]:
    words = {"rising": "rising edges", "falling": "falling edges", "any": "changes"}
    return [
        (f"detects {words[kind]} of ", *named(names, 4))
        for kind in words
        if (names := [one.names[0] for one in found if one.detail == kind])
    ]


def _selects(found: Sequence[Operation]) -> list[Sentence]:
    return [
        ("selects ", Name(o.names[1]), " or ", Name(o.names[2]), " by ", Name(o.names[3]))
        for o in found[:3]
    ]


def _selects_by(found: Sequence[Operation]) -> list[Sentence]:
    """Returns one sentence for many choices by the same signal, else one for each."""
    by: dict[str, list[Operation]] = defaultdict(list)
    for one in found:
        by[one.names[3]].append(one)
    out: list[Sentence] = [
        # How many there are is not said, as the parser keeps so many alone.
        (
            "chooses ",
            *(p for p in grouped([o.names[0] for o in own], 6) if not p.startswith(" (")),
            *(" by ", Name(selector)),
        )
        for selector, own in by.items()
        if len(own) >= MANY
    ]
    return [*out[:3], *_selects([one for one in found if len(by[one.names[3]]) < MANY])]


def _crc(found: Sequence[Operation]) -> list[Sentence]:
    return [
        ("computes a CRC, cyclic redundancy check, in ", *named([o.names[0] for o in found], 3))
    ]


def _drives(found: Sequence[Operation]) -> list[Sentence]:
    return [("drives ", Name(o.names[0]), f" with {_spaced(o.detail)}") for o in found[:4]]


def _spaced(expression: str) -> str:
    """Returns an expression that was kept without white space with some, to be read."""
    return re.sub(
        r"(?<=[\w)\]])(\|\||&&|[&|^?]|==|!=|[<>]=?|[-+*:])(?=[\w(~!{])", r" \1 ", expression
    )


def _registers(found: Sequence[Operation]) -> list[Sentence]:
    out: list[Sentence] = []
    for one in found[:2]:
        edge = "rising" if one.detail.startswith("posedge") else "falling"
        enabled = [word for word in one.detail.split() if word.startswith("if:")]
        when = (" while ", Name(enabled[0][3:]), " is set") if enabled else ()
        stored = ("stores ", Name(one.names[1]), " in ", Name(one.names[0]), *when)
        out.append((*stored, f" at the {edge} edge of ", Name(one.names[2])))
    return out


_SAY: dict[str, Say] = {
    "arbitrates": lambda found: [
        (
            "arbitrates ",
            Name(found[0].names[0]),
            f" {found[0].detail}, by ",
            Name(found[0].names[2]),
        )
    ],
    "picks lowest": _listed("picks by priority the lowest set bit of ", 3, 1),
    "decodes address": _addresses,
    "memory": _memory,
    "loads memory": _listed("loads from a file "),
    "computes CRC": _crc,
    "linear feedback": _listed("steps a linear-feedback shift register (LFSR) "),
    "encodes gray": _pairs(" in Gray code as ", 1, 0, verb="encodes "),
    "decodes gray": _pairs(" from Gray code as ", 1, 0, verb="decodes "),
    "synchronises": _synchronises,
    "decodes": _decodes,
    "keeps one of": lambda found: [
        ("keeps in ", Name(o.names[0]), " one of ", *named(o.names[1:], 8)) for o in found[:3]
    ],
    "counts": _counts,
    "counts down": _listed("counts down "),
    "counts up and down": _listed("counts up and down "),
    "counts ones": _listed("counts the set bits (population count) of ", 4, 1),
    "multiplies": _pairs(" by ", 1, 2, verb="multiplies "),
    "divides": _pairs(" by ", 1, 2, verb="divides "),
    "takes remainder": _pairs(" by ", 1, 2, verb="takes the remainder of "),
    "shifts left": _shifts("left"),
    "shifts right": _shifts("right"),
    "shifts by": _pairs(" by ", 1, 2, verb="shifts "),
    "detects edge": _edges,
    "saturates": _listed("saturates ", 4, 1),
    "swaps bytes": _listed("swaps the bytes of ", 4, 1),
    "reverses bits": _listed("reverses the bits of ", 4, 1),
    "computes parity": _listed("computes the parity (XOR of all bits) of ", 4, 1),
    "XORs bits": _listed("computes each bit as an XOR of others: "),
    "toggles": _listed("toggles "),
    "latches": _listed("holds in a latch "),
    "registers": _registers,
    "drives pad": _pairs(" when ", 0, 1, verb="drives as a three-state output "),
    "delays": _passes,
    "table": lambda found: [
        (
            "looks up ",
            Name(o.names[0]),
            " by ",
            Name(o.names[1]),
            f" in a table of {o.detail} cases",
        )
        for o in found[:3]
    ],
    "compares": _pairs(" with ", 1, 2, verb="compares "),
    "adds": _pairs(" and ", 1, 2, verb="adds "),
    "subtracts": _pairs(" from ", 2, 1, verb="subtracts "),
    "extends sign": _listed("extends the sign of ", 3, 1),
    "drives": _drives,
    "selects": _selects,
    "holds nothing": lambda _: [("declares ports and holds no logic",)],
    "packs": _listed("packs several signals into "),
    "unpacks": _listed("takes apart "),
}
"""What is said of each kind of operation, the most telling kinds first."""

_PLAIN = frozenset(
    {"compares", "adds", "subtracts", "selects", "packs", "unpacks", "delays", "toggles"}
    | {"extends sign"}
)
"""Kinds that say little of what a unit is for."""

_MINOR = frozenset({"detects edge"})
"""Kinds that people are told behind what a unit consists of."""

_COUNTS = frozenset({"counts", "counts down", "counts up and down"})

_SMALL = frozenset({"drives", "registers", "latches"})
"""Kinds that tell the whole of a unit that has little besides."""
