"""Shortens a quoted answer to its most telling lines, for readers who pay by the word: models."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from hdlgraph.words import content_stems

CHARACTERS = 3_300
"""The most characters of a short answer, some 1,200 tokens of code."""
LINES, LEAD = 6, 14
"""Lines of a quoted block that are kept, and of the first; of one that has few more, all."""
LONG = 100
"""Lines of an answer that a program, which is given more than people are, gets whole."""
LONG_CHARACTERS, LONG_LINES, LONG_LEAD = 5_500, 12, 30
"""The same limits for it, where an answer is longer."""
WIDE = 160
"""Characters of the longest line of code."""
FACTS = 8
"""Sentences with a place of their own that are kept of one run of them."""
PAPERS = 0.45
"""Share of CHARACTERS that what documents say has at most."""
BEGIN = 0.4
"""Share of CHARACTERS that the facts have at most with which an answer begins: they state what is
asked for, often in other words than the question."""
NAMED = 4
"""Files that are named, even where no line of them is kept."""
FIRST = 1.5
"""How much more a line of the first file is worth than one of the others."""
_CODE = re.compile(r"(?: {0,8}\d{1,8}| {5})\| ?(.*)")
"""A line of code, with its number or, of a document without lines, without."""
_PLACE = re.compile(r"\[[^\[\]\n]{1,400}:\d{1,8}(?:-\d{1,8})?\]")
_CITED = re.compile(r"\[[^\[\]\n]{1,400}(?::\d{1,8}(?:-\d{1,8})?|, page \d{1,8})\]")
_STATED = re.compile(r"- |\S+:$")
"""A fact, or the file of the next ones."""
_FILE = re.compile(r"(?:Most likely|Also) ")
_GAP = "  ..."
_BARE = re.compile(r"(?: {0,8}\d{1,8}| {5})\|[ /*-]*")
"""A line without a word."""
_END = re.compile(r"(?:[;,(:]|\b(?:begin|end|endcase))$")
"""How a line of code ends that the next one does not continue."""


class Part(NamedTuple):
    """Lines of an answer that are kept together, and how much they say; `place` ends a block."""

    lines: tuple[str, ...]
    place: str = ""
    worth: float = 0.0

    @property
    def size(self) -> int:
        """Returns the characters that it takes."""
        return sum(len(line) + 1 for line in (*self.lines, self.place) if line)


class Section(msgspec.Struct):
    """A heading with what stands below it, up to an empty line."""

    head: list[str]
    parts: list[Part]


class Short(NamedTuple):
    """A short answer: its text, how many lines of the whole it has, and of how many."""

    text: str
    kept: int
    total: int


class Limits(NamedTuple):
    """The most characters of an answer, and the lines of its blocks and of the first one."""

    characters: int
    lines: int
    lead: int


def long_limits(answer: str) -> Limits:
    """Returns the limits of an answer in a pipe: one of at most LONG lines stays whole."""
    if _count(answer.split("\n")) <= LONG:
        return Limits(len(answer), LONG, LONG)
    return Limits(LONG_CHARACTERS, LONG_LINES, LONG_LEAD)


def short_answer(
    question: str, answer: str, papers: Collection[str] = (), limits: Limits | None = None
) -> Short:
    """Returns an answer with the lines that say most about the question, within limits.

    Headings stay; of a quoted block stay the lines with most words of the question, with their
    numbers and the place of the whole block.

    Args:
        question: as asked.
        answer: the text of an answer that was quoted from sources.
        papers: paths of documents, whose part of the answer has room of its own.
        limits: of what is kept; those for people and models where none are given.
    """
    limits = limits or Limits(CHARACTERS, LINES, LEAD)
    total = _count(answer.split("\n"))
    if len(answer) <= limits.characters:
        return Short(answer, total, total)
    sections = _sections(answer, _Weights(question, answer), limits)
    kept = _chosen(sections, limits.characters, frozenset(papers))
    lines: list[str] = []
    for number, section in enumerate(sections):
        parts = [part for at, part in enumerate(section.parts) if (number, at) in kept]
        if parts or (number < NAMED and any(map(_FILE.match, section.head))):
            lines += ["", *section.head] if lines else section.head
            lines += [line for part in parts for line in (*part.lines, part.place) if line]
    return Short("\n".join(lines), min(_count(lines), total), total)


class _Weights:
    """How much the lines of an answer say about its question: rare words of it say most."""

    def __init__(self, question: str, answer: str) -> None:
        asked = set(content_stems(question))
        lines = [set(content_stems(line)) & asked for line in answer.split("\n")]
        count = Counter(stem for line in lines for stem in line)
        self._worth: Mapping[str, float] = {
            stem: math.log(1 + len(lines) / n) for stem, n in count.items()
        }

    def of(self, line: str) -> float:
        """Returns how much a line says."""
        return sum(self._worth.get(stem, 0.0) for stem in set(content_stems(line)))


def _sections(answer: str, weights: _Weights, limits: Limits) -> list[Section]:
    """Returns the sections of an answer: heads, and sentences with the code behind them."""
    found: list[Section] = []
    for text in answer.split("\n\n"):
        section, code = Section([], []), list[str]()
        sentence = ""  # a sentence without a place, which the code behind it bears out
        for line in [*text.split("\n"), ""]:
            if _CODE.fullmatch(line) or (code and line == _GAP):
                code.append(line)
                continue
            if code:
                leads = not found and not section.parts
                most = limits.lead if leads else limits.lines
                block = _block(code, line, weights, most)
                section.parts.append(_with(block, sentence, weights))
                code, sentence = [], ""
                continue
            if sentence:
                section.parts.append(Part((sentence,), worth=weights.of(sentence)))
                sentence = ""
            if line.startswith("- ") and not _PLACE.search(line):
                sentence = line
            elif line and (_PLACE.search(line) or section.parts):
                section.parts.append(Part((line,), worth=weights.of(line)))
            elif line:
                section.head.append(line)
        found.append(section)
    return found


def _with(block: Part, sentence: str, weights: _Weights) -> Part:
    """Returns a block of code below the sentence that it bears out: neither is shown alone."""
    if not sentence:
        return block
    return Part((sentence, *block.lines), block.place, max(block.worth, weights.of(sentence)))


def _block(code: Sequence[str], place: str, weights: _Weights, most: int) -> Part:
    """Returns the most telling statements of a block of code, in order, gaps marked."""
    groups = _statements(code)
    worth = [weights.of(" ".join(code[at] for at in group)) for group in groups]
    best = sorted(range(len(groups)), key=lambda one: (-worth[one], one))
    room = most if sum(map(len, groups)) > most + 2 else most + 2
    kept: list[int] = []
    for one in best:
        if len(groups[one]) <= room - len(kept) or not kept:
            kept += groups[one][:room]
    lines: list[str] = []
    before = -1
    for at in sorted(kept):
        if lines and any(not _BARE.fullmatch(code[between]) for between in range(before + 1, at)):
            lines.append(_GAP)
        lines.append(code[at] if len(code[at]) <= WIDE else f"{code[at][:WIDE]}…")
        before = at
    return Part(tuple(lines), place, worth[best[0]] if best else 0.0)


def _statements(code: Sequence[str]) -> list[list[int]]:
    """Returns the places of the lines of each statement, or comment line, in a block."""
    found: list[list[int]] = []
    is_open = False
    for at, line in enumerate(code):
        if line == _GAP or _BARE.fullmatch(line):
            is_open = False
            continue
        if not is_open:
            found.append([])
        found[-1].append(at)
        text = line.partition("| ")[2].partition("//")[0].strip()
        is_open = bool(text) and not _END.search(text)
    return found


def _cites(part: Part, papers: Collection[str]) -> bool:
    """Returns whether lines of an answer cite a document, or are rows of a table before that."""
    places = (place[0][1:-1] for line in part.lines for place in _CITED.finditer(line))
    paths = {place.rpartition(":")[0] or place.partition(", page ")[0] for place in places}
    return not paths.isdisjoint(papers)


def _chosen(
    sections: Sequence[Section], characters: int, papers: Collection[str]
) -> set[tuple[int, int]]:
    """Returns which parts of which sections fit, those that begin the answer first."""
    paper = {
        number
        for number, one in enumerate(sections)
        if any(_cites(part, papers) for part in one.parts)
    }
    begin = _beginning(sections[0].parts, characters) if sections else 0
    ranked = [
        (
            bool(number or at >= begin) and number not in paper,
            bool(number or at >= begin),
            at if not number and at < begin else -part.worth * (1.0 if number else FIRST),
            number,
            at,
        )
        for number, section in enumerate(sections)
        for at, part in enumerate(section.parts)
    ]
    heads = [len(line) + 1 for one in sections[:NAMED] for line in one.head]
    room, kept = characters - sum(heads), set[tuple[int, int]]()
    facts: Counter[int] = Counter()
    left = int(PAPERS * characters)
    for *_, number, at in sorted(ranked):
        part = sections[number].parts[at]
        if number in paper:
            if part.size > left and (number, at) != (0, 0):
                continue
            left -= part.size
        opened = number < NAMED or any(one == number for one, _ in kept)
        size = part.size + (0 if opened else sum(len(line) + 1 for line in sections[number].head))
        if size > room or (not part.place and facts[number] >= FACTS):
            continue
        facts[number] += not part.place
        room -= size
        kept.add((number, at))
    return kept


def _beginning(parts: Sequence[Part], characters: int) -> int:
    """Returns how many parts begin an answer: the first one, and facts that are stated first."""
    room = BEGIN * characters
    for at, part in enumerate(parts):
        room -= part.size
        if at and (room < 0 or not _STATED.match(part.lines[0])):
            return at
    return len(parts)


def _count(lines: Iterable[str]) -> int:
    return sum(1 for line in lines if line.strip() and line != _GAP)
