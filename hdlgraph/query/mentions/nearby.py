"""How much of a question stands around lines, as those at which edges are stated.

Comments, conditions and the names beside an edge say what it is for; its own names often do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.store.lexical import TEXT

ABOVE, BELOW = 2, 1
"""Lines above and below one that are said of it: a comment mostly stands above."""
_OFFSETS = np.arange(ABOVE + BELOW + 1)
"""From a line on, the places of the lines of which it is said, counted from line -BELOW."""


class Lines(NamedTuple):
    """What the lines of a file say of a question; line 0 is the path of the file.

    `own`, float64 (lines,), is the share of the question, by rareness, that each line says;
    `around` that which stands around it, from line -BELOW on to ABOVE behind the last one; `said`,
    bool (words, lines), which words of the question it has.
    """

    own: np.ndarray
    around: np.ndarray
    said: np.ndarray


class Nearby:
    """The words of one question at the lines of files.

    Args:
        lexicon: the words of the index.
        groups: the terms of the question.
    """

    def __init__(self, lexicon: Lexicon, groups: Sequence[TermGroup]) -> None:
        self._lexicon, self._groups = lexicon, groups
        weights = [self._lexicon.group_idf(group, TEXT) for group in self._groups]
        self._weights = np.asarray(weights, np.float64) / (sum(weights) or 1.0)
        self._lines: dict[int, Lines] = {}

    def shares(self, number: int, lines: Sequence[int]) -> np.ndarray:
        """Returns the share of the question, by rareness, around lines of a file, float64 (lines,).

        Args:
            number: of the file.
            lines: 1-based.
        """
        return _at(self._of(number).around, np.asarray(lines, np.int64) + BELOW, 0)

    def own(self, number: int, lines: Sequence[int]) -> np.ndarray:
        """Returns the share of the question on lines of a file themselves; as `shares`."""
        return _at(self._of(number).own, np.asarray(lines, np.int64), 1)

    def most(self, number: int) -> float:
        """Returns the greatest share of the question on a line of a file."""
        return float(self._of(number).own[1:].max(initial=0.0))

    def wordiest(self, number: int, most: int) -> list[tuple[int, list[str]]]:
        """Returns the lines of a file with most of the question, each with its words there."""
        every = self._of(number)
        lines = np.flatnonzero(every.said.any(axis=0))
        lines = lines[lines > 0]
        first = lines[np.argsort(-every.own[lines], kind="stable")[:most]].tolist()
        terms = [group.term for group in self._groups]
        return [(line, [terms[at] for at in np.flatnonzero(every.said[:, line])]) for line in first]

    def _of(self, number: int) -> Lines:
        """Returns what the lines of a file say."""
        if number not in self._lines:
            self.read([number])
        return self._lines[number]

    def read(self, numbers: Iterable[int]) -> None:
        """Reads some files, all at once: one by one, and word by word, takes many times as long."""
        new = sorted({*numbers} - self._lines.keys())
        if not new:
            return
        some = self._lexicon.some(new)
        starts = [self._lexicon.line_starts(number) for number in new]
        ends = np.cumsum([len(one) for one in starts])
        owner = np.repeat(np.arange(len(new)), [len(one) for one in starts])
        # Lines of all files one after the other: files come in the order of their positions.
        every = np.concatenate(starts)
        pad = ABOVE + BELOW
        shift = owner * pad
        own = _Shares(len(every))
        around = _Shares(len(every) + pad * len(new))
        said = np.zeros((len(self._groups), len(every)), bool)
        for at, (group, weight) in enumerate(zip(self._groups, self._weights, strict=True)):
            places: list[tuple[float, np.ndarray]] = []
            for term, worth in group.members:
                found = some.all_positions(term)
                if len(found):
                    lines = every.searchsorted(found, side="right") - 1
                    said[at, lines] = True
                    places.append((worth, lines))
            own.add(float(weight), places)
            wide = [(worth, ((lines + shift[lines])[:, None] + _OFFSETS).ravel())
                    for worth, lines in places]  # fmt: skip
            around.add(float(weight), wide)
        for place, (number, end) in enumerate(zip(new, ends.tolist(), strict=True)):
            begin = end - len(starts[place])
            wide_end = end + pad * (place + 1)
            self._lines[number] = Lines(
                own.shares[begin:end],
                around.shares[begin + pad * place : wide_end],
                said[:, begin:end],
            )


class _Shares:
    """Shares of a question at places, added up word by word; each counts where it is said best."""

    def __init__(self, size: int) -> None:
        self.shares = np.zeros(size)
        self._best = np.zeros(size)

    def add(self, weight: float, places: Sequence[tuple[float, np.ndarray]]) -> None:
        """Adds a word: how well each of its terms says it, and at which places that stands."""
        if len(places) == 1:
            worth, own = places[0]
            self.shares[own] = self.shares[own] + weight * worth
        elif places:
            for worth, own in sorted(places, key=lambda one: one[0]):
                self._best[own] = worth
            own = np.concatenate([one for _, one in places])
            self.shares[own] = self.shares[own] + weight * self._best[own]
            self._best[own] = 0.0


def _at(values: np.ndarray, places: np.ndarray, first: int) -> np.ndarray:
    """Returns values at some places, 0 at those before the first one and behind the last."""
    inside = (places >= first) & (places < len(values))
    return np.where(inside, values[np.where(inside, places, 0)], 0.0)
