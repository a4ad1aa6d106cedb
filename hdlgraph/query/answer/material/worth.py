"""What the pieces of a file are worth to a question, by their words and by what is asked for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.parsers.text.machines import machines
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.material.pieces import LONG, FilePieces, Piece
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.question.aims import Aim
from hdlgraph.words import terms

AROUND = 0.4  # worth of a term in what opens the blocks around a piece
NAMED = 1.25  # worth of a term in a name that the piece assigns, declares or tests
FLAG = 0.8  # worth of the only reader of a flag that reset sets, in that of an aim
FLAG_LINES = 6  # of it
COMMON = 0.75  # part of a term's worth that goes where every piece of the file has it
POINTED = 0.4  # worth of the line that the search points to, in worths of the rarest term
FLAGGED = 0.8  # worth of what reads or makes a flag such as reset_done, in worths of an aim
AIMED = 0.9  # worth of a piece of the kind that is asked for, in the same
_FLAG = re.compile(
    r"(?:^|_)(?:rst|reset)n?_(?:done|load|ok|ready|complete|finished|release\w*|over|seen|busy|pending)"
    r"|(?:after|post|in|out_of)_(?:rst|reset)(?:_|$)",
    re.I,
)


def _after_reset(name: str) -> bool:
    """Returns whether a name is that of a flag that says what follows a reset."""
    return _FLAG.search(name) is not None


_SET = re.compile(r"(?:\d*'[sS]?[bdhBDH]?)?0*1|'1|\d+'[sS]?b1+")
"""The value of a flag that is set: 1 in any way to write it."""


class Worths:
    """The worth of each piece of a file to a question, before anything of it is shown.

    Args:
        file: the file.
        wanted: the question's terms.
        aims: what the question asks for.
        anchors: lines that the search points to, the best first.
    """

    def __init__(
        self, file: FilePieces, wanted: Wanted, aims: Sequence[Aim], anchors: Sequence[int]
    ) -> None:
        self.file = file
        self.wanted = wanted
        self.top = max((worth for _, worth in wanted.values()), default=1.0)
        found = [self._terms(piece) for piece in file.pieces]
        held = Counter(number for one in found for number in one)
        count = max(len(found), 1)
        rare = {n: 1 - COMMON * math.sqrt(c / count) for n, c in held.items()}
        self.terms = [{n: w * rare[n] for n, w in one.items()} for one in found]
        self.bonus = [0.0] * len(found)
        self._point(anchors)
        about_reset = "reset" in wanted and Aim.RESET not in aims
        for aim in (*aims, Aim.RESET) if about_reset else aims:
            self._aim(aim)

    def of_statement(self, one: Statement) -> float:
        """Returns what the question's terms on the first line of a statement are worth."""
        text = " ".join((self.file.lines[one.line - 1], one.head, one.label))
        return sum(self._of(text).values())

    def of_lines(self, first: int, last: int) -> float:
        """Returns what the question's terms on some lines are worth."""
        return sum(self._words(range(first, last + 1)).values())

    def _words(self, numbers: Iterable[int]) -> dict[int, float]:
        return self._of("\n".join(self.file.lines[n - 1] for n in numbers))

    def _of(self, text: str) -> dict[int, float]:
        best: dict[int, float] = {}
        for term in terms(text):
            if term in self.wanted:
                number, worth = self.wanted[term]
                best[number] = max(best.get(number, 0.0), worth)
        return best

    def _terms(self, piece: Piece) -> dict[int, float]:
        """Returns what the question's terms in a piece are worth, by number of the term."""
        found = self._words(piece.lines)
        for number, worth in self._words(piece.heads).items():
            found[number] = max(found.get(number, 0.0), AROUND * worth)
        named = " ".join(
            word
            for one in piece.inner
            for word in (*one.writes, *one.declares, one.name, one.unit, one.label, one.head)
        )
        for number, worth in self._of(named).items():
            found[number] = max(found.get(number, 0.0), NAMED * worth)
        return {number: piece.factor * worth for number, worth in found.items()}

    def _point(self, anchors: Sequence[int]) -> None:
        for place, line in enumerate(anchors):
            for number, piece in enumerate(self.file.pieces):
                if piece.lines[0] <= line <= piece.lines[-1]:
                    worth = POINTED * self.top * piece.factor / (1 + place)
                    self.bonus[number] = max(self.bonus[number], worth)
                    break

    def _aim(self, aim: Aim) -> None:
        for lines, worth in self._aimed(aim).items():
            for number, piece in enumerate(self.file.pieces):
                if lines[0] <= piece.lines[-1] and piece.lines[0] <= lines[1]:
                    self.bonus[number] += AIMED * self.top * worth

    def _aimed(self, aim: Aim) -> Mapping[tuple[int, int], float]:
        """Returns (first, last line) of what an aim asks for, with its worth."""
        outline = self.file.outline
        if aim is Aim.STATES:
            return self._machine_lines()
        if aim is Aim.RESET:
            flags = (s for s in outline.statements if any(map(_after_reset, (*s.reads, *s.writes))))
            found = {(s.line, s.end_line): FLAGGED for s in flags if s.kind not in LONG}
            return found | self._reset_lines()
        if aim is Aim.INTERFACE:
            return {(s.line, s.end_line): 0.6 for s in outline.named("ports")}
        if aim is Aim.CONFIGURE:
            found = {(s.line, s.end_line): 0.5 for s in outline.named("parameters")}
            plain = (s for s in outline.named("declaration") if s.word in CONSTANTS)
            return found | {(s.line, s.end_line): 0.25 for s in plain}
        return {}

    def _reset_lines(self) -> dict[tuple[int, int], float]:
        """Returns the reset branches, and what reads a flag that is set by reset alone."""
        found = {(s.line, s.end_line): 0.8 for s in self.file.outline.statements if s.reset}
        branches = [s for s in self.file.outline.statements if s.reset]
        flags = {
            name
            for branch in branches
            for one in branch.walk()
            if one.kind == "set" and _SET.fullmatch(one.right_side)
            for name in one.writes
        }
        readers: dict[str, list[Statement]] = {}
        for one in self.file.outline.statements if flags else ():
            for name in flags.intersection(one.reads):
                readers.setdefault(name, []).append(one)
        for places in readers.values():
            for one in places[:1] if len(places) == 1 else ():
                end = min(one.end_line, one.line + FLAG_LINES)
                found[one.line, end] = max(found.get((one.line, end), 0.0), FLAG)
        return found

    def _machine_lines(self) -> dict[tuple[int, int], float]:
        found = {}
        for machine in machines(self.file.outline):
            words_worth = sum(
                self._words(range(machine.case.line, machine.case.end_line + 1)).values()
            )
            all_worth = sum(dict(self.wanted.values()).values()) or 1.0
            worth = 0.6 + min(words_worth / all_worth, 1.0)
            found[machine.case.line, machine.case.end_line] = worth
            for state in machine.states:
                declared = self.file.outline.declarations.get(state)
                if declared is not None:
                    found[declared.line, declared.end_line] = worth
        return found


CONSTANTS = frozenset(["parameter", "localparam"])
