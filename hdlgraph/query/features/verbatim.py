"""Verbatim: the longest run of a question's words that stands in a file in the same order.

What people paste (a message, a line of a log, an identifier) stands in a file word by word, but for
the values that were filled in. A run goes on where the next word of the question follows in the
file, or where one word is left out on either side or on both. With the idf of its words,
score(f) = max over runs in f of sum idf / sum over the question's words of idf, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.features.feature import Asked, Scores
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.words import STOP_WORDS, normalise, split_identifier, stem, words

MAX_WORDS = 160
"""Parts of words of a question that are looked up."""
COMMON = 20_000
"""Places of a word from which it begins no run: looking at all of them takes too long."""
LEAST = 2
"""Words of the shortest run that counts."""
SKIPPED = 0.3
"""What a run loses for each word that is left out, of the idf of the next one."""


class Verbatim:
    """Scores files by the longest run of the question's words in them."""

    name = "verbatim"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part verbatim, None where no file has a run."""
        share = runs(asked.index.lexicon, spoken(asked.question.text))
        if not share.any():
            return None
        raw = {"verbatim": share}
        return Scores({"verbatim": asked.weights.verbatim * share}, raw)


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


def runs(lexicon: Lexicon, question: Sequence[Word]) -> np.ndarray:
    """Returns the share of a question that the best run of each file has, float32 (n_files,)."""
    starts = np.asarray(lexicon.occurrences.file_start)
    best = np.zeros(lexicon.n_files, np.float32)
    total = 0.0
    before: list[Ends] = []
    for word in question:
        df = lexicon.document_frequency(word.term)
        idf = lexicon.idf(df) if df else lexicon.idf(0.5)
        total += idf
        ends = _extended(lexicon.positions(word.term), idf, word.is_stop, before)
        before = [ends, *before[:1]]
        long = ends.length >= LEAST
        numbers = starts.searchsorted(ends.places[long], side="right") - 1
        np.maximum.at(best, numbers, ends.worth[long])
    return best / np.float32(total) if total else best


def _extended(places: np.ndarray, idf: float, is_stop: bool, before: Sequence[Ends]) -> Ends:
    """Returns the runs that end with a word at some places, the best one at each."""
    common = is_stop or len(places) > COMMON
    if common:
        places = _following(places, before)
    worth = np.full(len(places), 0.0 if common else idf, np.float32)
    length = np.ones(len(places), np.int32)
    for ends, gap, skipped in _steps(before):
        if not len(ends.places):
            continue
        at = ends.places.searchsorted(places - gap)
        at[at == len(ends.places)] = 0
        fits = (ends.places[at] == places - gap) & (ends.length[at] > 0)
        longer = ends.worth[at] + idf * (1 - SKIPPED * skipped)
        better = fits & (longer > worth)
        worth[better] = longer[better]
        length[better] = ends.length[at][better] + 1
    return Ends(places, worth, length)


def _steps(before: Sequence[Ends]) -> Iterator[tuple[Ends, int, int]]:
    """Yields (runs, words further in the file, words left out) by which a run may go on."""
    for behind, ends in enumerate(before):
        for gap in (1, 2):
            yield ends, gap, max(behind, gap - 1)


def _following(places: np.ndarray, before: Sequence[Ends]) -> np.ndarray:
    """Returns those of many places at which a run goes on."""
    wanted = [ends.places + gap for ends, gap, _ in _steps(before)]
    if not wanted:
        return places[:0]
    near = np.unique(np.concatenate(wanted))
    at = places.searchsorted(near)
    at[at == len(places)] = 0
    return near[places[at] == near] if len(places) else places[:0]
