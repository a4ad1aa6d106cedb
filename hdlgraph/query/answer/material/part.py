"""What is shown of one file: its path, one line of description, and the chosen lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from hdlgraph.graph.graph import Graph
from hdlgraph.llm.quote import one_line
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import Explanation, Location
from hdlgraph.query.answer.anchors import anchors_of
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.excerpts import read_closely
from hdlgraph.query.answer.material.files import rarest_word
from hdlgraph.query.answer.material.pieces import FilePieces, Piece
from hdlgraph.query.answer.material.select import GAP, Selector
from hdlgraph.query.answer.material.settle import settle
from hdlgraph.query.answer.material.show import safe, shown_line, shown_lines
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.actions import outside
from hdlgraph.query.answer.passages.sections import add_machine, best_machine
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import SourceText, Wanted
from hdlgraph.query.question.aims import Aim
from hdlgraph.query.signals.records import StateMachine
from hdlgraph.results import Hit

WALKS = 2  # edges shown of one file
LEAST = 60  # tokens below which a file is left out
FRAME = 12  # tokens of the line before a file and the blank one after it
DESCRIPTION_TOKENS = 40  # tokens of a description
DEFINED = 3  # signals of an instance of which the definition is shown
DEFINING = 8  # lines of each
STATES = 3  # transitions of a machine that is told of
STATE_LINES = 20  # lines of it
OUTSIDE = 3  # places that change its state in any state
NAMED_LINES = 6  # lines of those that count for themselves
_WALK = re.compile(r"(?P<said>.*)\((?P<path>.+):(?P<line>\d+)\)", re.S)


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts and explanations that the material is made of.

    `read_text` gives a file's text ("" when it cannot be read), `explanations` the explanation of
    every file by path, `graph` the graph of the design, None where there is none, `machines` the
    state machines that it knows of a file.
    """

    read_text: Callable[[str], str]
    explanations: Callable[[], Mapping[str, Explanation]]
    graph: Callable[[], Graph | None] = lambda: None
    machines: Callable[[str], Sequence[StateMachine]] = lambda path: ()


class Part:
    """What is shown of one file."""

    def __init__(
        self,
        path: str,
        text: str,
        hit: Hit | None,
        wanted: Wanted,
        aims: Sequence[Aim],
        named: Sequence[int],
        sources: Sources,
        unasked: Collection[str] = (),
    ) -> None:
        self.hit = hit
        self.sources = sources
        self.wanted, self.aims = wanted, aims
        self.with_states = False  # whether states are told of before the code
        anchors = [*(anchors_of(hit) if hit else ()), *named[:NAMED_LINES]]
        self.file = FilePieces(path, read_closely(text, anchors, wanted))
        self.worths = Worths(self.file, wanted, aims, anchors)
        self.selector = Selector(self.worths, self.line_cost, unasked=unasked)
        self.used = 0
        self._costs: dict[int, int] = {}
        self._head = ""

    def line_cost(self, number: int) -> int:
        """Returns the tokens of a line as it is shown, its end included."""
        if number not in self._costs:
            text = safe(shown_line(number, self.file.lines[number - 1]))
            self._costs[number] = count_tokens(f"{text}\n")
        return self._costs[number]

    def fill(self, budget: int, least: float) -> int:
        """Takes pieces worth `least` until the part has `budget` tokens; returns its tokens."""
        if not self._head:
            head = self._opening()
            if budget < count_tokens(head) + LEAST:
                return 0
            self._head = head
        frame = count_tokens(self._head) + FRAME
        taken = self.selector.take(budget - frame, least)
        self.used = taken.cost + frame if taken.lines else 0
        return self.used

    def settle(self, more: int) -> None:
        """Completes quoted blocks for at most `more` tokens."""
        settle(self.selector, self.selector.taken.cost + more)

    def show(self, line: int, end_line: int, left: int, heads: Iterable[int] = ()) -> int:
        """Shows lines whatever they are worth, if they cost at most `left`; returns the cost.

        Args:
            line: the first.
            end_line: the last.
            left: tokens that they may cost.
            heads: lines that open the blocks around them.
        """
        taken = self.selector.taken
        last = min(end_line, len(self.file.lines))
        fresh = {n for n in range(line, last + 1) if self.file.lines[n - 1].strip()}
        fresh |= set(heads)
        fresh = (fresh | self.file.conditions.around(fresh)) - taken.lines - self.file.notices
        price = sum(map(self.line_cost, fresh)) + GAP
        opening = "" if self._head else self._opening()
        price += count_tokens(opening) + FRAME if opening else 0
        if not fresh or price > left:
            return 0
        self._head = self._head or opening
        taken.add(Piece("shown", tuple(sorted(fresh)), (), ()), fresh, price)
        self.used += price
        return price

    def define(self, line: int, left: int) -> int:
        """Shows what defines the signals of the instance on a line; returns the cost.

        Signals whose names say words of the question come first.
        """
        found = self.file.outline.block(line)
        if found is None or found.kind != "instance":
            return 0
        cost = count = 0
        for name in sorted(found.reads, key=lambda one: -rarest_word(one, self.wanted)):
            lines = self.selector.definitions.lines(name)
            price = 0
            if 0 < len(lines) <= DEFINING and not lines & set(
                range(found.line, found.end_line + 1)
            ):
                price = self.show(min(lines), min(lines), left - cost, lines)
            cost, count = cost + price, count + bool(price)
            if count >= DEFINED:
                break
        return cost

    def _opening(self) -> str:
        """Returns the path, the description, the edges that led to the file, and its states."""
        facts = "".join(f"{safe(line)}\n" for line in self._states.lines)
        name = safe(one_line(self.file.path, 400))
        return f"{name}\n{self._description()}{self._walks()[0]}{facts}"

    @cached_property
    def _states(self) -> Page:
        """Returns the states and transitions of the file's machine where states are asked for."""
        page = Page()
        machine = best_machine(self.view) if self.with_states else None
        if machine is not None and len(machine.transitions) >= STATES:
            add_machine(page, self.view, machine, STATE_LINES)
        return page

    @cached_property
    def view(self) -> FileView:
        """Returns the file as the finders of passages see it."""
        path = self.file.path
        known = partial(self.sources.machines, path)
        return FileView(path, self.file.source.text, self.wanted, self.aims, known_machines=known)

    def show_outside(self, left: int) -> int:
        """Shows what sets the state of the file's machine in any state; returns the cost."""
        machine = best_machine(self.view) if self.with_states else None
        cost = 0
        for lines in outside(self.view, machine)[:OUTSIDE] if machine else ():
            cost += self.show(lines[0], lines[0], left - cost, lines)
        return cost

    def _description(self) -> str:
        explanation = self.sources.explanations().get(self.file.path)
        text = explanation.purpose if explanation else self.hit.summary if self.hit else ""
        place = Location(self.file.path, self.file.source.unit_line)
        clipped = clip_tokens(safe(" ".join(text.split())), DESCRIPTION_TOKENS)
        if len(clipped.split()) < 4:
            return ""
        end = max(clipped.rfind(". "), clipped.rfind("; "))
        if len(clipped) < len(" ".join(text.split())):
            clipped = clipped[: end + 1] if end > len(clipped) // 3 else clipped + " …"
        return f"{safe(f'Description [{place}]: ')}{clipped}\n"

    def _walks(self) -> tuple[str, list[tuple[str, int, int]]]:
        """Returns the edges that led to the file as text, and their (path, line, lines)."""
        steps = dict.fromkeys(
            step for e in (self.hit.evidence if self.hit else ()) for step in e.walk
        )
        out, places = "", []
        for step in list(steps)[:WALKS]:
            found = _WALK.fullmatch(step)
            if not found:
                continue
            path, line = found["path"], int(found["line"])
            lines = SourceText(self.sources.read_text(path)).lines
            if not 1 <= line <= len(lines):
                continue
            place, code = Location(path, line), one_line(lines[line - 1], 120)
            out += safe(f"Link [{place}]: {one_line(found['said'], 200)}: {code}") + "\n"
            places.append((path, line, len(lines)))
        return out, places

    def text(self, shown: ShownPlaces) -> str:
        """Returns the part as it is shown, "" if nothing is, and takes down its places."""
        lines = self.selector.taken.lines
        if not lines:
            return ""
        path, count = self.file.path, len(self.file.lines)
        unit = self.file.source.unit_line
        if "Description [" in self._head:
            shown.add(path, unit, unit, count)
        for other, line, length in self._walks()[1]:
            shown.add(other, line, line, length)
        for cited in self._states.citations:
            shown.add(path, cited.line, cited.end_line, count)
        for number in lines:
            shown.add(path, number, number, count)
        return self._head + safe(shown_lines(self.file.lines, lines))
