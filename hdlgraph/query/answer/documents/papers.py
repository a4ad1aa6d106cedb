"""What documents and registers say to a question: which passages, their sentences and fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from hdlgraph.model.passage import Passage, Routing
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.documents.fits import LEAST, answers, coverage, weights
from hdlgraph.query.answer.documents.quoted import MARGIN, quotations, safe_code
from hdlgraph.query.answer.documents.sentences import Sentence, plain
from hdlgraph.query.answer.documents.table import head_of, rows_of
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.results import Citation
from hdlgraph.store.design.registers import Register, RtlLine
from hdlgraph.store.documents.records import REGISTER
from hdlgraph.store.documents.words import WHOLE

SECTIONS, REGISTERS = 3, 2
"""Passages of each kind that an answer describes."""
WORDS, DESCRIBED = 60, 40
"""Words after which nothing more is quoted of all sections, and of a register's description."""
AS_GOOD = 0.7
"""Share of the words that the best passage has which a further one has at least."""
RTL = 3
"""Lines of RTL that are quoted of one register."""
NOT_THERE = "Not in these documents"
IS_NEAR = "Nearest, and no answer"
NEAREST = 0.2
"""Share of the question's words from which a passage that does not answer is shown as nearest."""
LEAST_ROUTING = 0.35
"""Share of documents from which it is said that nothing of them answers."""
_BRACKETS = re.compile(r"[\[\]\n]")
_GENERATED = re.compile(r"_reg_(?:top|pkg)\.\w+$")


class PassageText(NamedTuple):
    """A passage with its whole text, and the register that it is, None for a section."""

    passage: Passage
    register: Register | None = None

    def place(self, first: int = 0, last: int = -1) -> Citation:
        """Returns where it stands, of its lines those from `first` to `last`, counted from 0."""
        one = self.passage
        line = end = 0
        if one.kind == REGISTER:
            line, end = one.line, one.end_line
        elif one.line:
            # A record of JSON is one line, however many its text has.
            most = max(one.line, one.end_line)
            line = min((one.text_line or one.line) + first, most)
            end = (one.text_line or one.line) + last if last >= 0 else one.end_line
            end = max(line, min(end, most))
        section = "" if one.line or one.page else _BRACKETS.sub(" ", plain(one.title)).strip()
        return Citation(0, one.path, line, end, one.page, section, one.url)

    def lines(self, first: int, last: int) -> Citation:
        """Returns the place of some lines of its document."""
        one = self.passage
        return Citation(0, one.path, first, max(first, last), url=one.url)


class Papers:
    """What the documents say to one question.

    Args:
        view: all passages.
        question: as asked.
        told: the passages found, the best first.
        routing: the shares of the lists.
        read_text: gives the text of a file of the design.
        least: share of the question's words that the best passage has, where words decide alone.
        near: how near the passages are to the question, None where that is unknown.
    """

    def __init__(
        self,
        view: DocumentsView,
        question: str,
        passages: Sequence[PassageText],
        routing: Routing,
        read_text: Callable[[str], str],
        least: float = LEAST,
        near: float | None = None,
    ) -> None:
        self.asked: Mapping[str, float] = weights(view, question)
        self.passages, self.routing, self._read = tuple(passages), routing, read_text
        self._question, self._rarity = question, view.fields[WHOLE].idf_of
        self._least, self.near = least, near

    @cached_property
    def chosen(self) -> list[PassageText]:
        """Returns the passages that answer, in their order; none where nothing does."""
        share, best = self._shares, self.covered
        if not answers(best, self.near, self._least):
            return []
        kept = [one for one, n in zip(self.passages, share, strict=True) if n >= AS_GOOD * best]
        sections = [one for one in kept if one.register is None][:SECTIONS]
        registers = [one for one in kept if one.register is not None]
        # Blocks that are alike have the same registers: one block is told of.
        same = [one for one in registers if one.passage.path == registers[0].passage.path]
        registers = same[:REGISTERS]
        return [one for one in kept if one in sections or one in registers]

    @cached_property
    def _shares(self) -> list[float]:
        return [self._covers(one) for one in self.passages]

    @property
    def covered(self) -> float:
        """Returns the largest share of the question's words, by rarity, of one passage; 0 to 1."""
        return max(self._shares, default=0.0)

    def _covers(self, one: PassageText) -> float:
        passage = one.passage
        return coverage(self.asked, (passage.title, *passage.crumbs, passage.text))

    @property
    def found(self) -> bool:
        """Returns whether any passage answers."""
        return bool(self.chosen)

    @property
    def missing(self) -> bool:
        """Returns whether it is to be said that nothing of the documents answers."""
        return not self.found and self.routing.documents >= LEAST_ROUTING

    def write_missing(self, page: Page) -> None:
        """Adds that nothing of the documents answers, and what of them is nearest."""
        page.add(f"{NOT_THERE}: none of them answers this.")
        worth = zip(self.passages, self._shares, strict=True)
        near = next((one for one, share in worth if share >= NEAREST), None)
        if near is None:
            return
        titles = _titles(near)
        best = self.best(near.passage.text, DESCRIBED)
        quoted = [one for one in best if not one.code and one.text][:1]
        page.add()
        page.add(f"{IS_NEAR}{f', {titles}' if titles else ''}:")
        for one in quoted:
            page.add(f"{one.text} {page.cite_passage(near.place(one.first, one.last))}")
        if not quoted:
            page.add(page.cite_passage(near.place()))

    def write(self, page: Page, but: Callable[[str, int], bool] = lambda path, line: False) -> None:
        """Adds what the passages say, each sentence and table with its place.

        Args:
            page: the answer.
            but: tells whether a line of RTL is quoted already.
        """
        for one in self.chosen:
            page.add()
            if one.register is not None:
                self._register(page, one, one.register, but)
            else:
                self._section(page, one)

    @cached_property
    def _quotes(self) -> dict[PassageText, list[Sentence]]:
        """Returns what is quoted of each section that answers."""
        chosen = [one for one in self.chosen if one.register is None]
        others = [
            one for one in self.passages if one.passage.kind != REGISTER and one not in chosen
        ]
        texts, further = ([one.passage.text for one in some] for some in (chosen, others))
        found = quotations(self._question, texts, further, self._rarity, WORDS)
        return dict(zip(chosen, found, strict=True))

    def _section(self, page: Page, one: PassageText) -> None:
        passage = one.passage
        quoted = [sentence for sentence in self._quotes[one] if page.new(sentence.text)]
        if quoted:
            page.add(f"{_titles(one) or passage.path}:")
        for sentence in quoted:
            if sentence.code:
                self._code(page, one, sentence)
            else:
                page.add(
                    f"{sentence.text} {page.cite_passage(one.place(sentence.first, sentence.last))}"
                )

    def _code(self, page: Page, one: PassageText, sentence: Sentence) -> None:
        """Adds a block of code: numbered where the document still has these lines."""
        place = one.place(sentence.first, sentence.last)
        lines = sentence.text.split("\n")
        source = SourceText(self._read(one.passage.path) if place.line else "")
        if [safe_code(line) for line in source.lines[place.line - 1 : place.end_line]] == [
            line.expandtabs(4).rstrip() for line in lines
        ]:
            page.code(one.passage.path, source, range(place.line, place.end_line + 1))
            return
        for line in filter(str.strip, lines):
            page.add(f"{MARGIN}{safe_code(line)}")
        page.add(page.cite_passage(place))

    def best(self, text: str, words: int) -> list[Sentence]:
        """Returns what a text says to the question in about so many words, in its order."""
        return quotations(self._question, [text], (), self._rarity, words)[0]

    def _register(
        self, page: Page, one: PassageText, register: Register, but: Callable[[str, int], bool]
    ) -> None:
        passage = one.passage
        first = min((field.line for field in register.fields), default=passage.end_line)
        page.add(f"{head_of(register, passage.title)}:")
        for sentence in self.best(register.text, DESCRIBED) if register.text else ():
            place = one.lines(register.line, max(first, register.line))
            page.add(f"{sentence.text} {page.cite_passage(place)}")
        rows = rows_of(register, self.asked)
        if rows:
            page.lines += rows
            last = max(field.line for field in register.fields)
            page.add(page.cite_passage(one.lines(register.line, last)))
        for path, numbers in _by_path(self._rtl(register)):
            left = [line for line in numbers if not but(path, line)]
            if left and (text := self._read(path)):
                page.add(f"In RTL, {path}:")
                page.code(path, SourceText(text), left)

    def _rtl(self, register: Register) -> list[RtlLine]:
        """Returns the lines of RTL to quote: of the field that is meant first."""
        worth = [coverage(self.asked, (one.name, one.text)) for one in register.fields]
        best = max(worth, default=0.0)
        own = register.fields[worth.index(best)].rtl if best else ()
        lines = [*own, *register.rtl, *(line for f in register.fields for line in f.rtl)]
        order = {"reads": 0, "writes": 0, "implements": 1, "declares": 2}
        first = {(line.path, line.line) for line in own}
        lines.sort(
            key=lambda line: (
                not of_design(line.path),
                bool(_GENERATED.search(line.path)),
                (line.path, line.line) not in first,
                order.get(line.how, 3),
            )
        )
        places: dict[tuple[str, int], RtlLine] = {}
        for line in lines:
            places.setdefault((line.path, line.line), line)
        return list(places.values())[:RTL]


def _titles(one: PassageText) -> str:
    """Returns the titles that a passage stands below, and its own."""
    passage = one.passage
    return plain(" > ".join(dict.fromkeys(filter(None, (*passage.crumbs, passage.title)))))


def _by_path(lines: Sequence[RtlLine]) -> Iterator[tuple[str, list[int]]]:
    found: dict[str, list[int]] = {}
    for line in lines:
        found.setdefault(line.path, []).append(line.line)
    yield from found.items()
