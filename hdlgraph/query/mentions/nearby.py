"""How much of a question stands around lines, as those at which edges are stated.

Comments, conditions and the names beside an edge say what it is for; its own names often do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.store.lexical import TEXT

ABOVE, BELOW = 2, 1
"""Lines above and below one that are said of it: a comment mostly stands above."""


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

    def shares(self, number: int, lines: Sequence[int]) -> np.ndarray:
        """Returns the share of the question, by rareness, around lines of a file, float64 (lines,).

        Args:
            number: of the file.
            lines: 1-based.
        """
        at = np.asarray(lines, np.int64)
        out = np.zeros(len(at))
        for weight, members in zip(self._weights.tolist(), self._of(number), strict=True):
            best = np.zeros(len(at))
            for found, worth in members:
                begin = found.searchsorted(at - ABOVE)
                stands = found.searchsorted(at + BELOW, side="right") > begin
                np.maximum(best, np.where(stands, worth, 0.0), out=best)
            out += weight * best
        return out

    def _of(self, number: int) -> list[list[tuple[np.ndarray, float]]]:
        """Returns the lines of a file that say each word, with how well they do."""
        found = self._lines.get(number)
        if found is None:
            found = self._lines[number] = [
                [(lines, worth) for term, worth in group.members
                 if len(lines := self._lexicon.lines_of(number, term))]
                for group in self._groups
            ]  # fmt: skip
        return found
