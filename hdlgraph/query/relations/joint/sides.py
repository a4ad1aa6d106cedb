"""What the phrases of a question say of units and files: by name, by words, by meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.features.feature import scale
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.words import split_identifier, stem

_WORD = re.compile(r"[\w$]+")
REMEMBERED = 1 << 15
"""Names whose parts are remembered."""
Covered = dict[int, float]
"""Number of a word of a question -> how well it is said, 0 to 1."""


class Side(NamedTuple):
    """What a phrase says: of units by row (`name`, `exact`), of files by number (`told`, `near`).

    All are 0 to 1; `near` is 0 for files that were not compared token by token. `name` gives how
    well the name of a unit fits: few are asked for.
    """

    text: str
    name: Callable[[int], float]
    exact: frozenset[int]
    told: np.ndarray
    near: np.ndarray

    def named(self, row: int) -> float:
        """Returns how well the name of a unit fits."""
        return 1.0 if row in self.exact else self.name(row)


class Sides:
    """Reads the phrases of one question.

    Args:
        asked: the question, and what the features before found.
        resolver: of the index.
    """

    def __init__(self, asked: AskedFiles, resolver: Resolver) -> None:
        self.resolver = resolver
        self.asked = asked
        self.plain = scale(asked.so_far(), asked.candidates)
        self._known: dict[str, Side] = {}
        text = asked.question.text
        encoder = asked.index.encoder
        spans = getattr(encoder, "spans", None)
        self.spans = spans(text) if spans and asked.nearness is not None else []
        self.words = [(m.start(), m.end(), m[0].lower()) for m in _WORD.finditer(text)]

    def of(self, text: str) -> Side:
        """Returns what a phrase says."""
        if text not in self._known:
            self._known[text] = self._read(text)
        return self._known[text]

    def _read(self, text: str) -> Side:
        resolver, n_files = self.resolver, self.asked.n_files
        if not text.strip():
            nothing = np.zeros(n_files, np.float32)
            return Side(text, lambda _: 0.0, frozenset(), nothing, nothing)
        exact = frozenset(one.row for one in resolver.exact_units(text, packages=True))
        name = partial(resolver.unit_score, text)
        return Side(text, name, exact, resolver.told(text), self.near(text))

    def near(self, text: str) -> np.ndarray:
        """Returns how near files are to the tokens of a phrase, scaled, float32 (n_files,)."""
        out = np.zeros(self.asked.n_files, np.float32)
        nearness = self.asked.nearness
        if nearness is None or not self.spans:
            return out
        wanted = {word.lower() for word in _WORD.findall(text)}
        places = [(first, last) for first, last, word in self.words if word in wanted]
        rows = [
            row
            for row, (first, last) in enumerate(self.spans)
            if any(begin <= first and last <= end for begin, end in places)
            and row < nearness.near.shape[1]
        ]
        if rows:
            out[nearness.files] = scale(nearness.near[:, rows].sum(axis=1), None)
        return out


@lru_cache(maxsize=REMEMBERED)
def _tokens(name: str) -> tuple[str, ...]:
    """Returns the stemmed parts of a name: many questions look at the same names."""
    return tuple(map(stem, split_identifier(name)))


class Words:
    """The words of a question, and how many of them the names of an edge say."""

    def __init__(self, text: str, resolver: Resolver) -> None:
        self.text = text
        phrase = resolver.phrase(text)
        self._stands: dict[str, list[tuple[int, int, float]]] = {}
        for one in phrase.stands:
            self._stands.setdefault(one.token, []).append((one.first, one.last, one.worth))
        self._weights = [resolver.rareness(word) for word in phrase.words]
        self._total = sum(self._weights) or 1.0
        self.identifiers = frozenset(one.lower() for one in phrase.identifiers)
        self._names: dict[str, Covered] = {}

    def tokens(self, name: str) -> tuple[str, ...]:
        """Returns the stemmed parts of a name."""
        return _tokens(name)

    def says(self, name: str) -> bool:
        """Returns whether a name says any word of the question."""
        return bool(self.of_name(name))

    def said(self, names: Iterable[str]) -> float:
        """Returns the share of the question, by rareness, that some names say, 0 to 1."""
        total = 0.0
        for at, worth in self._covered(names).items():
            total += self._weights[at] * worth
        return total / self._total

    def gains(self, names: Iterable[str]) -> np.ndarray:
        """Returns `said` word by word, float32 (words,), at least one."""
        out = np.zeros(max(len(self._weights), 1), np.float32)
        for at, worth in self._covered(names).items():
            out[at] = self._weights[at] * worth / self._total
        return out

    def _covered(self, names: Iterable[str]) -> Covered:
        """Returns number of a word -> how well some names say it."""
        covered: Covered = {}
        known = self._names
        for name in names:
            own = known.get(name)
            if own is None:
                own = self.of_name(name)
            if own:
                for at, worth in own.items():
                    if worth > covered.get(at, 0.0):
                        covered[at] = worth
        return covered

    def of_name(self, name: str) -> Covered:
        """Returns number of a word -> how well a name says it: names come again and again."""
        covered = self._names.get(name)
        if covered is None:
            covered = self._names[name] = {}
            for token in self.tokens(name):
                for first, last, worth in self._stands.get(token, ()):
                    for at in range(first, last + 1):
                        covered[at] = max(worth, covered.get(at, 0.0))
        return covered

    def named(self, names: Iterable[str]) -> float:
        """Returns the share of the question's identifiers that are among some names, 0 to 1."""
        if not self.identifiers:
            return 0.0
        lower = {name.lower() for name in names}
        return sum(one in lower for one in self.identifiers) / len(self.identifiers)
