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
    """Lines of a file, 1-based in order, and the share of a question that each says."""

    lines: np.ndarray
    shares: np.ndarray


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
        self._lines: dict[int, list[list[tuple[np.ndarray, float]]]] = {}
        self._shares: dict[int, Lines] = {}
        self._around: dict[int, np.ndarray] = {}

    def shares(self, number: int, lines: Sequence[int]) -> np.ndarray:
        """Returns the share of the question, by rareness, around lines of a file, float64 (lines,).

        Args:
            number: of the file.
            lines: 1-based.
        """
        around = self._around.get(number)
        if around is None:
            around = self._around[number] = self._spread(number)
        at = np.asarray(lines, np.int64) + BELOW
        inside = (at >= 0) & (at < len(around))
        return np.where(inside, around[np.where(inside, at, 0)], 0.0)

    def _spread(self, number: int) -> np.ndarray:
        """Returns the share of the question around each line of a file, from -BELOW on, float64.

        A file is mostly asked about line after line, so that all its lines are looked at at once.
        """
        every = self._of(number)
        last = max((int(found[-1]) for members in every for found, _ in members), default=-1)
        out = np.zeros(last + ABOVE + BELOW + 1)
        best = np.zeros(len(out))
        for weight, members in zip(self._weights.tolist(), every, strict=True):
            around = [(found[:, None] + _OFFSETS).ravel() for found, _ in members]
            if len(members) == 1:
                out[around[0]] = out[around[0]] + weight * members[0][1]
            elif members:
                for at in sorted(range(len(members)), key=lambda at: members[at][1]):
                    best[around[at]] = members[at][1]
                own = np.concatenate(around)
                out[own] = out[own] + weight * best[own]
                best[own] = 0.0
        return out

    def own(self, number: int, lines: Sequence[int]) -> np.ndarray:
        """Returns the share of the question on lines of a file themselves; as `shares`."""
        at = np.asarray(lines, np.int64)
        every = self._every(number)
        if not len(every.lines):
            return np.zeros(len(at))
        place = np.minimum(every.lines.searchsorted(at), len(every.lines) - 1)
        return np.where(every.lines[place] == at, every.shares[place], 0.0)

    def most(self, number: int) -> float:
        """Returns the greatest share of the question on a line of a file."""
        return float(self._every(number).shares.max(initial=0.0))

    def wordiest(self, number: int, most: int) -> list[tuple[int, list[str]]]:
        """Returns the lines of a file with most of the question, each with its words there."""
        every = self._every(number)
        out = []
        for at in np.argsort(-every.shares, kind="stable")[:most].tolist():
            line = int(every.lines[at])
            groups = zip(self._groups, self._of(number), strict=True)
            said = [one.term for one, members in groups if any(line in at for at, _ in members)]
            out.append((line, said))
        return out

    def _every(self, number: int) -> Lines:
        """Returns the lines of a file that say any word, with the share that each says."""
        known = self._shares.get(number)
        if known is None:
            every = [found for members in self._of(number) for found, _ in members]
            lines = np.unique(np.concatenate(every)) if every else np.zeros(0, np.int64)
            lines = lines[lines > 0]  # 0 is the path of the file
            shares = np.zeros(len(lines))
            for weight, members in zip(self._weights.tolist(), self._of(number), strict=True):
                best = np.zeros(len(lines))
                for found, worth in members:
                    np.maximum(best, np.where(np.isin(lines, found), worth, 0.0), out=best)
                shares += weight * best
            known = self._shares[number] = Lines(lines, shares)
        return known

    def _of(self, number: int) -> list[list[tuple[np.ndarray, float]]]:
        """Returns the lines of a file that say each word, with how well they do."""
        if number not in self._lines:
            self.read([number])
        return self._lines[number]

    def read(self, numbers: Iterable[int]) -> None:
        """Reads some files, all at once: each word by itself takes several times as long."""
        new = sorted({*numbers} - self._lines.keys())
        if not new:
            return
        some, of_file = self._lexicon.some(new), self._lexicon.line_starts
        found: list[list[list[tuple[np.ndarray, float]]]]
        found = [[[] for _ in self._groups] for _ in new]
        for at, group in enumerate(self._groups):
            for term, worth in group.members:
                spans = some.spans(term)
                for place in np.flatnonzero(spans[:, 0] < spans[:, 1]).tolist():
                    positions = some.positions(term, place, *spans[place].tolist())
                    lines = of_file(new[place]).searchsorted(positions, side="right") - 1
                    found[place][at].append((lines, worth))
        self._lines.update(zip(new, found, strict=True))
