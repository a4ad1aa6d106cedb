"""Regions that a compare under a mask decodes: `(addr & mask) == 32'h7000`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.reach.constants import Constants, parts
from hdlgraph.query.reach.equals import ADDRESS
from hdlgraph.query.reach.numbers import NoNumberError
from hdlgraph.query.unused.texts import Text

LEAST = 4
"""Bytes of the smallest block."""
WIDEST = 64
"""Bits of a mask."""
_COMPARE = re.compile(
    r"&\s*([A-Za-z_]\w{0,80}|\{(?:[^{};]|\{[^{};]*\{[^{};]*\}[^{};]*\}){1,200}\})\s*\)\s*==\s*"
    r"([\w']{1,80})"
)
_SIGNAL = re.compile(r"\(\s*([A-Za-z_][\w.]{0,80})\s*(?:\[[^\[\]]{0,40}\])?\s*$")
_LEFT = re.compile(r"(?:^|[;\s])([A-Za-z_]\w{0,80})\s*<?=[\s(]*$")
_REPEATED = re.compile(r"\{\s*([\w\s()+*-]{1,60}?)\s*\{\s*1'[bB]([01])\s*\}\s*\}")
_CHOOSES = frozenset({"select", "sel", "hit", "match", "cs", "is", "decode", "dec", "w", "r"})


class Masked(NamedTuple):
    """A compare of a signal under a mask: where, what it sets, the first address, and how many."""

    at: int
    signal: str
    name: str
    base: int
    size: int


def masked_compares(text: Text, constants: Constants) -> Iterator[Masked]:
    """Yields the compares of addresses whose mask is a number, or a net or constant that is one."""
    code = text.code
    masks: dict[str, int | None] = {}
    for one in _COMPARE.finditer(code):
        before = code[max(0, one.start() - 200) : one.start()]
        signal = _SIGNAL.search(before)
        if signal is None or not ADDRESS.search(signal[1]):
            continue
        if one[1] not in masks:
            masks[one[1]] = _mask(code, one[1], constants)
        mask = masks[one[1]]
        if mask is None:
            continue
        try:
            base = constants.value_of(one[2])
        except NoNumberError:
            continue
        free = (mask & -mask).bit_length() - 1
        if mask and 1 << free >= LEAST and base & ((1 << free) - 1) == 0:
            left = _LEFT.search(before[: signal.start()])
            yield Masked(one.start(), signal[1], _name(left[1] if left else ""), base, 1 << free)


def _name(left: str) -> str:
    """Returns the block that a net chooses: `sdp` of `select_sdp`, "" for none."""
    return "_".join(one for one in parts(left) if one not in _CHOOSES)


def _mask(code: str, text: str, constants: Constants) -> int | None:
    """Returns the number that a mask is, None for one that the file does not tell."""
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        given = re.search(rf"\b{text}\s*=\s*([^;=]{{1,200}});", code)
        if given is None:
            return None
        text = given[1].strip()
    try:
        if not text.startswith("{"):
            return constants.value_of(text)
        inner, bits = text[1:-1].strip(), ""
        if _REPEATED.sub("", inner).strip(" ,\n\t\r"):
            return None
        for one in _REPEATED.finditer(inner):
            bits += one[2] * min(constants.value_of(one[1]), WIDEST + 1)
    except NoNumberError:
        return None
    return int(bits, 2) if 0 < len(bits) <= WIDEST else None
