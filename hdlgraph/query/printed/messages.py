"""The messages and named checks of all files, looked up by a text that a run printed.

A message is kept as the words between the places where values are filled in:
`"ID: %0d AW on channel: LEN: %0d"` as (id,), (aw, on, channel, len). A text has a part of it where
the words of the part follow each other, and the parts stand in their order. With the idf of words,
covered(m) = sum idf of the words of m that the text has / sum idf of the words of m.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.printed.message_words import HOLE, WORD, MessageWords
from hdlgraph.store.design.printed import FilePrinted, Line, file_of, read_printed
from hdlgraph.words import stem

MAX_WORDS = 400
"""Words of a text that are looked up; a pasted log may have thousands."""
SIGNS = 2
"""Words of a message, its rarest ones, of which a text must have one."""
LEAST = 2
"""Words of a message that a text must have."""
LONG = 6
"""Letters of the shortest name of a check: shorter ones are words."""
MOST = 12
"""Files of a check's name; one that more files have says nothing of the file."""

KEPT = 20_000
"""Messages that are kept as they were taken apart."""

_NAME = re.compile(r"[A-Za-z_]\w*")


class Text(NamedTuple):
    """A text by its words: `places` are word -> its places, in order."""

    words: tuple[str, ...]
    places: dict[str, list[int]]


def text_of(text: str) -> Text:
    """Returns the words of a text, the first MAX_WORDS of them."""
    words = tuple(word.lower() for word in WORD.findall(text))[:MAX_WORDS]
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
    return Text(words, places)


class Known(NamedTuple):
    """A message of a file: its line, the words between its values, and what they weigh."""

    number: int
    line: int
    parts: tuple[tuple[str, ...], ...]
    weight: float
    signs: frozenset[str]


class Match(NamedTuple):
    """A message that a text has: the file, the line, the share of it, and the idf of its words."""

    number: int
    line: int
    covered: float
    weight: float


class Printed:
    """The messages and the names of checks of an index.

    Which messages have a word is read at once; a message is taken apart when a text has words of
    it, as that of each other one does not matter.
    """

    def __init__(self, lexicon: Lexicon, files: Iterable[FilePrinted]) -> None:
        self._lexicon = lexicon
        self._idf: dict[str, float] = {}
        self._messages: list[tuple[int, Line]] = []
        self._known: dict[int, Known | None] = {}
        self._checks: dict[str, dict[int, int]] = {}
        numbers = {path: number for number, path in enumerate(lexicon.paths)}
        for one in files:
            number = numbers.get(one.path)
            if number is None:  # facts that somebody exchanged
                continue
            self._messages += [(number, message) for message in one.messages]
            for check in one.checks:
                if len(check.text) >= LONG:
                    self._checks.setdefault(check.text, {}).setdefault(number, check.line)
        self._words = MessageWords([message.text for _, message in self._messages])

    def _message(self, at: int) -> Known | None:
        """Returns a message, None for one of too few words."""
        if at not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[at] = self._read(*self._messages[at])
        return self._known[at]

    def _read(self, number: int, message: Line) -> Known | None:
        split = (WORD.findall(part.lower()) for part in HOLE.split(message.text))
        parts = tuple(tuple(part) for part in split if part)
        words = {word for part in parts for word in part}
        if len(words) < LEAST:
            return None
        weight = sum(self.idf(word) for part in parts for word in part)
        signs = sorted(words, key=lambda word: (-self.idf(word), word))[:SIGNS]
        return Known(number, message.line, parts, weight, frozenset(signs))

    def idf(self, word: str) -> float:
        """Returns the idf of a word; digits alone weigh little."""
        found = self._idf.get(word)
        if found is None:
            df = self._lexicon.document_frequency(_term(word))
            found = self._idf[word] = self._of(word, df)
        return found

    def _of(self, word: str, df: int) -> float:
        """Returns the idf of a word that so many files have."""
        return float(self._lexicon.idf(df or 0.5)) if not word.isdigit() else 1.0

    def _idfs(self, words: list[str]) -> list[float]:
        """Returns the idf of each of some words, which are looked up together."""
        new = [word for word in words if word not in self._idf]
        counts = self._lexicon.document_frequencies([_term(word) for word in new])
        self._idf.update((word, self._of(word, df)) for word, df in zip(new, counts, strict=True))
        return [self._idf[word] for word in words]

    def matches(self, text: Text, least: float = 0.0) -> Iterator[Match]:
        """Yields the messages of which a text has some words, in the order of files and lines.

        Args:
            text: the text.
            least: share of a message that the text must have.
        """
        for at in self._words.having(text.places, self._idfs, least).tolist():
            one = self._message(at)
            if one is None or one.signs.isdisjoint(text.places):
                continue
            had = list(_had(one.parts, text))
            if len(had) >= LEAST:
                weight = sum(map(self.idf, had))
                if weight / one.weight >= least:
                    yield Match(one.number, one.line, weight / one.weight, weight)

    def checks(self, text: str) -> dict[int, int]:
        """Returns file -> line of the checks whose names a text has."""
        found: dict[int, int] = {}
        for name in _NAME.findall(text)[:MAX_WORDS]:
            places = self._checks.get(name, {})
            if len(places) <= MOST:
                for number, line in places.items():
                    found.setdefault(number, line)
        return found


def _term(word: str) -> str:
    """Returns the term of the index that stands for a word."""
    return stem(word.strip("_"))


def _had(parts: Sequence[tuple[str, ...]], text: Text) -> Iterator[str]:
    """Yields the words of a message that a text has, part by part in their order."""
    begin = 0
    for part in parts:
        at, had = _longest(part, text, begin)
        if had >= min(LEAST, len(part)):
            yield from part[:had]
            begin = at + had


def _longest(part: tuple[str, ...], text: Text, begin: int) -> tuple[int, int]:
    """Returns where a text, from a word on, has most of the first words of a part, and how many."""
    best = (begin, 0)
    for at in text.places.get(part[0], ()):
        if at < begin:
            continue
        had = 1
        while had < len(part) and text.words[at + had : at + had + 1] == part[had : had + 1]:
            had += 1
        if had > best[1]:
            best = at, had
        if had == len(part):
            break
    return best


def printed_of(index: IndexView) -> Printed:
    """Returns what the files of an index print; nothing where it keeps no facts."""
    name = file_of(index.folder)
    if index.held is not None:
        index.held.check(name)
    there = (index.folder / name).is_file()
    return Printed(index.lexicon, read_printed(index.folder) if there else ())
