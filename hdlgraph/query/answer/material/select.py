"""Selects the pieces of a file that are shown: those worth most, then what drives and uses them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.material.define import Definitions
from hdlgraph.query.answer.material.links import MACHINE, THRIFT, Links
from hdlgraph.query.answer.material.pieces import RULE, Piece
from hdlgraph.query.answer.material.portmap import informative
from hdlgraph.query.answer.material.worth import Worths

REPEATED = 0.7  # worth of a term that an earlier piece has shown
LISTS = frozenset("comment ports parameters text".split())  # of which a part says something
BLOCKS = frozenset("always function task case if branch arm instance typedef assign loop".split())
BLOCK = 40  # lines of a block that is completed where much of it is taken
OFFERED = 4_000
"""Pieces of a file that are compared again and again; of a file with more the best ones."""
MOST = 0.5  # of its lines
COMMENT = 6  # lines of a comment above a definition that are shown with it
SHORT_GAP = 2  # lines between two others that are taken with them
GAP = 1  # tokens of the dots between two pieces
PROMISING = 6  # pieces by which it is decided how much of a file should be shown
ANSWERS = 0.6  # of the worth of the best piece: what is worth this is shown with definitions
DEFINED = 0.3  # of the budget for those
NAMES = 10  # names that are followed from one piece
ASKED = 0.15  # of the rarest term's worth: what says a term of less is not asked for
PLAIN = 0.07  # worth of any piece, in worths of the rarest term


@dataclass
class Selection:
    """The lines chosen of a file with their tokens, and the pieces that they are of in order."""

    lines: set[int] = field(default_factory=set)
    pieces: list[Piece] = field(default_factory=list)
    added: list[set[int]] = field(default_factory=list)
    cost: int = 0

    def add(self, piece: Piece, lines: set[int], cost: int) -> None:
        """Takes lines of a piece that were not taken before."""
        self.pieces.append(piece)
        self.added.append(lines)
        self.lines |= lines
        self.cost += cost

    def drop(self) -> bool:
        """Gives back what was taken last; returns whether there was any."""
        if self.added:
            self.pieces.pop()
            self.lines -= self.added.pop()
        return bool(self.added)


class Selector:
    """Selects pieces of one file, again and again while there is room.

    Args:
        worths: the file's pieces with their worth.
        cost: the tokens of a line that is shown.
        gap: the tokens of the dots between two pieces.
        unasked: kinds of pieces that are not taken.
    """

    def __init__(
        self,
        worths: Worths,
        cost: Callable[[int], int],
        gap: int = GAP,
        unasked: Collection[str] = (),
    ) -> None:
        self.worths = worths
        self.pieces = worths.file.pieces
        self.cost = cost
        self.gap = gap
        self.taken = Selection()
        self._open = {n for n, one in enumerate(self.pieces) if one.kind not in unasked}
        self._seen: set[int] = set()
        self._links = Links(worths)
        self._first = 0.0
        self._defined = 0

    def value(self, number: int) -> float:
        """Returns what a piece is worth after those already taken; of two the shorter is more."""
        own = self.worths.terms[number]
        total = sum(w * (REPEATED if n in self._seen else 1.0) for n, w in own.items())
        total += self.worths.bonus[number] + self._links.gained[number]
        total += PLAIN * self.worths.top * self.pieces[number].factor
        return float(total / (len(self.pieces[number].lines) + 5) ** THRIFT)

    def best(self) -> float:
        """Returns what the piece worth most is worth, 0 where there is none left."""
        return max((self.value(n) for n in self._open), default=0.0)

    def promise(self) -> float:
        """Returns how much the best pieces together are worth, before any is taken."""
        values = sorted((self.value(n) for n in range(len(self.pieces))), reverse=True)
        return sum(values[:PROMISING])

    def instances(self, few: int = 0) -> list[tuple[float, Statement]]:
        """Returns the instances among the pieces taken, with the worth of their pieces.

        Args:
            few: in a file with so many instances or fewer all of them count as taken.
        """
        held = [
            (sum(self.worths.terms[n].values()) + self._links.gained[n], one, n in self._open)
            for n, piece in enumerate(self.pieces)
            for one in piece.inner
            if one.kind == "instance" and one.unit
        ]
        every = len({id(one) for _, one, _ in held}) <= few
        return [(worth, one) for worth, one, left in held if every or not left]

    def take(self, budget: int, least: float = 0.0) -> Selection:
        """Takes the pieces worth most until they cost `budget` tokens; returns all taken.

        Args:
            budget: tokens of all lines taken, those of earlier calls among them.
            least: worth below which a piece is left.
        """
        if len(self._open) > OFFERED:
            best_first = nlargest(OFFERED, ((self.value(n), -n) for n in self._open))
            self._open = {-n for _, n in best_first}
        passed: set[int] = set()  # what does not fit now may fit when there is more room
        order: list[tuple[float, int]] = []  # of those left, until one is taken: the best is last
        while self._open:
            if passed and not order:
                order = sorted((self.value(n), -n) for n in self._open)
            value, best = order.pop() if order else max((self.value(n), -n) for n in self._open)
            best = -best
            if value <= 0 or value < least:
                break
            self._open.discard(best)
            piece = self.pieces[best]
            fresh = self._whole(piece)
            price = sum(map(self.cost, fresh)) + self.gap * (1 + len(piece.heads))
            if self.taken.cost + price > budget:
                piece, fresh, price = self._part(piece, budget - self.taken.cost)
                if not fresh:
                    passed.add(best)
                    continue
            order = []
            self.taken.add(piece, fresh, price)
            if fresh:
                self._complete(fresh, budget)
            self._seen |= self.worths.terms[best].keys()
            self._links.spread(best, value, self._open)
            self._first = max(self._first, value)
            if value >= ANSWERS * self._first:
                self._define(piece, budget)
        self._open |= passed
        return self.taken

    def _complete(self, fresh: Collection[int], budget: int) -> None:
        """Takes the rest of the short blocks and of the short gaps that lines lie in."""
        for lines in self._blocks:
            if lines[0] > max(fresh) or lines[-1] < min(fresh):
                continue
            held = sum(n in self.taken.lines for n in lines)
            if MOST * len(lines) <= held < len(lines):
                self._fill(lines, budget)
        for number in sorted(fresh):
            for step in (1, -1):
                gap = range(number + step, number + step * (SHORT_GAP + 2), step)
                end = next((k for k, n in enumerate(gap) if n in self.taken.lines), 0)
                self._fill(gap[:end], budget)

    @cached_property
    def _blocks(self) -> list[list[int]]:
        """Returns the lines of each short block, the shortest first."""
        found = [
            [n for n in range(one.line, one.end_line + 1) if self._is_informative(n)]
            for one in self.worths.file.outline.statements
            if one.kind in BLOCKS
            and not one.reset
            and 2 < one.end_line - one.line + 1 <= self._most(one)
        ]
        return sorted((lines for lines in found if lines), key=len)

    def _most(self, one: Statement) -> int:
        """Returns how long a block may be to be completed, the case of a state machine longer."""
        return MACHINE if one in self.worths.file.machine_cases else BLOCK

    def _is_informative(self, number: int) -> bool:
        file = self.worths.file
        return number not in file.notices and not RULE.match(file.lines[number - 1])

    def _fill(self, lines: Iterable[int], budget: int) -> None:
        count = len(self.worths.file.lines)
        fresh = {n for n in lines if 0 < n <= count and self._is_informative(n)} - self.taken.lines
        price = sum(map(self.cost, fresh))
        if fresh and self.taken.cost + price <= budget:
            self.taken.add(Piece("rest", tuple(sorted(fresh)), (), ()), fresh, price)

    def include(self, lines: Iterable[int], budget: int) -> bool:
        """Takes some lines with the directives around them; False where they cost too much."""
        fresh = {
            n for n in lines if 0 < n <= len(self.worths.file.lines) and self._is_informative(n)
        }
        fresh = (fresh | self.worths.file.conditions.around(fresh)) - self.taken.lines
        price = sum(map(self.cost, fresh)) + GAP
        if not fresh or self.taken.cost + price > budget:
            return not fresh
        self.taken.add(Piece("rest", tuple(sorted(fresh)), (), ()), fresh, price)
        return True

    @cached_property
    def definitions(self) -> Definitions:
        """Returns where the names of the file get their values."""
        return Definitions(self.worths.file)

    def _define(self, piece: Piece, budget: int) -> None:
        """Takes the lines that define what a piece reads, the shortest definitions first."""
        names = self.definitions.read(piece)[:NAMES]
        plain = self._show([self.definitions.lines(name) for name in names], budget)
        again = [n for one in plain for n in self.definitions.read(one) if n not in names]
        self._show([self.definitions.lines(name) for name in again[:NAMES]], budget)

    def _show(self, found: list[set[int]], budget: int) -> list[Piece]:
        """Takes definitions, the shortest first; returns the pieces of a line that they are."""
        plain: list[Piece] = []
        for lines in sorted((one for one in found if one), key=len):
            shown = {n for n in lines if self.worths.file.lines[n - 1].strip()}
            shown |= self.comment_above(min(shown, default=1))
            fresh = shown | self.worths.file.conditions.around(shown)
            fresh -= self.taken.lines | self.worths.file.notices
            price = sum(map(self.cost, fresh)) + 2 * GAP
            if not fresh or self.taken.cost + price > budget:
                continue
            if self._defined + price > DEFINED * budget:
                break
            self._defined += price
            piece = Piece("defined", tuple(sorted(fresh)), (), self._statements(fresh))
            self.taken.add(piece, fresh, price)
            if len(lines) == 1:
                plain.append(piece)
        return plain

    def comment_above(self, line: int) -> set[int]:
        """Returns the lines of the short comment directly above the statement on a line."""
        found = self.worths.file.outline.at(line)
        if found is None or found.line != line:
            return set()
        first = self.worths.file.outline.first_line(found)
        return set(range(first, line)) if line - first <= COMMENT else set()

    def _statements(self, lines: set[int]) -> tuple[Statement, ...]:
        """Returns the statements that lie on some lines alone."""
        found = (self.worths.file.outline.at(number) for number in sorted(lines))
        return tuple(
            dict.fromkeys(s for s in found if s and s.line in lines and s.end_line in lines)
        )

    def _whole(self, piece: Piece) -> set[int]:
        """Returns the lines of a piece and what opens the blocks and regions around it."""
        lines = {*self._lines(piece), *piece.heads}
        return (lines | self.worths.file.conditions.around(lines)) - self.taken.lines

    def _lines(self, piece: Piece) -> Sequence[int]:
        """Returns the lines of a piece that are shown, of an instance the informative ones."""
        if piece.kind != "instance":
            return piece.lines
        asked = {t for t, (_, w) in self.worths.wanted.items() if w >= ASKED * self.worths.top}
        return informative(self.worths.file.lines, piece.lines, asked)

    def _part(self, piece: Piece, left: int) -> tuple[Piece, set[int], int]:
        """Returns as much of the beginning of a list as fits, at least half of it."""
        if piece.kind not in LISTS:
            return piece, set(), 0
        around = self.worths.file.conditions.around(piece.lines[: -(-len(piece.lines) // 2)])
        fresh = {*piece.heads, *around} - self.taken.lines
        price = sum(map(self.cost, fresh)) + self.gap * (1 + len(piece.heads))
        count = 0
        for number in self._lines(piece):
            extra = 0 if number in self.taken.lines or number in fresh else self.cost(number)
            if price + extra > left:
                break
            price += extra
            fresh.add(number)
            count += 1
        return (piece, fresh, price) if 2 * count >= len(piece.lines) else (piece, set(), 0)
