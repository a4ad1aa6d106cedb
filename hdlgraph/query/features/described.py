"""Well-known structures: which of them a question describes, and which files are these.

near(q, d) = cos(q, d) + 2 x mean over the question's tokens of the best token of description d;
score(q, f) = max over the MOST nearest d of (near(q, d) - (the best near - SPAN)) strength(d, f)^4
(see `hdlgraph.index.embed.structures`). The factor 2 evens out the spreads of the two, .05 and .023
over the descriptions; either alone is good, both are better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.index_view import IndexView
from hdlgraph.results import Evidence
from hdlgraph.store.structures import StoredStructures
from hdlgraph.store.token_vectors import SCALE

SPAN = 0.12
MOST = 10
POWER = 4
MAX_TEXT = 240  # characters of a line of evidence


class KnownStructure:
    """Scores files by the structures that the question describes and the files are."""

    name = "described"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part structure."""
        known = asked.index.part(structures_of)
        if known is None:
            return None
        found = known.described(asked.vectors.sentence, asked.vectors.tokens)
        if found is None:
            return None
        raw = {"structure": found.score}
        return StructureScores(asked.weighted(raw), raw, rows=found.row, known=known)


@dataclass(frozen=True, kw_only=True)
class StructureScores(Scores):
    """Scores by structures; `rows` is the best description of each file, -1 for none."""

    rows: np.ndarray
    known: StructureTexts

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: which structure the file is, where several signs say so."""
        if self.rows[number] >= 0:
            name, what = self.known.texts[int(self.rows[number])]
            text = f"its name and words say: {name}. In general such a part {what}"[:MAX_TEXT]
            path = ranking.asked.index.lexicon.paths[number]
            yield Evidence("structure", path, 1, text, ranking.part("structure", number))


def structures_of(index: IndexView) -> StructureTexts | None:
    """Returns the structures of an index, or None when it has no record of them."""
    stored = StoredStructures.find(index.folder)
    return StructureTexts(stored, index.lexicon.n_files) if stored else None


@dataclass(frozen=True, slots=True)
class Described:
    """Structures that a question describes: scores of files, and the best description of each.

    score: float32 (files,), 0 where a file is none of them; row: int64 (files,), -1 where no
    file may be called one (see `hdlgraph.store.structures`).
    """

    score: np.ndarray
    row: np.ndarray


class StructureTexts:
    """The descriptions of structures that the repository has, with their files."""

    def __init__(self, stored: StoredStructures, n_files: int) -> None:
        self.texts = stored.texts
        self.n_files = n_files
        self._links = stored.links
        self._vectors = stored.vectors
        tokens = stored.token_vectors
        self._tokens = None if tokens is None else tokens.tokens.astype(np.float32)
        self._token_pointers = None if tokens is None else tokens.pointers

    def near(self, vector: np.ndarray | None, tokens: np.ndarray | None) -> np.ndarray | None:
        """Returns how near a question is to each description, or None without any vector."""
        parts = []
        if vector is not None and self._vectors is not None:
            parts.append(self._vectors @ vector.astype(np.float32))
        if tokens is not None and self._tokens is not None and len(tokens):
            assert self._token_pointers is not None
            every = self._tokens @ (tokens.T / SCALE)
            best = np.maximum.reduceat(every, self._token_pointers[:-1], axis=0)
            parts.append(2 * best.mean(axis=1))
        return np.sum(parts, axis=0) if parts else None

    def described(self, vector: np.ndarray | None, tokens: np.ndarray | None) -> Described | None:
        """Returns the files that are what the question describes; None when nothing can decide."""
        near = self.near(vector, tokens) if self.texts else None
        if near is None:
            return None
        score = np.zeros(self.n_files, np.float32)
        row = np.full(self.n_files, -1, np.int64)
        floor = float(near.max()) - SPAN
        for place in np.argsort(-near, kind="stable")[:MOST]:
            weight = float(near[place]) - floor
            if weight <= 0:
                break
            files, strengths, claims = self._links.of(place)
            gained = weight * strengths**POWER
            better = gained > score[files]
            score[files[better]] = gained[better]
            row[files[better]] = np.where(claims[better], place, -1)
        return Described(score, row)
