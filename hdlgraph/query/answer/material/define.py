"""Finds the lines of a file that define a name: its assignments, its constant, its macro."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from hdlgraph.parsers.text.directives import macros_of
from hdlgraph.parsers.text.expressions import names
from hdlgraph.parsers.text.statement import CLOCKED, Statement
from hdlgraph.query.answer.material.pieces import FilePieces, Piece

MOST = 4  # statements that assign a name; of more none says what it is
LONG = 8  # lines of a statement that defines a name; an enumeration may have twice as many
CONSTANTS = frozenset(["parameter", "localparam"])
COMPARES = re.compile(r"[<>]=?|[=!]==?")
"""What makes an expression compare something."""
_MACRO = re.compile(r"(?<=`)[A-Za-z_]\w*")
_CLOCK = re.compile(r"(?:^|_)(?:a?clk|clock|[ap]?rst|[ap]?reset)", re.I)


class Definitions:
    """Where the names of a file get their values.

    Args:
        file: the file.
    """

    def __init__(self, file: FilePieces) -> None:
        self.file = file
        self._assign: dict[str, list[Statement]] = defaultdict(list)
        for one in file.outline.statements:
            for name in one.writes:
                self._assign[name].append(one)
            if one.kind == "typedef" or one.word in CONSTANTS:
                for name in one.declares:
                    if one not in self._assign[name]:
                        self._assign[name].append(one)
        self._macros = {one.name: one.line for one in macros_of(file.outline.source)}
        self._heads = {n: p.heads for p in file.pieces for n in p.lines}

    def read(self, piece: Piece) -> list[str]:
        """Returns the names and macros that a piece reads, in the order of the text."""
        text = "\n".join(self.file.lines[n - 1] for n in piece.lines)
        found = [f"`{name}" for name in _MACRO.findall(text) if name in self._macros]
        for one in piece.inner:
            if one.kind != "instance":
                found += [n for n in one.reads if n in self._assign and not _CLOCK.search(n)]
        return list(dict.fromkeys(found))

    def lines(self, name: str) -> set[int]:
        """Returns the lines that define a name, with what opens the blocks around them.

        Nothing is returned for a name that too many statements assign.
        """
        if name.startswith("`"):
            return self._macro_lines(self._macros[name[1:]])
        found = [one for one in self._assign.get(name, ()) if not _of_reset(one)]
        for one in list(found):
            found += self._before(one, name)
        if len(found) > MOST:
            return set()
        return {n for one in dict.fromkeys(found) for n in self._of(one)}

    def _before(self, one: Statement, name: str) -> list[Statement]:
        """Returns what assigns the next value of a register that takes it over unchanged."""
        process = one.process
        if one.kind != "set" or process is None or process.word not in CLOCKED:
            return []
        read = names(one.right_side)
        if len(read) != 1 or read[0] == name or one.right_side.strip() != read[0]:
            return []
        return [s for s in self._assign.get(read[0], ()) if not _of_reset(s)]

    def _of(self, one: Statement) -> Iterator[int]:
        """Yields the lines of a statement and of the branch or arm that it stands in."""
        length = LONG * (2 if one.kind == "typedef" else 1)
        if one.kind in ("instance", "block") or one.end_line - one.line >= length:
            return
        first, last = one.line, one.end_line
        for outer in one.around():
            if outer.kind not in ("branch", "arm", "if", "loop") or outer.process is None:
                break
            if outer.end_line - outer.line >= LONG:
                yield outer.line
                break
            first, last = outer.line, outer.end_line
        yield from range(first, last + 1)
        yield from self._heads.get(one.line, ())

    def _macro_lines(self, line: int) -> set[int]:
        last = line
        while last - line < LONG and self.file.lines[last - 1].rstrip().endswith("\\"):
            last += 1
        return set(range(line, min(last, len(self.file.lines)) + 1))


def _of_reset(one: Statement) -> bool:
    return any(outer.reset for outer in one.around())
