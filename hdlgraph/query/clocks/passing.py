"""Which input of a unit a clock or reset inside of it comes from, through copies and gates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hdlgraph.query.clocks.keys import CHOICE, COPY, INVERTED, Key
from hdlgraph.query.clocks.records import Driver
from hdlgraph.query.clocks.units import LATCH, Units

DEPTH = 40
CLOCK = re.compile(r"clk|clock|(?:^|_)(?:ck|cp|tck|sck|osc)(?:_|\d|$)", re.IGNORECASE)
RESET = re.compile(r"rst|reset|por|clr|clear|init", re.IGNORECASE)
_ENABLE = re.compile(r"(?:^|_)(?:en|ena|enable|gate|sel|req|ack|valid|disable|dis)(?:_|\d|$)", re.I)


class Input(NamedTuple):
    """An input port that a net comes from; `how` has what it passes: gated, inverted, muxed."""

    port: str
    inverted: bool = False
    how: tuple[str, ...] = ()


class Passing:
    """Follows clocks back to the inputs of their unit."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self._kept: dict[tuple[int, Key], Input | None] = {}

    def input_of(self, row: int, key: Key, depth: int = 0) -> Input | None:
        """Returns the input port that a net of a unit comes from, None for none or several."""
        at = (row, key)
        if at not in self._kept:
            self._kept[at] = None  # a loop comes from nowhere
            self._kept[at] = self._find(row, key, depth) if depth < DEPTH else None
        return self._kept[at]

    def _find(self, row: int, key: Key, depth: int) -> Input | None:
        found: list[Input] = []
        for driver in self.units.at(row).drivers(key):
            if driver.kind == "port":
                found.append(Input(driver.keys[0][0]))
            elif driver.kind == "logic":
                found += self._of_logic(row, driver, depth)
            elif driver.kind == "child":
                part = self.units.at(row).parts[driver.child]
                inner = self.input_of(part.row, driver.keys[0], depth + 1)
                actual = part.actuals.get(inner.port) if inner else None
                if inner is None or actual is None or len(actual.keys) != 1:
                    return None
                outer = self.input_of(row, actual.keys[0], depth + 1)
                inverted = inner.inverted != (actual.form == INVERTED)
                found += _joined(outer, inverted, inner.how)
        same = {(one.port, one.inverted) for one in found}
        return found[0] if len(same) == 1 else None

    def _of_logic(self, row: int, driver: Driver, depth: int) -> list[Input]:
        if driver.form in (COPY, INVERTED) and len(driver.keys) == 1:
            inverted = driver.form == INVERTED
            return _joined(self.input_of(row, driver.keys[0], depth + 1), inverted, ())
        if driver.form in (CHOICE, LATCH):
            return []
        gated = gate_input(driver.keys)
        return _joined(self.input_of(row, gated, depth + 1), False, ("gated",)) if gated else []


def _joined(outer: Input | None, inverted: bool, how: tuple[str, ...]) -> list[Input]:
    if outer is None:
        return []
    return [Input(outer.port, outer.inverted != inverted, (*outer.how, *how))]


def is_named(key: Key, form: re.Pattern[str]) -> bool:
    """Returns whether the last word of a name fits a form."""
    return bool(form.search(next(part for part in reversed(key) if part[0] != "[")))


def gate_input(keys: Sequence[Key]) -> Key | None:
    """Returns the clock among the inputs of a gate, None where there is none or several."""
    found = [key for key in keys if is_named(key, CLOCK)]
    if len(found) > 1:
        found = [key for key in found if not is_named(key, _ENABLE)]
    return found[0] if len(found) == 1 else None
