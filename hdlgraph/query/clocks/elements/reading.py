"""The nets that the expressions and tests of one unit read, each with its members and elements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from hdlgraph.query.clocks.elements.counting import counting
from hdlgraph.query.clocks.elements.occurrences import index_words, occurrences
from hdlgraph.query.clocks.keys import COPY, INVERTED, LOGIC, Key, form_of, is_constant, key_of
from hdlgraph.query.signals.unit import UnitView

TESTS = 64
"""Nets of tests that are kept around one place."""
CUT = ("…", " ...")
"""What a text ends in that is not whole."""
_LOOP = re.compile(r"for (?:genvar )?(\w+) = ")
_NONE: frozenset[str] = frozenset()


class Reading:
    """Reads the expressions of a unit."""

    def __init__(self, view: UnitView) -> None:
        self.view = view
        self._names = view.flow.names

    @cached_property
    def nets(self) -> frozenset[str]:
        """Returns the names that are nets or instances, no parameters and no loops' counters."""
        view = self.view
        children = (name.partition(".")[0] for name in view.children)
        return frozenset((*view.known, *view.linked, *children)) - counting(view)

    @cached_property
    def genvars(self) -> frozenset[str]:
        """Returns the names that the loops of generates count with."""
        found = (_LOOP.match(one.text) for one in self.view.flow.guards if one.kind == "generate")
        return frozenset(one[1] for one in found if one)

    def _counters(self, text: str) -> frozenset[str]:
        """Returns the names in the selections of a text that may count."""
        if "[" not in text:
            return _NONE
        return frozenset(
            word
            for word in index_words(text)
            if word in self.genvars or not (word in self.nets or is_constant(word))
        )

    def key(self, name: str, bits: str = "") -> Key:
        """Returns the key of a name, with indexes that count."""
        return key_of(name, bits, self._counters(bits or name))

    def target(self, number: int, bits: str) -> Key:
        """Returns the key of what is assigned, with indexes that count."""
        return self.key(self._names[number], bits)

    def read(self, numbers: Iterable[int], text: str, logic: str = "") -> tuple[list[Key], str]:
        """Returns the nets that a value reads, and its form.

        Args:
            numbers: of the names in it.
            text: as written, "" where it is logic of several names.
            logic: then its text.
        """
        names = [self._names[one] for one in numbers]
        nets = [name for name in names if name.partition(".")[0] in self.nets]
        form = form_of(text, len(names))
        if form in (COPY, INVERTED) and len(nets) > 1:
            form = LOGIC  # an index chooses
        return self._keys(nets, text or logic), form

    def _keys(self, names: Iterable[str], text: str) -> list[Key]:
        """Returns the keys of names, with what a text selects of them."""
        ways = {} if text.endswith(CUT) or "[" not in text else occurrences(text)
        keys = (self.key(way) for name in names for way in ways.get(name, (name,)))
        return list(dict.fromkeys(keys))

    def tests(self, at: int) -> tuple[Key, ...]:
        """Returns the nets in the tests around a place, of many the innermost."""
        return self._controls[at] if at >= 0 else ()

    @cached_property
    def _controls(self) -> list[tuple[Key, ...]]:
        """Returns the nets in the tests of each guard and of those around it."""
        found: list[tuple[Key, ...]] = []
        before: dict[tuple[int, str], list[Key]] = {}
        for guard in self.view.flow.guards:
            place = (guard.outer, guard.text)
            names = [self._names[one] for one in guard.reads]
            own = self._keys(names, guard.text if guard.kind != "case" else "")
            if guard.kind in ("if", "over"):
                before[place] = own
            elif guard.kind in ("else", "case", "default"):
                own = [*own, *before.get(place, ())]
            outer = found[guard.outer] if guard.outer >= 0 else ()
            found.append(tuple(dict.fromkeys((*outer, *own)))[-TESTS:])
        return found
