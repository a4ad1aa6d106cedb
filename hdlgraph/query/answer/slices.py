"""Chooses the parts of a source file that say most about a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from hdlgraph.words import terms

MAX_LINE = 200  # characters shown of one line
MAX_BLOCK = 40  # lines of a routine or instance that is kept in one piece
LEAST = 4  # lines of a part of a block; fewer say nothing
WINDOW = 16  # lines of a piece where a block is longer
GAP = 2  # lines between two slices that are shown rather than left out
REPEATED = 0.3  # worth of a term that an earlier slice has shown
DECLARED = 0.6  # worth of a term in a block that only declares
ANCHOR = 1.0  # worth of a line that the search points to, in idf of the rarest term
LICENCE = re.compile(
    r"copyright|\blicen[sc]ed? |spdx-|all rights reserved|without warrant|redistribution and use"
    r"|apache\.org/licenses",
    re.I,
)
_COMMENT_LINE = re.compile(r"\s*(//|/\*|\*(?![^*\n]*[;=])|\(\*)")
_DECLARATION = re.compile(r"\s*(?:input|output|inout|logic|wire|reg|bit|rand|import)\b[^=]*$")
_UNIT = re.compile(
    r"^[ \t]*(?:(?:virtual|extern|static)\s+){0,4}"
    r"(?:module|macromodule|interface|program|package|class|checker|primitive)\s+"
    r"(?:automatic\s+|static\s+)?(?!class\b)(\w+)",
    re.M,
)
Wanted = Mapping[str, tuple[int, float]]
"""Term -> (number of the question's term that it stands for, worth)."""
Block = tuple[int, int]
"""First and last line of a piece of source."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive lines of a file as they are shown; `line` and `end_line` are inclusive."""

    line: int
    end_line: int
    lines: tuple[str, ...]

    def numbered(self) -> str:
        """Returns the lines, each after its number."""
        return "\n".join(
            f"{number:>5}| {text}" for number, text in enumerate(self.lines, self.line)
        )


class SourceText:
    """The lines of a file and its blocks.

    Args:
        text: the whole file.
        blocks: (line, end_line) of routines, instances and types, where a reader knows them.
    """

    def __init__(self, text: str, blocks: Iterable[Block] = ()) -> None:
        self.text = text.replace("\r\n", "\n")
        self.lines = self.text.split("\n")
        if len(self.lines) > 1 and not self.lines[-1]:
            self.lines.pop()
        self._known = sorted(blocks)

    @cached_property
    def unit_line(self) -> int:
        """Returns the line on which the first unit begins, else the first line of code."""
        found = _UNIT.search(self.text)
        if found:
            return self.text.count("\n", 0, found.start(1)) + 1
        code = (n for n, line in enumerate(self.lines, 1) if line.strip() and not comment(line))
        return next(code, 1)

    @cached_property
    def blocks(self) -> list[Block]:
        """Returns the file cut into pieces without blank ends, licence texts left out.

        Pieces are known blocks of at most MAX_BLOCK lines with the comment above them, and
        between those the paragraphs that blank lines part.
        """
        count = len(self.lines)
        starts = {n for n in range(1, count + 1) if n == 1 or not self.lines[n - 2].strip()}
        last = 0
        for first, end in self._known:
            if first <= last or not 2 <= end - first + 1 <= MAX_BLOCK or end > count:
                continue
            first = self._with_comment(first, last)
            starts -= set(range(first, end + 1))
            starts |= {first, end + 1}
            last = end
        borders = [*sorted(n for n in starts if n <= count), count + 1]
        out: list[Block] = []
        for begin, after in pairwise(borders):
            out += self._pieces(begin, after - 1)
        return out

    def _with_comment(self, first: int, last: int) -> int:
        while first - 1 > last and first > 1 and comment(self.lines[first - 2]):
            first -= 1
        return first

    def _pieces(self, begin: int, end: int) -> list[Block]:
        while begin <= end and not self.lines[begin - 1].strip():
            begin += 1
        while end >= begin and not self.lines[end - 1].strip():
            end -= 1
        if begin > end or self._is_licence(begin, end):
            return []
        if end - begin + 1 <= MAX_BLOCK:
            return [(begin, end)]
        parts = -(-(end - begin + 1) // WINDOW)
        size = -(-(end - begin + 1) // parts)
        return [(n, min(n + size - 1, end)) for n in range(begin, end + 1, size)]

    def _is_licence(self, begin: int, end: int) -> bool:
        text = "\n".join(self.lines[begin - 1 : end])
        return LICENCE.search(text) is not None and self.only((begin, end), comment)

    def only(self, block: Block, kind: Callable[[str], bool]) -> bool:
        """Returns whether all lines of a block that are not blank are of a kind."""
        part = self.lines[block[0] - 1 : block[1]]
        return all(kind(line) for line in part if line.strip())

    def slice(self, first: int, last: int) -> Slice:
        """Returns the lines `first` to `last`, without trailing blanks and cut at MAX_LINE."""
        shown = (line.expandtabs(4).rstrip() for line in self.lines[first - 1 : last])
        cut = (s if len(s) <= MAX_LINE else s[: MAX_LINE - 1] + "…" for s in shown)
        return Slice(first, last, tuple(cut))


def comment(line: str) -> bool:
    """Returns whether a line holds nothing but a comment (or its middle, after a `*`)."""
    return _COMMENT_LINE.match(line) is not None


def declaration(line: str) -> bool:
    """Returns whether a line declares a port or a signal, or is a comment."""
    return _DECLARATION.match(line) is not None or comment(line)


def worths(source: SourceText, block: Block, wanted: Wanted) -> dict[int, float]:
    """Returns what the terms in a block are worth, by the number of the question's term."""
    best: dict[int, float] = {}
    for term in terms("\n".join(source.lines[block[0] - 1 : block[1]])):
        if term in wanted:
            number, worth = wanted[term]
            best[number] = max(best.get(number, 0.0), worth)
    return best


def choose(
    source: SourceText,
    wanted: Wanted,
    anchors: Sequence[int],
    budget: int,
    cost: Callable[[str], int],
    code: bool = False,
) -> list[Slice]:
    """Returns the slices worth most to a question, in the order of the file.

    Args:
        source: the file.
        wanted: the question's terms.
        anchors: lines that the search points to; earlier ones count more.
        budget: what all slices together may cost.
        cost: the cost of a text, such as its tokens.
        code: whether blocks that are only comment are left out.
    """
    blocks = [b for b in source.blocks if not (code and source.only(b, comment))]
    if not blocks:
        return []
    whole = _joined(source, [(blocks[0][0], blocks[-1][1])])
    if not code and len(whole[0].lines) <= budget and cost(whole[0].numbered()) <= budget:
        return whole
    top = max((worth for _, worth in wanted.values()), default=1.0)
    bonus = {line: ANCHOR * top / (1 + place) for place, line in enumerate(anchors)}
    offers = [_Offer.of(source, block, wanted, bonus) for block in blocks]
    picked: list[Block] = []
    seen: set[int] = set()
    left = budget
    while offers and left > 0:
        best = max(offers, key=lambda offer: (offer.value(seen), -offer.block[0]))
        if best.value(seen) <= 0 and picked:
            break
        offers.remove(best)
        block, price = _fitted(source, best, wanted, bonus, left, cost)
        if price:
            seen |= best.worths.keys()
            picked.append(block)
            left -= price
    return _joined(source, picked)


@dataclass(frozen=True, slots=True)
class _Offer:
    """A block, the worth of its terms and of the lines that the search points to."""

    block: Block
    worths: Mapping[int, float]
    bonus: float

    @classmethod
    def of(
        cls, source: SourceText, block: Block, wanted: Wanted, bonus: Mapping[int, float]
    ) -> _Offer:
        """Returns the offer of a block; `bonus` is the worth of single lines."""
        pointed = max((b for n, b in bonus.items() if block[0] <= n <= block[1]), default=0.0)
        found = worths(source, block, wanted)
        if source.only(block, declaration) and not source.only(block, comment):
            found = {number: DECLARED * worth for number, worth in found.items()}
        return cls(block, found, pointed)

    def value(self, seen: set[int]) -> float:
        """Returns the worth after the terms `seen`; of two alike the shorter is worth more."""
        total = sum(w * (REPEATED if n in seen else 1.0) for n, w in self.worths.items())
        return float((total + self.bonus) / (self.block[1] - self.block[0] + 4) ** 0.25)


def _fitted(
    source: SourceText,
    offer: _Offer,
    wanted: Wanted,
    bonus: Mapping[int, float],
    left: int,
    cost: Callable[[str], int],
) -> tuple[Block, int]:
    """Returns the block or the richest part of it that costs at most `left`; cost 0 if none."""
    first, last = offer.block
    least = min(LEAST, last - first + 1)
    while last - first + 1 >= least:
        price = cost(source.slice(first, last).numbered())
        if price <= left:
            return (first, last), price
        head, tail = (
            sum(worths(source, (end, end), wanted).values()) + bonus.get(end, 0.0)
            for end in (first, last)
        )
        # The poorer end goes; of equal ones the last, as a block says first what it is.
        drop = max((last - first + 1) // 8, 1)
        if tail <= head:
            last -= drop
        else:
            first += drop
    return offer.block, 0


def _joined(source: SourceText, blocks: list[Block]) -> list[Slice]:
    merged: list[Block] = []
    for first, last in sorted(blocks):
        if merged and first - merged[-1][1] <= GAP + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return [source.slice(*block) for block in merged]
