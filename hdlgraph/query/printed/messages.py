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

from hdlgraph.model.file import Message
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.store.design.facts import FILE
from hdlgraph.store.design.printed import FilePrinted, read_printed
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

_WORD = re.compile(r"[A-Za-z_]\w*|[0-9]+")
_HOLE = re.compile(r"%[-+ ]?\d*(?:\.\d+)?[a-zA-Z]|\\[ntrf]")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Text(NamedTuple):
    """A text by its words: `places` are word -> its places, in order."""

    words: tuple[str, ...]
    places: dict[str, list[int]]


def text_of(text: str) -> Text:
    """Returns the words of a text, the first MAX_WORDS of them."""
    words = tuple(word.lower() for word in _WORD.findall(text))[:MAX_WORDS]
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


class Match(NamedTuple):
    """A message that a text has: the file, the line, the share of it, and the idf of its words."""

    number: int
    line: int
    covered: float
    weight: float


class Printed:
    """The messages and the names of checks of an index."""

    def __init__(self, lexicon: Lexicon, files: Iterable[FilePrinted]) -> None:
        self._lexicon = lexicon
        self._idf: dict[str, float] = {}
        self._messages: list[Known] = []
        self._by_sign: dict[str, list[int]] = {}
        self._checks: dict[str, dict[int, int]] = {}
        numbers = {path: number for number, path in enumerate(lexicon.paths)}
        for one in files:
            number = numbers.get(one.path)
            if number is None:  # facts that somebody exchanged
                continue
            for message in one.messages:
                self._add(number, message)
            for check in one.checks:
                if len(check.name) >= LONG:
                    self._checks.setdefault(check.name, {}).setdefault(number, check.line)

    def _add(self, number: int, message: Message) -> None:
        split = (_WORD.findall(part.lower()) for part in _HOLE.split(message.text))
        parts = tuple(tuple(part) for part in split if part)
        words = {word for part in parts for word in part}
        if len(words) < LEAST:
            return
        weight = sum(self.idf(word) for part in parts for word in part)
        signs = sorted(words, key=lambda word: (-self.idf(word), word))[:SIGNS]
        for sign in signs:
            self._by_sign.setdefault(sign, []).append(len(self._messages))
        self._messages.append(Known(number, message.line, parts, weight))

    def idf(self, word: str) -> float:
        """Returns the idf of a word; digits alone weigh little."""
        found = self._idf.get(word)
        if found is None:
            df = self._lexicon.document_frequency(stem(word.strip("_")))
            found = float(self._lexicon.idf(df or 0.5)) if not word.isdigit() else 1.0
            self._idf[word] = found
        return found

    def matches(self, text: Text) -> Iterator[Match]:
        """Yields the messages of which a text has some words, in the order of files and lines."""
        near = {at for word in text.places for at in self._by_sign.get(word, ())}
        for at in sorted(near):
            one = self._messages[at]
            had = list(_had(one.parts, text))
            if len(had) >= LEAST:
                weight = sum(map(self.idf, had))
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
    if index.held is not None:
        index.held.check(FILE)
    there = (index.folder / FILE).is_file()
    return Printed(index.lexicon, read_printed(index.folder) if there else ())
