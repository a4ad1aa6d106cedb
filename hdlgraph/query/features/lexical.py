"""Words: the question's words in the text of a file, in its names and in what others say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.features.looked import Looked, halves_of, looked_at
from hdlgraph.query.features.near import Marks, marks_of, near_pairs
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.weights import total
from hdlgraph.results import Evidence
from hdlgraph.store.lexical import TEXT

FIELDS = {
    "text": (TEXT, 1.5, 0.8),
    "declared": ("declared", 1.2, 0.6),
    "incoming": ("incoming", 1.2, 0.6),
    "explanation": ("explanation", 1.2, 0.6),
}
"""Part of the score -> (field of the lexical index, k1 and b of BM25)."""
MAX_TERMS = 5
"""Terms that the evidence of a file names."""
Offer = tuple[str, str]
"""A term, and the question's own term of which it is an expansion (or which it is)."""
TOGETHER = 40
"""First files of a ranking whose terms are looked up at once."""


class Lexical:
    """Scores files by the BM25 of their fields, and by pairs of terms that stand close."""

    name = "lexical"

    def score(self, asked: Asked) -> Scores:
        """Returns the parts text, declared, incoming, explanation and phrase.

        Document frequencies and mean lengths are those of the candidates.
        """
        lexicon, groups, mask = asked.index.lexicon, list(asked.question.groups), asked.mask
        found = lexicon.bm25_of_fields(groups, [*FIELDS.values()], mask)
        raw = dict(zip(FIELDS, found, strict=True))
        parts = asked.weighted(raw)
        asked.looked = looked_at(
            lexicon, asked.index.part(halves_of), groups, total(parts), asked.candidates
        )
        marks = asked.index.part(marks_of)
        raw["phrase"] = phrase_scores(lexicon, asked.question, marks, asked.looked)
        parts |= asked.weighted({"phrase": raw["phrase"]})
        return LexicalScores(parts, raw, lexicon=lexicon, question=asked.question)


@dataclass(frozen=True, kw_only=True)
class LexicalScores(Scores):
    """Scores by words."""

    lexicon: Lexicon
    question: Question
    _first: dict[int, list[Offer]] = field(default_factory=dict)

    @cached_property
    def _rarest(self) -> list[Offer]:
        return rarest_first(self.lexicon, self.question)

    def _offered(self, ranking: Ranking, number: int) -> Sequence[Offer]:
        """Returns the terms that stand in a file; the first files are looked at together."""
        if not self._first:
            files = ranking.order[:TOGETHER]
            some = self.lexicon.some(files)
            has = [some.has(term).tolist() for term, _ in self._rarest]
            for place, one in enumerate(files):
                self._first[one] = [
                    offer for offer, there in zip(self._rarest, has, strict=True) if there[place]
                ]
        return self._first.get(number, self._rarest)

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: the rarest terms of the question in the file, each with its line."""
        terms = best_terms(self.lexicon, self._offered(ranking, number), number)
        if terms:
            text = ", ".join(f"{term}:{line}" for term, line in terms)
            score = sum(ranking.part(name, number) for name in FIELDS)
            path = self.lexicon.paths[number]
            yield Evidence("lexical", path, terms[0][1], f"terms {text}", score)


def phrase_scores(
    lexicon: Lexicon, question: Question, marks: Marks, looked: Looked | None = None
) -> np.ndarray:
    """Returns the idf sum of question term pairs (1 or 2 apart) that stand close in a file.

    Args:
        lexicon: the words of all files.
        question: what is asked.
        marks: rows of the index.
        looked: the files that are looked at, None for all.
    """
    score = np.zeros(lexicon.n_files, np.float32)
    if looked is None:
        terms = [[lexicon.positions(term) for term, _ in one.members] for one in question.groups]
        for _, found in near_pairs(lexicon.file_start, terms, marks):
            if len(found):
                score[found] += lexicon.idf(len(found))
        return score
    has = lexicon.group_frequencies(question.groups, TEXT) > 0
    for (one, other), found in near_pairs(looked.file_start, looked.places(), marks):
        best = found[looked.best[found]]
        if len(best):
            both = has[one] & has[other]
            score[looked.files[best]] += lexicon.idf(_estimated(both, found, looked))
    return score


def _estimated(both: np.ndarray, found: np.ndarray, looked: Looked) -> float:
    """Returns in how many files a pair stands close: in the others by its share in the sample.

    Args:
        both: which files have both terms.
        found: in which of those that are looked at they stand close, by their places.
        looked: these.
    """
    own, sample = both[looked.files], ~looked.best
    near, there = int(sample[found].sum()), int((own & sample).sum())
    best, others = len(found) - near, int(both.sum()) - int((own & ~sample).sum())
    if not there:  # of the others hardly any has both
        near, there = len(found), int(own.sum())
    return best + others * near / max(there, 1)


def rarest_first(lexicon: Lexicon, question: Question) -> list[Offer]:
    """Returns the terms that evidence may name, those that weigh most first."""
    offers = [
        (-weight * lexicon.idf(lexicon.document_frequency(term)), term, group.term)
        for group in question.groups
        for term, weight in group.members
    ]
    return [(term, own) for _, term, own in sorted(offers)]


def best_terms(lexicon: Lexicon, offers: Sequence[Offer], number: int) -> list[tuple[str, int]]:
    """Returns the first of the terms that stand in a file, with their first lines."""
    found: dict[str, tuple[str, int]] = {}
    for term, own in offers:
        if own in found:
            continue
        lines = lexicon.lines_of(number, term)
        if not len(lines):
            continue
        inside = lines[lines > 0]  # line 0 is the path itself
        found[own] = (term, int(inside[0]) if len(inside) else 1)
        if len(found) == MAX_TERMS:
            break
    return list(found.values())
