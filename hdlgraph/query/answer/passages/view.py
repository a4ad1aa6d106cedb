"""One file as the finders of passages see it: its text, statements, and what each is worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from hdlgraph.parsers.text.outline import Outline, kept_outline
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.comments import sentences
from hdlgraph.query.answer.slices import LICENCE, SourceText, Wanted, comment
from hdlgraph.words import terms

T = TypeVar("T")
COMMENT = 0.9  # worth of a term in the comment above a statement, beside 1 for what it assigns
NAMED = 1.0
ASKED = 0.9  # in a condition
READ = 0.55  # on a right side
AROUND = 0.45  # in what encloses the statement
WEIGHTY = 0.5  # share of the weightiest term's worth
ABOUT = 160  # characters of the comment that says what the file is
OWN_NAME = 0.35  # of the worth of a term that the file's own name or unit has
CHECKED = 0.35  # of the worth of anything that only checks the design
_CHECK_REGION = re.compile(
    r"FORMAL|VERIF|ASSERT|FPV|RVFI|SIMULATION|COVER|DEBUG_PRINT|SVA|BENCH", re.I
)
_DIRECTIVE = re.compile(r"^\s*`(ifdef|ifndef|elsif|else|endif)\b\s*(\w*)", re.M)


class FileView:
    """A file of an answer.

    Args:
        path: of the file.
        text: its present text.
        wanted: the question's terms.
    """

    def __init__(self, path: str, text: str, wanted: Wanted) -> None:
        self.path = path
        self.source = SourceText(text)
        self.asked = wanted
        self._kept: dict[Statement, dict[int, float]] = {}
        self._found: dict[str, Any] = {}

    def kept(self, name: str, find: Callable[[], T]) -> T:
        """Returns what `find` gives, found once for each name."""
        if name not in self._found:
            self._found[name] = find()
        return self._found[name]

    @cached_property
    def wanted(self) -> Wanted:
        """Returns the question's terms, those of the file's own name worth little.

        They chose the file; inside of it they tell no line from another.
        """
        own = self.own_name
        if own.keys() == {number for number, _ in self.asked.values()}:
            return self.asked
        return {
            term: (number, worth * (OWN_NAME if number in own else 1.0))
            for term, (number, worth) in self.asked.items()
        }

    @cached_property
    def own_name(self) -> dict[int, float]:
        """Returns what the question's terms in the file's name and first comment are worth."""
        name = self.path.rpartition("/")[2].partition(".")[0]
        first = next((s for s in sentences(self.source) if s.line < self.source.unit_line), None)
        about = first.text[:ABOUT] if first else ""
        return worths(terms(f"{name} {about}"), self.asked)

    @cached_property
    def outline(self) -> Outline:
        """Returns the statements of the file."""
        return kept_outline(self.source.text)

    @cached_property
    def checked(self) -> frozenset[int]:
        """Returns the lines that are there for simulation or proofs alone."""
        found: set[int] = set()
        open_: list[tuple[int, bool]] = []
        text = self.source.text
        for one in _DIRECTIVE.finditer(text):
            line = text.count("\n", 0, one.start()) + 1
            if one[1] in ("ifdef", "ifndef"):
                hidden = one[2] == "SYNTHESIS" and one[1] == "ifndef"
                open_.append((line, hidden or (one[1] == "ifdef" and self._checks(one[2]))))
            elif open_:
                begin, checks = open_.pop()
                if checks:
                    found.update(range(begin, line + 1))
                if one[1] != "endif":
                    open_.append((line, one[1] == "elsif" and self._checks(one[2])))
        return frozenset(found)

    @staticmethod
    def _checks(name: str) -> bool:
        return _CHECK_REGION.search(name) is not None

    def is_bench(self) -> bool:
        """Returns whether the file holds nothing but classes, or uses UVM."""
        words = {unit.word for unit in self.units}
        return bool(words) and (words == {"class"} or "uvm_pkg" in self.source.text)

    @cached_property
    def units(self) -> list[Statement]:
        """Returns the units of the file."""
        return self.outline.named("unit")

    def unit_at(self, line: int) -> Statement | None:
        """Returns the innermost unit around a line."""
        around = [u for u in self.units if u.line <= line <= u.end_line]
        return around[-1] if around else None

    def above(self, statement: Statement) -> int:
        """Returns where the comment directly above a statement begins, its own line if none."""
        line = self.outline.first_line(statement)
        if line < statement.line and LICENCE.search(self.lines(line, statement.line - 1)):
            return statement.line
        return line

    def lines(self, first: int, last: int) -> str:
        """Returns the text of some lines."""
        return "\n".join(self.source.lines[first - 1 : last])

    def worth_of(self, text: str) -> dict[int, float]:
        """Returns what the question's terms in a text are worth, by the number of the term."""
        return worths(terms(text), self.wanted)

    def words(self, statement: Statement) -> dict[int, float]:
        """Returns what a statement, without those in it, is worth by the question's terms."""
        if statement not in self._kept:
            self._kept[statement] = self._words(statement)
        return self._kept[statement]

    def _words(self, statement: Statement) -> dict[int, float]:
        best: dict[int, float] = {}
        parts = [
            (NAMED, " ".join((*statement.writes, statement.name, statement.unit, statement.label))),
            (ASKED, statement.head),
        ]
        if not statement.children:
            parts.append((READ, statement.text[:2000]))
        above = self.above(statement)
        trailing = self._trailing(statement)
        parts.append((COMMENT, f"{self.lines(above, statement.line - 1)} {trailing}"))
        for weight, text in parts:
            raise_to(best, self.worth_of(text), weight)
        if statement.kind == "assertion" or statement.line in self.checked:
            best = {number: CHECKED * worth for number, worth in best.items()}
        return best

    def asks_for(self, worth: float) -> bool:
        """Returns whether something worth so much has a weighty word of the question."""
        return worth > 0 and worth >= WEIGHTY * max((w for _, w in self.wanted.values()), default=0)

    def _trailing(self, statement: Statement) -> str:
        last = statement.end_line if not statement.children else statement.line
        last = min(last, statement.line + 12)
        text = self.lines(statement.line, last)
        return " ".join(part.partition("//")[2] for part in text.split("\n") if "//" in part)

    def is_code(self, line: int) -> bool:
        """Returns whether a line holds code."""
        text = self.source.lines[line - 1]
        return bool(text.strip()) and not comment(text)


def worths(found: Iterable[str], wanted: Wanted) -> dict[int, float]:
    """Returns the worth of terms by the number of the question's term that they stand for."""
    best: dict[int, float] = {}
    for term in found:
        if term in wanted:
            number, worth = wanted[term]
            best[number] = max(best.get(number, 0.0), worth)
    return best


def raise_to(best: dict[int, float], found: Mapping[int, float], weight: float = 1.0) -> None:
    """Raises each worth in `best` to that in `found` times a weight."""
    for number, worth in found.items():
        best[number] = max(best.get(number, 0.0), worth * weight)
