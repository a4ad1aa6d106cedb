"""A place in the words of a file from which statements are read, whatever is broken there."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Sequence

from hdlgraph.parsers.text.expressions import clean
from hdlgraph.parsers.text.statement import ALWAYS, HEAD, UNITS, Statement
from hdlgraph.parsers.text.statement_tokens import ASSIGNING, CLOSING, OPENING, tokens

DEEPEST = 120
"""Statements inside each other that are read; what lies deeper is passed over."""
ENDS = {
    **{word: f"end{word}" for word in UNITS},
    "macromodule": "endmodule",
    **{word: f"end{word}" for word in ("function", "task", "generate", "property", "sequence")},
    **{word: f"end{word}" for word in ("clocking", "specify", "table")},
    **{"covergroup": "endgroup", "randsequence": "endsequence"},
}
JOINS = frozenset("join join_any join_none".split())
CLOSERS = frozenset([*ENDS.values(), *JOINS, "end", "endcase"])
HARD = frozenset([*CLOSERS, *ALWAYS, "initial", "module", "macromodule"])
"""Words that no plain statement goes beyond: they end one whose semicolon is missing."""
Read = Callable[[Statement], None]


class StatementCursor:
    """Goes through the words of a file from left to right and makes statements of them.

    Args:
        code: the file without comments, strings and directives.
        starts: offset of each line's first character.
    """

    def __init__(self, code: str, starts: Sequence[int]) -> None:
        self.code = code
        self.starts = starts
        self.words, self.offsets = tokens(code)
        self.words.append("")  # the end of the file
        self.offsets.append(len(code))
        self.at = 0
        self.depth = 0
        self.awaited: Counter[str] = Counter()

    def word(self, ahead: int = 0) -> str:
        """Returns the word at the reader, or further ahead; "" behind the last."""
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else ""

    def line(self, place: int) -> int:
        """Returns the line of the word number `place`."""
        return bisect.bisect_right(self.starts, self.offsets[min(place, len(self.offsets) - 1)])

    def group(self) -> tuple[int, int]:
        """Passes the bracket at the reader; returns the offsets of what stands in it."""
        begin, depth = self.at, 0
        while word := self.word():
            if word in OPENING:
                depth += 1
            elif word in CLOSING:
                depth -= 1
            elif word in HARD:
                break
            self.at += 1
            if depth <= 0:
                return self.offsets[begin] + 1, self.offsets[self.at - 1]
        return self.offsets[begin] + 1, self.offsets[self.at]

    def groups(self, opening: str) -> None:
        """Passes all brackets of a kind at the reader."""
        while self.word() == opening:
            self.group()

    def plain(self, found: Statement) -> None:
        """Passes the rest of a statement up to its semicolon and takes down its left sides."""
        depth, value = 0, False
        begin = self.offsets[self.at]
        lefts = []
        while (word := self.word()) and word not in HARD:
            if word in OPENING:
                depth += 1
            elif word in CLOSING:
                depth = max(depth - 1, 0)
            elif depth == 0:
                if word == ";":
                    break
                if word in ASSIGNING and not value:
                    lefts.append((begin, self.offsets[self.at]))
                    value = True
                elif word == ",":
                    begin, value = self.offsets[self.at] + 1, False
            self.at += 1
        if self.word() == ";":
            self.at += 1
        found.lefts = tuple(lefts)

    def begin(self, parent: Statement, kind: str, word: str = "") -> Statement:
        """Returns a new statement in `parent` that begins at the reader."""
        line = self.line(self.at)
        found = Statement(
            kind, word or self.word(), line, line, parent=parent, code=self.code,
            span=(self.offsets[self.at], self.offsets[self.at]),
        )  # fmt: skip
        parent.children.append(found)
        return found

    def close(self, found: Statement) -> None:
        """Ends a statement behind the last word passed."""
        last = max(self.at - 1, 0)
        found.end_line = max(self.line(last), found.line)
        end = self.offsets[last] + len(self.words[last].replace("op=", "++"))
        found.span = (found.span[0], max(end, found.span[0]))

    def head(self, span: tuple[int, int]) -> str:
        """Returns the code between two offsets on one line, cut at HEAD characters."""
        return clean(self.code[span[0] : max(span)], HEAD)

    def body(self, found: Statement, end: str, inner: Read) -> None:
        """Reads what stands before the word `end`, and the word and its label."""
        self.awaited[end] += 1
        self.depth += 1
        while (word := self.word()) and word != end:
            if word in CLOSERS:
                if self.awaited[word] or (word in JOINS and self.awaited["join"]):
                    break  # it closes something around this: the end is missing here
                self.at += 1
            elif self.depth > DEEPEST:
                self.at += 1
            else:
                inner(found)
        self.depth -= 1
        self.awaited[end] -= 1
        if self.word() == end or (end == "join" and self.word() in JOINS):
            self.at += 1
            if self.word() == ":":
                self.at += 2

    def label(self) -> str:
        """Passes the `: name` at the reader and returns the name, "" if there is none."""
        if self.word() == ":" and self.word(1):
            self.at += 2
            return self.words[self.at - 1]
        return ""

    def inside(self, found: Statement, inner: Read) -> None:
        """Reads the statement or the block that belongs to `found`, as its children."""
        word = self.word()
        if word == "begin":
            self.at += 1
            found.label = self.label() or found.label
            self.body(found, "end", inner)
        elif word and word not in CLOSERS and self.depth < DEEPEST:
            self.depth += 1
            inner(found)
            self.depth -= 1
        self.close(found)
