"""Which readers saw what an edge says, and what that is worth beside those that did not.

`trust` is not `confidence`: confidence says how surely an edge leads to its target and ranks files,
trust says whether the readers of the source agree that the edge is there, and ranks nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hdlgraph.model import BIT, Instance, Layer, Unit, bits_of, layers_of

AGREED, DISPUTED, SINGLE = "agreed", "disputed", "single"
"""Two readers or more saw it; one did, another of that unit did not; one alone read the unit."""

SLANG, REGEX = BIT[Layer.SLANG], BIT[Layer.REGEX]
TREES = BIT[Layer.SLANG] | BIT[Layer.TREE_SITTER] | BIT[Layer.PYVERILOG]
"""The readers that see ports, parameters and what is handed to an instance."""
TAKEN = SLANG | BIT[Layer.PYVERILOG]
"""The readers that see only the branch of an `ifdef that is taken."""


class Seen(NamedTuple):
    """The columns of an edge: names of the readers that saw it, and what that is worth."""

    witnesses: str = ""
    trust: str = ""


UNSEEN = Seen()
"""Of edges that no reader of the source states, such as those of concepts."""


@lru_cache(maxsize=256)
def seen_by(witnesses: int, readers: int) -> Seen:
    """Returns the columns of a fact that `witnesses` saw, of all that could."""
    if not witnesses:
        return UNSEEN
    if witnesses.bit_count() > 1:
        trust = AGREED
    else:
        trust = DISPUTED if readers & ~witnesses else SINGLE
    return Seen("+".join(layers_of(witnesses)), trust)


def seen_unit(unit: Unit) -> Seen:
    """Returns the columns of the edge from a file to its unit."""
    witnesses = bits_of(unit.layers)
    return seen_by(witnesses, witnesses)


def seen_in(unit: Unit, witnesses: int) -> Seen:
    """Returns the columns of the edge from a unit to its port or parameter."""
    return seen_by(witnesses, _readers(unit) & TREES)


def seen_instance(unit: Unit, instance: Instance) -> Seen:
    """Returns the columns of the edges that state an instance."""
    return seen_by(instance.witnesses, readers_of(unit, instance))


def seen_actual(witnesses: int, readers: int) -> Seen:
    """Returns the columns of an edge from or to what an instance is handed."""
    return seen_by(witnesses, readers & TREES)


def readers_of(unit: Unit, instance: Instance) -> int:
    """Returns the readers that could see an instance: those that read its unit.

    In a branch of an `ifdef that slang does not take, slang and PyVerilog could not.
    """
    readers = _readers(unit) | instance.witnesses
    hidden = any(scope.kind == "ifdef" for scope in instance.scopes)
    if hidden and not instance.witnesses & TAKEN:
        readers &= ~TAKEN
    return readers


def _readers(unit: Unit) -> int:
    return _bits(unit.layers)


_bits = lru_cache(maxsize=64)(bits_of)
