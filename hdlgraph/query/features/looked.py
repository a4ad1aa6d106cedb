"""Which files of a large index are looked at closely: those that are best by the words of fields.

Passages, and pairs of words that stand close, take time by the places of words. In an index of more
than ALL files they are looked at in MOST files alone, those with the highest sum of the parts by
fields: the others are far behind, and get little by what is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.best import few_best
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.store.words.chosen import Stands

ALL = 16_384
"""Files of an index up to which all are looked at."""
MOST, SAMPLE = 4_096, 1_024
"""Files that are looked at in a larger one, and some of the others, from which it is estimated in
how many of all what is found stands."""


class Halves:
    """The halves of all files: how many each file has, which is its first, where each begins."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.per_file, self.starts = lexicon.half_starts
        self.first = np.cumsum(self.per_file) - self.per_file
        ends = np.append(self.starts[1:], lexicon.file_start[-1:])
        self.length = ends - self.starts


def halves_of(index: IndexView) -> Halves:
    """Returns the halves of the files of an index."""
    return Halves(index.lexicon)


@dataclass(frozen=True)
class Looked:
    """Files that are looked at, and where the terms of a question stand in them.

    `files` are their numbers, sorted, and `best` says which are among the best ones, the others
    being a sample; `halves` are the numbers of their halves; `first` is the first of each file's,
    by its place among these. Places are counted as if there were no other files:
    `starts` is the first one of each half, and behind them the end of the last. `members` has the
    rows of `stands` of each group, one row a term.
    """

    files: np.ndarray
    best: np.ndarray
    halves: np.ndarray
    first: np.ndarray
    starts: np.ndarray
    stands: Stands
    members: tuple[range, ...]

    @property
    def file_start(self) -> np.ndarray:
        """Returns the first place of each file, and the end of the last."""
        return self.starts[np.append(self.first, len(self.halves))]

    def halves_with(self, member: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns (halves by their place, sorted, and how often each has it) of a term."""
        begin, end = self.stands.first[member : member + 2].tolist()
        return self.stands.halves[begin:end], self.stands.counts[begin:end]

    def places(self) -> list[list[np.ndarray]]:
        """Returns the places, sorted, of each term of each group, uint32."""
        stands = self.stands
        every = np.repeat(self.starts[stands.halves], stands.counts) + stands.places
        bounds = np.append(0, np.cumsum(stands.counts))[stands.first].tolist()
        own = every.astype(np.uint32)
        return [[own[bounds[one] : bounds[one + 1]] for one in rows] for rows in self.members]


def looked_at(
    lexicon: Lexicon,
    halves: Halves,
    groups: Sequence[TermGroup],
    score: np.ndarray,
    candidates: np.ndarray | None,
) -> Looked | None:
    """Returns the files that are looked at closely for a question, None for all.

    Args:
        lexicon: the words of all files.
        halves: of all files.
        groups: the terms of the question.
        score: of all files so far, by which the best are chosen; of equal ones the first.
        candidates: the numbers of the files that are ranked, sorted; None for all.
    """
    if lexicon.n_files <= ALL:
        return None
    chosen = few_best(score if candidates is None else score[candidates], MOST)
    is_best = np.zeros(lexicon.n_files, bool)
    is_best[chosen if candidates is None else candidates[chosen]] = True
    others = np.flatnonzero(~is_best)
    sample = others[:: max(len(others) // SAMPLE, 1)]
    files = np.sort(np.concatenate((np.flatnonzero(is_best), sample)))
    count = halves.per_file[files]
    first = np.cumsum(count) - count
    own = np.repeat(halves.first[files] - first, count) + np.arange(int(count.sum()))
    starts = np.append(0, np.cumsum(halves.length[own]))
    terms = [term for group in groups for term, _ in group.members]
    ends = np.cumsum([len(group.members) for group in groups]).tolist()
    members = (
        range(end - len(group.members), end) for group, end in zip(groups, ends, strict=True)
    )
    stands = lexicon.stands(terms, own)
    return Looked(files, is_best[files], own, first, starts, stands, tuple(members))
