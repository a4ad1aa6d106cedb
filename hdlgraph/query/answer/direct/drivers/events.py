"""Answers when an interrupt, an event or an alert comes that a question calls by its own name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.query.answer.direct.drivers.members import is_set
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject, owners_of, plain, units_written
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

OWNERS = 8  # units with a signal of a name that are looked at
_KINDS = {
    "interrupt": ("event", "intr_event", "intr", "irq", "interrupt", "int"),
    "irq": ("irq", "intr", "interrupt", "event", "int"),
    "event": ("event", "evt", "intr_event"),
    "alert": ("alert", "alert_event"),
}
"""How signals for each are called, those first that come before a register of the interrupt."""
_KIND = rf"(?P<kind>{'|'.join(_KINDS)})s?"
_X = r"(?:the )?(?P<x>[A-Za-z]\w*)"
_IN = r"(?: (?:of|in|from|by|inside) (?:the )?(?:\w+ )?\w+)?"
_COMES = (
    r"(?:fires?|fired|comes?|happens?|occurs?|raised?|asserted?|trigger(?:ed)?|signall?ed|sets?"
    r"|generated?|sent|go(?:es)? (?:high|up|off))"
)
_MAKES = (
    r"(?:causes?|triggers?|raises?|sets?|fires?|asserts?|generates?|drives?|makes?|signals?|sends?)"
)
_WHEN = r"(?:when|why|how|under (?:which|what) conditions?)"
_ASKED = tuple(
    re.compile(form.format(named), re.I)
    for named in (rf"{_X} {_KIND}", rf"(?:the )?{_KIND} {_X.removeprefix('(?:the )?')}")
    for form in (
        rf"{_WHEN} (?:does|do|is|are|gets?|will) {{}}{_IN} (?:get |be )?{_COMES}{_IN}",
        rf"(?:what|who|which \w+) {_MAKES} {{}}{_IN}(?: {_COMES})?",
    )
)
_ENDS = ("", "_o", "_d", "_q", "_i")


def add_events(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what drives the signal of an interrupt, `event_rx_full` of "the rx_full interrupt".

    False where the question does not ask when it comes, or where no unit of the design has it;
    of several units the one that is named is meant, or that of the first file.
    """
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _ASKED)), None)
    if found is None:
        return False
    names = list(_names(found["x"].lower(), found["kind"].lower()))
    moved = {*result.stale.changed, *result.stale.removed}
    units, _ = units_written(question, queries.graph())
    paths = [hit.path for hit in result.hits]
    for name in names:
        held = [one for one in owners_of(queries.graph(), name, False) if one.signal == name]
        held = [one for one in held if one.path not in moved]
        held = [one for one in held if not units or _is_in(one, units)][:OWNERS]
        held = [one for one in held if is_set(queries, one)]
        if len(held) > 1:
            held = sorted((one for one in held if one.path in paths),
                          key=lambda one: paths.index(one.path))  # fmt: skip
        if held:
            add_drivers(page, queries, held[0], False, moved, False, frozenset())
        if page.lines:
            return True
    return False


def _names(name: str, kind: str) -> Iterator[str]:
    """Yields what the signal may be called, the likeliest first."""
    for word in _KINDS[kind] if len(name) > 2 else ():
        for stem in (f"{word}_{name}", f"{name}_{word}"):
            yield from (stem + end for end in _ENDS)


def _is_in(one: Subject, units: list[str]) -> bool:
    """Returns whether a signal is one of a unit that is named, or of a part of it by its name."""
    folders = one.path.split("/")
    return any(one.unit == unit or one.unit.startswith(f"{unit}_") or unit in folders
               for unit in units)  # fmt: skip
