"""Addresses that a single compare or the label of a `case` decodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hdlgraph.query.reach.constants import Constants, stem
from hdlgraph.query.reach.numbers import NoNumberError
from hdlgraph.query.reach.records import Region
from hdlgraph.query.unused.texts import Text

LEAST = 1 << 16
"""The lowest address that is listed; lower ones are mostly offsets in a block."""
UPPER = 23
"""The lowest upper end of bits of an address that choose a block: lower ones choose within one."""
CLAIM = 1000
"""Characters before a compare in which the begin of an assertion is looked for."""
ADDRESS = re.compile(r"addr|adr\b|paddr|\bA\b", re.IGNORECASE)
_NAMED_CLAIM = re.compile(r"\b(?:property|sequence)\s+[A-Za-z_]")
_CLAIM = re.compile(r"\b(?:assert|assume|cover|restrict)\b")
_ENDS = ("endproperty", "endsequence")
_EQUAL = re.compile(r"===?\s*([\w:']{1,80})(?![\w.\[(])")
_BEFORE = re.compile(r"([A-Za-z_][\w.]{0,80})\s*(?:\[([^\[\]]{0,40})\])?\s*$")
_CASE = re.compile(r"\bcase[xz]?\s*\(([^()]{1,130})\)|\bendcase\b")
_LABELS = re.compile(
    r"(?:;|\)|\bend(?:case)?)\s*((?:[\w:']{1,80}\s*,\s*){0,16}[\w:']{1,80})\s*:(?!:)"
)


class Compare(NamedTuple):
    """A place where bits of an address ("" for all of it) are compared with a number."""

    at: int
    signal: str
    bits: str
    number: str


def equal_regions(
    text: Text, unit_at: Callable[[int], str], constants: Constants
) -> Iterator[tuple[str, Region, str]]:
    """Yields (unit, region, signal) of each address that is decoded by one number.

    Args:
        text: of a file.
        unit_at: gives the unit around a line.
        constants: the constants of the repository.
    """
    for one in (*_equals(text.code), *_labels(text.code)):
        line = text.line(one.at)
        unit = unit_at(line)
        region = _region(constants, unit, one, text.path, line)
        if region:
            yield unit, region, one.signal


def _equals(code: str) -> Iterator[Compare]:
    for one in _EQUAL.finditer(code):
        address = _address(code[max(0, one.start() - 130) : one.start()])
        if address and not _is_claim(code, one.start()):
            yield Compare(one.start(), *address, one[1])


def _is_claim(code: str, at: int) -> bool:
    """Returns whether a compare stands in an assertion, which decodes nothing."""
    before = code[max(0, at - CLAIM) : at]
    if _CLAIM.search(before, before.rfind(";") + 1):
        return True
    claims = [one.start() for one in _NAMED_CLAIM.finditer(before)]
    return bool(claims) and claims[-1] >= max(before.rfind(end) for end in _ENDS)


def _labels(code: str) -> Iterator[Compare]:
    """Yields the labels of each `case` of an address, without those of other cases in it."""
    around: list[tuple[str, str] | None] = []
    at = 0
    for one in _CASE.finditer(code):
        if around and around[-1]:
            for labels in _LABELS.finditer(code, at, one.start()):
                for label in labels[1].split(","):
                    yield Compare(labels.start(1), *around[-1], label.strip())
        if one[1] is None:
            del around[-1:]
        else:
            around.append(_address(one[1]))
        # A label stands behind the `)` of its case, or behind an `endcase` in it.
        at = one.end() - 1 if one[1] is not None else one.start()


def _address(text: str) -> tuple[str, str] | None:
    """Returns (name, bits) of the address that a text ends with, None where it is none."""
    one = _BEFORE.search(text)
    return (one[1], one[2] or "") if one and ADDRESS.search(one[1]) else None


def _region(constants: Constants, unit: str, one: Compare, path: str, line: int) -> Region | None:
    """Returns the region that a compare decodes; of a whole address its size is not known."""
    high, is_range, low = one.bits.partition(":")
    try:
        first = constants.value_of(low, unit) if is_range else 0
        if is_range and not (constants.value_of(high, unit) >= UPPER and 0 <= first <= UPPER * 2):
            return None
        base = constants.value_of(one.number, unit) << first
    except NoNumberError:
        return None
    if base < LEAST:
        return None
    plain = one.number.rpartition("::")[2]
    words = stem(plain) if not plain[:1].isdigit() and "'" not in plain else ()
    name = "_".join(words) or f"at line {line}"
    size = 1 << first if first else -1
    return Region(name, base, size, "", unit, path, line, "a comparison")
