"""Finds where the question's words stand in the files of the hits, from the index alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.store.lexical import TEXT

Worth = tuple[int, float]
"""The number of a question's term, and what a word that stands for it is worth."""
MOST_WORDS = 300
"""Words that are looked for: the question's own and what else says them."""


def worths(question: Question, lexicon: Lexicon) -> dict[str, Worth]:
    """Returns word -> the question's term that it stands for, and its worth, own words first."""
    found: dict[str, Worth] = {}
    idf = [lexicon.group_idf(group, TEXT) for group in question.groups]
    for number, group in enumerate(question.groups):
        found.setdefault(group.term, (number, idf[number]))
    for number, group in enumerate(question.groups):
        for term, weight in group.members[1:]:
            found.setdefault(term, (number, weight * idf[number]))
    return dict(list(found.items())[:MOST_WORDS])


class Matches:
    """The places of a question's words in some files.

    Args:
        question: what is asked.
        lexicon: the words of all files.
        numbers: the files, by number.
    """

    def __init__(self, question: Question, lexicon: Lexicon, numbers: Sequence[int]) -> None:
        self.worths = worths(question, lexicon)
        self._lexicon = lexicon
        self._terms: list[dict[str, tuple[int, int]]] = [{} for _ in numbers]
        self._numbers = list(numbers)
        self._files = lexicon.some(self._numbers)
        for term in self.worths if self._numbers else ():
            for place, (begin, end) in enumerate(self._files.spans(term).tolist()):
                if begin < end:
                    self._terms[place][term] = begin, end

    def terms(self, place: int) -> Mapping[str, tuple[int, int]]:
        """Returns the words that stand in a file, which is named by its place in `numbers`."""
        return self._terms[place]

    def lines(self, place: int) -> np.ndarray:
        """Returns what each line of a file is worth for each term of the question that it has.

        float32 (terms, 1 + lines); line 0 is the path of the file.
        """
        number = self._numbers[place]
        starts = self._lexicon.line_starts(number)
        groups = sorted({self.worths[term][0] for term in self._terms[place]})
        row = {group: at for at, group in enumerate(groups)}
        best = np.zeros((len(groups), len(starts)), np.float32)
        for term, (begin, end) in self._terms[place].items():
            group, worth = self.worths[term]
            positions = self._files.positions(term, place, begin, end)
            lines = np.searchsorted(starts, positions, side="right") - 1
            best[row[group], lines] = np.maximum(best[row[group], lines], worth)
        return best
