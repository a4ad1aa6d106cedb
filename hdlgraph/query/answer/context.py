"""Collects what a model is shown for a question: code first, in a budget of tokens.

Shown are three to five files: of each the pieces that fit the question, what drives and uses the
signals in them, one line of description, and what other files declare of it. A place stands before
or in whatever is shown, so that every claim can cite one, and is taken down, so that the citation
can be checked. The best file comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hdlgraph.graph.graph import Graph
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import Explanation, Location
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.material.files import TESTS, chosen, naming
from hdlgraph.query.answer.material.neighbours import (
    declarations,
    definitions,
    outside_names,
    users,
)
from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.show import shown_line, shown_lines
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.slices import SourceText, Wanted
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.query.question.analyse import Question, analyse
from hdlgraph.query.question.generic import particular
from hdlgraph.results import Hit, SearchResult

MARK = "material"
"""Name of the marks around the material in the prompt."""
SHARES = (0.5, 0.25, 0.15, 0.1)
"""Share of the budget of each file by rank; what a file does not need goes to the next ones."""
NAMED_SHARES = (0.64, 0.18, 0.1, 0.08)
"""The same where the question names the first file."""
FIRST_FLOOR = 0.12
FLOOR = 0.5
"""Worths of the least pieces that the first file and the others show, in worths of the best."""
ELSEWHERE = 0.14  # of the budget for what other files declare
NAMED = 2  # files that are shown as they write what the question names
NAMED_LINES = 6  # lines of those that count for themselves
TOLD = 40  # tokens of a description
WALKS = 2  # edges shown of one file
LEAST = 60  # tokens below which a file is left out
FRAME = 12  # tokens of the line before a file and the blank one after it
DECLARED = 6  # declarations of other files
ADDED = 1  # files that are shown for declarations alone
SMALL_TOKENS = 420  # for a module that is instantiated in what is shown
USERS = 5  # places that instantiate one of the first files
USER_LINES = 12  # shown of each
USERS_SHARE = 0.4  # of the budget for them
_WHO = re.compile(
    r"\binstantiat|\binstances? of\b|\bparents? of\b|\bwho\b|\b(?:which|what) (?:\w+ ){0,4}"
    r"(?:modules?|blocks?|peripherals?|cores?|units?|files?|ips?|designs?|components?) (?:\w+ ){0,3}"
    r"(?:us(?:e|es|ing)|contains?|include|rel(?:y|ies)|keeps?|employs?|shares?|needs?|has|have)\b",
    re.I,
)
_WALK = re.compile(r"(?P<said>.*)\((?P<path>.+):(?P<line>\d+)\)", re.S)
_CHAT_TOKEN = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,40}[|｜]>|/?s>|<?/?SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])", re.I
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts and explanations that the material is made of.

    `read_text` gives a file's text ("" when it cannot be read), `explanations` the explanation of
    every file by path, `graph` the graph of the design, None where there is none.
    """

    read_text: Callable[[str], str]
    explanations: Callable[[], Mapping[str, Explanation]]
    graph: Callable[[], Graph | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Context:
    """What is shown: the text between the marks, its places, and its files, best first."""

    text: str
    shown: ShownPlaces
    files: tuple[str, ...]
    tokens: int


def wanted_terms(question: Question, lexicon: Lexicon) -> Wanted:
    """Returns the question's terms and expansions with their worth, the rarer the more."""
    found: dict[str, tuple[int, float]] = {}
    for number, group in enumerate(question.groups):
        worth = lexicon.group_idf(group, "post") * particular(group.term)
        for term, weight in group.members:
            if term not in found or found[term][1] < worth * weight:
                found[term] = (number, worth * weight)
    return found


def safe(text: str) -> str:
    """Returns text that closes no marks and holds no chat template's own tokens."""
    return _CHAT_TOKEN.sub(lambda found: found[0] + "\u00b7", quoted(text, MARK))


def build_context(
    question: str,
    result: SearchResult,
    lexicon: Lexicon,
    sources: Sources,
    budget: int,
) -> Context:
    """Returns the material for a question, at most `budget` tokens long."""
    return _Material(question, result, lexicon, sources, budget).context()


class _Material:
    """Fills the budget: the files found, then what they refer to, then the files found again."""

    def __init__(
        self,
        question: str,
        result: SearchResult,
        lexicon: Lexicon,
        sources: Sources,
        budget: int,
    ) -> None:
        self.question = question
        self.asked = analyse(question, lexicon)
        self.wanted = wanted_terms(self.asked, lexicon)
        self.aims = aims_of(question)
        self.sources = sources
        self.budget = budget
        self.named = naming(lexicon, self.asked.identifiers)
        found = chosen(result.hits, sources.read_text, self.asked.verification)
        self.parts = [self._part(hit.path, text, hit) for hit, text in found]
        self._add_named(lexicon)

    def _part(self, path: str, text: str, hit: Hit | None = None) -> _Part:
        lines = self.named.get(path, [])
        return _Part(path, text, hit, self.wanted, self.aims, lines, self.sources)

    def _add_named(self, lexicon: Lexicon) -> None:
        """Puts files first that write what the question names where no file found does."""
        held = {part.file.path for part in self.parts}
        best = {path: lines for path, lines in self.named.items() if path not in held}
        if not best or held & set(list(self.named)[:NAMED]):
            return
        roles = dict(zip(lexicon.paths, lexicon.roles, strict=True))
        paths = [p for p in best if self.asked.verification or roles[p] not in TESTS][:NAMED]
        added = [self._part(path, self.sources.read_text(path)) for path in paths]
        self.parts = [*(p for p in added if p.file.lines), *self.parts][: len(SHARES)]

    def context(self) -> Context:
        """Returns what is shown."""
        left = self.budget
        if _WHO.search(self.question):
            left -= self._users(int(left * USERS_SHARE))
        first = self.parts[0].hit if self.parts else None
        named = first is not None and any(e.kind == "identifier" for e in first.evidence)
        shares = NAMED_SHARES if named else SHARES
        top = max((part.selector.best() for part in self.parts), default=0.0)
        kept = int(self.budget * ELSEWHERE) if self.budget > 10 * LEAST else 0
        left -= kept
        found = self.parts[: len(shares)]
        weights = [s * p.selector.promise() for s, p in zip(shares, found, strict=False)]
        for place, part in enumerate(found):
            least = top * (FLOOR if place else FIRST_FLOOR)
            share = weights[place] / (sum(weights[place:]) or 1.0)
            left -= part.fill(int(left * share), least)
        left += kept
        if kept:
            left -= self._below(left)
            for part in [p for p in self.parts[:2] if p.used]:
                left -= self._refer(part, left)
        for floor in (top * FLOOR / 2, 0.0):
            for place, part in enumerate(self.parts):
                before = part.used
                left -= part.fill(before + left, floor if place else 0.0) - before
        return self._written()

    def _below(self, left: int) -> int:
        """Shows a module that the first file instantiates in what is shown; returns the cost."""
        graph = self.sources.graph()
        if graph is None or not self.parts or left < SMALL_TOKENS:
            return 0
        first = self.parts[0]
        placed = {s.unit: n for n, s in first.selector.instances()}
        where = definitions(graph, placed, first.file.path)
        shown = {part.file.path for part in self.parts}
        for unit in sorted(placed, key=lambda one: (-placed[one], one)):
            path = where.get(unit, "")
            if not path or path in shown or placed[unit] <= 0:
                continue
            part = self._part(path, self.sources.read_text(path))
            cost = part.fill(min(left, SMALL_TOKENS), 0.0) if part.file.lines else 0
            if cost:
                self.parts.append(part)
                return cost
        return 0

    def _users(self, budget: int) -> int:
        """Shows who instantiates what the first files define; returns the cost."""
        graph = self.sources.graph()
        if graph is None:
            return 0
        cost = 0
        by_path = {one.file.path: one for one in self.parts}
        named = definitions(graph, self.asked.identifiers, "")
        for defining in sorted(set(named.values())) or [p.file.path for p in self.parts[:2]]:
            for path, line in users(graph, defining, USERS):
                target = by_path.get(path)
                if target is None:
                    target = by_path[path] = self._part(path, self.sources.read_text(path))
                found = target.file.outline.block(line, USER_LINES) if target.file.lines else None
                if found is None:
                    continue
                end = min(found.end_line, found.line + USER_LINES)
                price = target.show(found.line, end, budget - cost)
                if price and target not in self.parts:
                    self.parts.append(target)
                cost += price
        return cost

    def _refer(self, part: _Part, left: int) -> int:
        """Shows what other files declare of a part, and small modules in it; returns the cost."""
        graph = self.sources.graph()
        if graph is None:
            return 0
        cost = 0
        names = outside_names(part.file, part.selector.taken.pieces)
        by_path = {one.file.path: one for one in self.parts}
        added = 0
        for one in declarations(graph, names, part.file, by_path)[:DECLARED]:
            target = by_path.get(one.path)
            if target is None and added >= ADDED:
                continue
            if target is None:
                added += 1
                target = self._part(one.path, self.sources.read_text(one.path))
                by_path[one.path] = target
            price = target.show(one.line, one.end_line, left - cost)
            if price and target not in self.parts:
                self.parts.append(target)
            cost += price
        return cost

    def _written(self) -> Context:
        shown = ShownPlaces()
        texts = [(part.file.path, part.text(shown)) for part in self.parts]
        texts = [(path, text) for path, text in texts if text]
        total = len(texts)
        text = "\n\n".join(f"File {n} of {total}: {t}" for n, (_, t) in enumerate(texts, 1))
        return Context(text, shown, tuple(path for path, _ in texts), count_tokens(text))


class _Part:
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
    ) -> None:
        self.hit = hit
        self.sources = sources
        self.file = FilePieces(path, text)
        anchors = [
            e.line
            for e in (hit.evidence if hit else ())
            if e.path == path and e.line > 1 and e.kind in ("identifier", "dense", "passage")
        ]
        self.worths = Worths(self.file, wanted, aims, [*anchors, *named[:NAMED_LINES]])
        self.selector = Selector(self.worths, self.line_cost)
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

    def show(self, line: int, end_line: int, left: int) -> int:
        """Shows lines whatever they are worth, if they cost at most `left`; returns the cost."""
        taken = self.selector.taken
        last = min(end_line, len(self.file.lines))
        fresh = {n for n in range(line, last + 1) if self.file.lines[n - 1].strip()} - taken.lines
        price = sum(map(self.line_cost, fresh))
        opening = "" if self._head else self._opening()
        price += count_tokens(opening) + FRAME if opening else 0
        if not fresh or price > left:
            return 0
        self._head = self._head or opening
        taken.lines |= fresh
        taken.cost += price
        self.used += price
        return price

    def _opening(self) -> str:
        """Returns the path, the description and the edges that led to the file."""
        return f"{safe(one_line(self.file.path, 400))}\n{self._description()}{self._walks()[0]}"

    def _description(self) -> str:
        told = self.sources.explanations().get(self.file.path)
        text = told.purpose if told else self.hit.summary if self.hit else ""
        place = Location(self.file.path, self.file.source.unit_line)
        clipped = clip_tokens(safe(" ".join(text.split())), TOLD)
        if len(clipped.split()) < 4:
            return ""
        end = max(clipped.rfind(". "), clipped.rfind("; "))
        if len(clipped) < len(" ".join(text.split())):
            clipped = clipped[: end + 1] if end > len(clipped) // 3 else clipped + " …"
        return f"{safe(f'Description [{place}]: ')}{clipped}\n"

    def _walks(self) -> tuple[str, list[tuple[str, int, int]]]:
        """Returns the edges that led to the file as text, and their (path, line, lines)."""
        steps = dict.fromkeys(step for e in (self.hit.evidence if self.hit else ()) for step in e.walk)
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
        for number in lines:
            shown.add(path, number, number, count)
        return self._head + safe(shown_lines(self.file.lines, lines))
