"""Which readers saw the fact behind an edge, and how far it can be trusted if others did not.

`trust` is not `confidence`: confidence says how surely an edge leads to its target and ranks files,
trust says whether the readers of the source agree that the edge is there, and ranks nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from hdlgraph.model import BIT, FileRecord, Layer, Unit, bits_of, layers_of

AGREED, DISPUTED, SINGLE = "agreed", "disputed", "single"
"""Two readers or more saw it; one did, another of that unit did not; one alone read the unit."""

TREE, PYVERILOG = BIT[Layer.TREE_SITTER], BIT[Layer.PYVERILOG]
TREES = BIT[Layer.SLANG] | TREE | PYVERILOG
"""The readers that know a grammar. Regular expressions see units and instances only; that they see
one counts, that they miss one says nothing: they know no macros and no deep parentheses."""
TAKEN = BIT[Layer.SLANG] | PYVERILOG
"""The readers that see only the branch of an `ifdef that is taken."""


class Seen(NamedTuple):
    """The columns `witnesses` and `trust` of an edge."""

    witnesses: str = ""
    trust: str = ""


UNSEEN = Seen()
"""Of edges that no reader of the source states, such as those of concepts."""


class Readers(NamedTuple):
    """The readers of a file or unit (see `bits_of`), and where some of them are blind.

    `branches` are first and last lines of its `ifdef branches, `expanded` lines with a macro.
    """

    bits: int
    branches: tuple[tuple[int, int], ...] = ()
    expanded: tuple[int, ...] = ()

    def at(self, witnesses: int, line: int) -> int:
        """Returns the readers that could see what `witnesses` saw on a line.

        What neither slang nor PyVerilog sees in a branch of an `ifdef is in one not taken; what
        tree-sitter does not see where a macro is used may be made by it.
        """
        at = bisect_left(self.expanded, line)
        if not witnesses & TREE and self.expanded[at : at + 1] == (line,):
            return self.bits & ~TREE | witnesses
        if not witnesses & TAKEN and any(first <= line <= last for first, last in self.branches):
            return self.bits & ~TAKEN | witnesses
        return self.bits | witnesses

    def seen(self, witnesses: int, line: int) -> Seen:
        """Returns the columns of the edge that states what `witnesses` saw on a line."""
        return seen_by(witnesses, self.at(witnesses, line))


@lru_cache(maxsize=256)
def seen_by(witnesses: int, readers: int) -> Seen:
    """Returns the columns of an edge that `witnesses` saw, of the readers that could see it."""
    if not witnesses:
        return UNSEEN
    if witnesses.bit_count() > 1:
        trust = AGREED
    else:
        trust = DISPUTED if readers & TREES & ~witnesses else SINGLE
    return Seen("+".join(layers_of(witnesses)), trust)


def readers_of(record: FileRecord, kind: str = "module") -> Readers:
    """Returns the readers that could see a unit of a kind in a file; PyVerilog knows modules."""
    bits = _bits(record.layers)
    return Readers(bits if kind == "module" else bits & ~PYVERILOG, *_blind(record))


def readers_of_unit(record: FileRecord, unit: Unit) -> Readers:
    """Returns the readers that could see what stands in a unit: those that saw the unit."""
    return Readers(_bits(unit.layers), *_blind(record))


def _blind(record: FileRecord) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    return record.branches, record.expanded


_bits = lru_cache(maxsize=64)(bits_of)
