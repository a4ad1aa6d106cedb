"""Verbatim: the longest run of a question's words that stands in a file in the same order.

What people paste (a message, a line of a log, an identifier) stands in a file word by word, but for
the values that were filled in. A run goes on where the next word of the question follows in the
file, or where one word of the question and up to GAP - 1 of the file are left out (a value stands
for `%0d`, which is two words). With the idf of its words,
score(f) = max over runs in f of sum idf / sum over the question's words of idf, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.results import Evidence
from hdlgraph.words import STOP_WORDS, normalise, split_identifier, stem, words

MAX_WORDS = 160
"""Parts of words of a question that are looked up."""
GAP = 3
"""How much further the next word of a run stands in a file, at most."""
COMMON = 20_000
"""Places of a word from which it begins no run: looking at all of them takes too long."""
LEAST = 2
"""Words of the shortest run that counts."""
SKIPPED = 0.3
"""What a run loses for each word that is left out, of the idf of the next one."""
LEAST_SHARE, LEAST_WORDS = 0.3, 3
"""Share of a question, and words, from which a run is given as evidence."""


class Verbatim:
    """Scores files by the longest run of the question's words in them."""

    name = "verbatim"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part verbatim, None where no file has a run."""
        found = runs(asked.index.lexicon, spoken(asked.question.text))
        if not found.share.any():
            return None
        parts = {"verbatim": asked.weights.verbatim * found.share}
        return VerbatimScores(parts, {"verbatim": found.share}, runs=found)


class Runs(NamedTuple):
    """The best run of each file, by file number.

    `share`: float32, of the question; `place`: int64, the position of its last word in the index;
    `words`: int32, how many it has. All are 0 where there is none.
    """

    share: np.ndarray
    place: np.ndarray
    words: np.ndarray


@dataclass(frozen=True, kw_only=True)
class VerbatimScores(Scores):
    """Scores by runs."""

    runs: Runs

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: where a run that is a good part of the question ends."""
        words = int(self.runs.words[number])
        if self.runs.share[number] >= LEAST_SHARE and words >= LEAST_WORDS:
            lexicon = ranking.asked.index.lexicon
            line = lexicon.line_at(number, int(self.runs.place[number]))
            text = f"has {words} words of the question in their order"
            score = ranking.part("verbatim", number)
            yield Evidence("verbatim", lexicon.paths[number], max(line, 1), text, score)


class Word(NamedTuple):
    """A part of a word as files have it; `is_stop` where it says nothing by itself."""

    term: str
    is_stop: bool


def spoken(text: str) -> list[Word]:
    """Returns the parts of all words of a question, in order."""
    found = [
        Word(stem(part), word.lower() in STOP_WORDS)
        for word in words(normalise(text))
        for part in split_identifier(word)
    ]
    return found[:MAX_WORDS]


class Ends(NamedTuple):
    """Runs by their last word: sorted places, the idf so far, and how many words they have."""

    places: np.ndarray
    worth: np.ndarray
    length: np.ndarray


def runs(lexicon: Lexicon, question: Sequence[Word]) -> Runs:
    """Returns the best run of a question's words in each file."""
    starts = np.asarray(lexicon.file_start)
    n_files = lexicon.n_files
    best = Runs(np.zeros(n_files, np.float32), np.zeros(n_files, int), np.zeros(n_files, np.int32))
    total = 0.0
    before: list[Ends] = []
    for word in question:
        df = lexicon.document_frequency(word.term)
        idf = lexicon.idf(df) if df else lexicon.idf(0.5)
        total += idf
        ends = _extended(lexicon, word, idf, before)
        before = [ends, *before[:1]]
        _keep(best, ends, starts)
    return best._replace(share=best.share / np.float32(total)) if total else best


def _keep(best: Runs, ends: Ends, starts: np.ndarray) -> None:
    """Takes over the runs that are better than those of their files; of equal ones the first."""
    long = np.flatnonzero(ends.length >= LEAST)
    numbers = starts.searchsorted(ends.places[long], side="right") - 1
    order = np.lexsort((-ends.places[long].astype(np.int64), ends.worth[long]))
    long, numbers = long[order], numbers[order]  # the last one of a file is its best
    better = ends.worth[long] > best.share[numbers]
    long, numbers = long[better], numbers[better]
    best.share[numbers] = ends.worth[long]
    best.place[numbers] = ends.places[long]
    best.words[numbers] = ends.length[long]


def _extended(lexicon: Lexicon, word: Word, idf: float, before: Sequence[Ends]) -> Ends:
    """Returns the runs that end with a word at some places, the best one at each."""
    common = word.is_stop or lexicon.count(word.term) > COMMON
    places = _following(lexicon, word.term, before) if common else lexicon.positions(word.term)
    worth = np.full(len(places), 0.0 if common else idf, np.float32)
    length = np.ones(len(places), np.int32)
    for behind, ends in enumerate(before):
        if not len(ends.places) or not len(places):
            continue
        # The last run before each place; those further back stand before it.
        at = ends.places.searchsorted(places) - 1
        for gap in range(1, GAP + 1):
            fits = ends.places[at] == places - gap
            fitting = np.flatnonzero(fits)
            if len(fitting):
                from_ = at[fitting]
                longer = ends.worth[from_] + idf * (1 - SKIPPED * _skipped(behind, gap))
                better = longer > worth[fitting]
                those = fitting[better]
                worth[those] = longer[better]
                length[those] = ends.length[from_[better]] + 1
            at -= fits
    return Ends(places, worth, length)


def _skipped(behind: int, gap: int) -> int:
    """Returns how many words are left out before a run goes on: of the question, of the file."""
    return max(behind, min(gap - 1, 1))


def _following(lexicon: Lexicon, term: str, before: Sequence[Ends]) -> np.ndarray:
    """Returns those of a term's many places at which a run goes on."""
    wanted = [ends.places + gap for ends in before for gap in range(1, GAP + 1)]
    if not wanted:
        return np.zeros(0, np.uint32)
    near = np.concatenate(wanted)
    near.sort()  # np.unique takes a table of hashes, which is slower here
    near = near[np.concatenate(([True], near[1:] != near[:-1]))] if len(near) else near
    return lexicon.among(term, near)
