"""Fills the budget: the files found, then what they refer to, then the files found again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.llm.tokens import count_tokens
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.material.files import TESTS, chosen, naming, rare_first, rarest_word
from hdlgraph.query.answer.material.neighbours import (
    declarations,
    definitions,
    outside_names,
    users,
)
from hdlgraph.query.answer.material.part import LEAST, Part, Sources
from hdlgraph.query.answer.material.shape import FLOOR, MODEL, Shape
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.question.relation import asks_users
from hdlgraph.results import Hit

FIRST_FLOOR = 0.12  # worth of the least piece that the first file shows, in worths of the best
REST = 0.05  # the same for what room is left in the end
WHOLE = 200  # lines of a first file that fills that room whatever it says
REFERRED = 0.16  # of the budget for what one file refers to in others
NAMED = 2  # files that are shown as they write what the question names
DECLARED = 6  # declarations of other files
ADDED = 1  # files that are shown for declarations alone
WRAPPER = 4  # instances in a file of which even those not shown are followed
HOLDING = 3  # files of which what they instantiate is shown
BELOW = 2  # modules that are shown so
LOOKED_AT = 16  # places that instantiate a file, of which the best are shown
MACHINE_FILES = 2  # files of which the states are told where they are asked for
PLACES = 5  # places that instantiate one of the first files
USER_LINES = 12  # shown of each
SETTLED_FIRST, SETTLED = 0.25, 0.08
"""Shares of the budget, beside it, that complete the blocks of the first file and of a further."""
DECLARING = {"ports": Aim.INTERFACE, "parameters": Aim.CONFIGURE}
_WHO = re.compile(
    r"\binstantiat|\binstances? of\b|\bparents? of\b"
    r"|\bwho (?:\w+ ){0,2}(?:uses?|using|calls?|contains?|includes?|needs?|has|have|asks?"
    r"|drives?|reads?|writes?|feeds?|talks?)\b|\b(?:which|what) (?:\w+ ){0,4}"
    r"(?:modules?|blocks?|peripherals?|cores?|units?|files?|ips?|designs?|components?) "
    r"(?:\w+ ){0,3}"
    r"(?:us(?:e|es|ing)|contains?|include|rel(?:y|ies)|keeps?|employs?|shares?|needs?|has|have)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What is shown: the text between the marks, its places, and its files, best first."""

    text: str
    shown: ShownPlaces
    files: tuple[str, ...]
    tokens: int


class Material:
    """Fills the budget: the files found, then what they refer to, then the files found again.

    Args:
        asked: the question.
        wanted: what its terms are worth.
        hits: the files found, the best first.
        lexicon: the words of the index.
        sources: texts, explanations and the graph.
        budget: tokens of all that is shown.
        shape: how they are shared out.
        paths: the files to show in this order; the best of `hits` where none is given.
    """

    def __init__(
        self,
        asked: Question,
        wanted: Wanted,
        hits: Sequence[Hit],
        lexicon: Lexicon,
        sources: Sources,
        budget: int,
        shape: Shape = MODEL,
        paths: Sequence[str] = (),
    ) -> None:
        self.asked = asked
        self.shape = shape
        self.wanted = wanted
        self.aims = aims_of(asked.text)
        self.roles = dict(zip(lexicon.paths, lexicon.roles, strict=True))
        self.sources = sources
        self.budget = budget
        self.helpers: set[str] = set()  # files of which only declarations are shown
        self.named = naming(lexicon, self.asked.identifiers)
        if paths:
            by_path = {hit.path: hit for hit in hits}
            texts = [(path, sources.read_text(path)) for path in paths]
            self.parts = [self._part(path, text, by_path.get(path)) for path, text in texts]
            return
        found = chosen(hits, sources.read_text, self.asked.verification)
        self.parts = [self._part(hit.path, text, hit) for hit, text in rare_first(found, wanted)]
        self._add_named()

    def _part(self, path: str, text: str, hit: Hit | None = None) -> Part:
        lines = self.named.get(path, [])
        unasked = (
            [] if self.shape.whole else [k for k, a in DECLARING.items() if a not in self.aims]
        )
        return Part(path, text, hit, self.wanted, self.aims, lines, self.sources, unasked)

    def _add_named(self) -> None:
        """Puts files first that write what the question names where no file found does."""
        held = {part.file.path for part in self.parts}
        best = {path: lines for path, lines in self.named.items() if path not in held}
        if not best or held & set(list(self.named)[:NAMED]):
            return
        paths = [path for path in best if not self._tests(path)][:NAMED]
        added = [self._part(path, self.sources.read_text(path)) for path in paths]
        self.parts = [*(p for p in added if p.file.lines), *self.parts][: len(self.shape.shares)]

    def context(self) -> Context:
        """Returns what is shown."""
        self.fill()
        return self._written()

    @property
    def _who(self) -> bool:
        """Returns whether the question asks who uses something."""
        return _WHO.search(self.asked.text) is not None or asks_users(self.asked.text)

    def fill(self) -> None:
        """Takes lines of the files until the budget is used."""
        left = self.budget
        who = self._who
        if who:
            left -= self._users(int(left * self.shape.users))
        first = self.parts[0].hit if self.parts else None
        named = first is not None and any(e.kind == "identifier" for e in first.evidence)
        shares = self.shape.named if named else self.shape.shares
        top = max((part.selector.best() for part in self.parts), default=0.0)
        kept = int(self.budget * self.shape.elsewhere) if self.budget > 10 * LEAST else 0
        left -= kept
        found = self.parts[: len(shares)]
        if Aim.STATES in self.aims and self.shape.whole:
            for part in found[:MACHINE_FILES]:
                part.with_states = True
            left -= sum(part.show_outside(left // 3) for part in found[:1])
        even = self.shape.floor < FLOOR  # each file has its share, however little it says
        weights = [
            s * (1.0 if even else p.selector.promise()) for s, p in zip(shares, found, strict=False)
        ]
        for place, part in enumerate(found):
            if place and not part.used and self._full():
                break
            least = top * (self.shape.floor if place else FIRST_FLOOR)
            share = weights[place] / (sum(weights[place:]) or 1.0)
            left -= part.fill(int(left * share), least)
        left += kept
        for part in [p for p in self.parts[:2] if p.used and kept]:
            left -= self._refer(part, min(left, int(self.budget * REFERRED)))
        below = self._below(left) if kept and not who else 0
        left -= below
        self._rest(left, top)
        if kept and not below and not who:
            self._below(left, last=True)
        if not self.shape.whole:
            self._settle()

    def _settle(self) -> None:
        """Completes the blocks of the files that are quoted, the first with most room."""
        for number, part in enumerate(part for part in self.parts if part.used):
            part.settle(int(self.budget * (SETTLED if number else SETTLED_FIRST)))

    def _rest(self, left: int, top: float) -> None:
        """Fills what room is left with more of the same files."""
        for least in (top * FLOOR / 2, top * REST):
            for place, part in enumerate(self.parts if self.shape.whole else self.parts[:1]):
                if part.file.path in self.helpers or (not part.used and self._full()):
                    continue
                whole = place == 0 and len(part.file.lines) <= WHOLE
                before = part.used
                floor = 0.0 if whole else least if place else top * REST
                left -= part.fill(before + left, floor) - before

    def _full(self) -> bool:
        return sum(part.used > 0 for part in self.parts) >= self.shape.files

    def _below(self, left: int, last: bool = False) -> int:
        """Shows a module that a first file instantiates in what is shown; returns the cost."""
        graph = self.sources.graph()
        if graph is None or not self.parts or left < self.shape.small // (2 if last else 1):
            return 0
        shown = {part.file.path for part in self.parts if part.used}
        cost = count = 0
        for first in [part for part in self.parts if part.used][:HOLDING]:
            placed = {s.unit: n for n, s in first.selector.instances(WRAPPER * last)}
            where = definitions(graph, placed, first.file.path)
            for unit in sorted(placed, key=lambda one: (-placed[one], one)):
                path = where.get(unit, "")
                if count >= BELOW or not path or path in shown or placed[unit] <= 0:
                    continue
                if not self.shape.whole and not rarest_word(path.rpartition("/")[2], self.wanted):
                    continue  # a part that many designs have explains little to a person
                price = self._add(path, min(left - cost, self.shape.small))
                cost, count = cost + price, count + bool(price)
        return cost

    def _add(self, path: str, budget: int) -> int:
        """Shows a further file; returns the cost, 0 where it cannot be read or does not fit."""
        part = next((one for one in self.parts if one.file.path == path), None)
        if part is not None:
            return part.fill(budget, 0.0)
        part = self._part(path, self.sources.read_text(path))
        cost = part.fill(budget, 0.0) if part.file.source.text.strip() else 0
        if cost:
            self.parts.append(part)
        return cost

    def _ranked(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
        """Returns places, the design first and there what says words of the question."""
        tests = {path for path, _ in places if self._tests(path)}
        order = sorted(places, key=lambda one: (one[0] in tests, -rarest_word(one[0], self.wanted)))
        return order[:PLACES]

    def _tests(self, path: str) -> bool:
        return not self.asked.verification and self.roles.get(path) in TESTS

    def _users(self, budget: int) -> int:
        """Shows who instantiates what the first files define; returns the cost."""
        graph = self.sources.graph()
        if graph is None:
            return 0
        cost = 0
        by_path = {one.file.path: one for one in self.parts}
        named = definitions(graph, self.asked.identifiers, "")
        for defining in sorted(set(named.values())) or [p.file.path for p in self.parts[:4]]:
            for path, line in self._ranked(users(graph, defining, LOOKED_AT)):
                target = by_path.get(path)
                if target is None:
                    target = by_path[path] = self._part(path, self.sources.read_text(path))
                found = target.file.outline.block(line, USER_LINES) if target.file.lines else None
                if found is None:
                    continue
                end = min(found.end_line, found.line + USER_LINES)
                price = target.show(found.line, end, budget - cost, target.file.around(line))
                if price and target not in self.parts:
                    self.parts.append(target)
                cost += price + (target.define(line, budget - cost - price) if price else 0)
        return cost

    def _refer(self, part: Part, left: int) -> int:
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
                self.helpers.add(one.path)
            price = target.show(one.line, one.end_line, left - cost)
            if price and target not in self.parts:
                self.parts.append(target)
            cost += price
        return cost

    def _written(self) -> Context:
        """Returns what was taken; of what is over the budget after all, the last goes."""
        while True:
            shown = ShownPlaces()
            texts = [(part.file.path, part.text(shown)) for part in self.parts]
            texts = [(path, text) for path, text in texts if text]
            total = len(texts)
            text = "\n\n".join(f"File {n} of {total}: {t}" for n, (_, t) in enumerate(texts, 1))
            tokens = count_tokens(text)
            if tokens <= self.budget or not texts:
                return Context(text, shown, tuple(path for path, _ in texts), tokens)
            if not self.parts[-1].selector.taken.drop():
                self.parts.pop()
