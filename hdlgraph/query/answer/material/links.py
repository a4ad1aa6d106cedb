"""Links of pieces by the names that they assign, read and declare, and the worth gained by them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property

from hdlgraph.query.answer.material.pieces import Piece
from hdlgraph.query.answer.material.worth import Worths

DRIVES = 0.55  # of a piece's worth goes to those that assign what it reads
USES = 0.3  # and to those that read what it assigns
SIBLINGS = 0.6  # and to the other arms of the state machine that it is of
DECLARES = 0.3  # and to constants and types that it names
_CLOCK = re.compile(
    r"(?:^|_)(?:a?clk|clock|[ap]?rst|[ap]?reset)(?:_?(?:n|b|i|ni|in|o|q|l|p|x|\d))*$", re.I
)
_MACRO = re.compile(r"(?<=`)(?!define\b|ifn?def\b|else\b|endif\b)[A-Za-z_]\w*")
_DEFINE = re.compile(r"`define\s+([A-Za-z_]\w*)")
HUB = 12  # pieces with a signal from which it tells nothing, such as a clock
THRIFT = 0.3  # power of its length by which the worth of a piece is divided
MACHINE = 64  # lines of a case over the states of a machine


class Links:
    """The pieces of one file as they are linked by names; `gained` is what each is worth by that.

    Args:
        worths: the file's pieces with their worth.
    """

    def __init__(self, worths: Worths) -> None:
        self._worths, self._pieces = worths, worths.file.pieces
        self.gained = [0.0] * len(self._pieces)
        self._writers: dict[str, list[int]] = defaultdict(list)
        self._readers: dict[str, list[int]] = defaultdict(list)
        self._declarers: dict[str, list[int]] = defaultdict(list)
        tables = (self._writers, self._readers, self._declarers)
        for number, piece in enumerate(self._pieces):
            for table, found in zip(tables, self.names(piece), strict=True):
                for name in found:
                    table[name].append(number)

    def names(self, piece: Piece) -> tuple[list[str], list[str], list[str]]:
        """Returns the names that a piece assigns, reads and declares.

        What is connected to an instance may be driven by it, and counts as both; a macro counts
        as declared where it is defined.
        """
        text = "\n".join(self._worths.file.lines[n - 1] for n in piece.lines)
        writes = [n for s in piece.inner for n in s.writes]
        writes += [n for s in piece.inner if s.kind == "instance" for n in s.reads]
        reads = [n for s in piece.inner for n in s.reads] + _MACRO.findall(text)
        declares = [n for s in piece.inner for n in s.declares] + _DEFINE.findall(text)
        return _distinct(writes), _distinct(reads), _distinct(declares)

    def spread(self, number: int, value: float, left: Collection[int]) -> None:
        """Gives a part of a piece's worth to what drives it, uses it, and declares its names.

        Args:
            number: of the piece.
            value: what it is worth.
            left: the pieces that may gain by it.
        """
        piece = self._pieces[number]
        writes, reads, _ = self.names(piece)
        scale = value * 6**THRIFT
        for other in self._siblings.get(number, ()):
            if other in left:
                self.gained[other] = max(self.gained[other], scale * SIBLINGS)
        for names, table, share in (
            (reads, self._writers, DRIVES),
            (writes, self._readers, USES),
            (reads, self._declarers, DECLARES),
        ):
            for name in names:
                if _CLOCK.search(name):
                    continue
                self._give(table.get(name, ()), scale * share, table is self._declarers, left)

    @cached_property
    def _siblings(self) -> dict[int, list[int]]:
        """Returns the pieces of the cases of state machines, with the others of the same case."""
        found: dict[int, list[int]] = {}
        for case in self._worths.file.machine_cases:
            if case.end_line - case.line < MACHINE:
                inner = [
                    n
                    for n, piece in enumerate(self._pieces)
                    if case.line <= piece.lines[0] and piece.lines[-1] <= case.end_line
                ]
                found |= {n: [other for other in inner if other != n] for n in inner}
        return found

    def _give(
        self, numbers: Iterable[int], worth: float, constant: bool, left: Collection[int]
    ) -> None:
        found = [n for n in numbers if n in left]
        if not found or len(found) > HUB:
            return
        for other in found:
            piece = self._pieces[other]
            if constant and not _constant(piece):
                continue
            gained = worth / math.sqrt(len(found)) * max(piece.factor, 0.5)
            self.gained[other] = max(self.gained[other], gained)


def _constant(piece: Piece) -> bool:
    return piece.kind == "text" or any(
        s.kind == "typedef" or s.word in ("parameter", "localparam") for s in piece.statements
    )


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
