"""What a ranking feature is: a name, scores of all files for a question, and lines of evidence.

A feature is asked once for each question and gives parts of the score of every file. The parts of
all features are summed (`hdlgraph.query.rank`); the weights stand in `hdlgraph.query.weights`. A
feature of another package weighs its parts itself and is given to the search beside FEATURES.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from hdlgraph.query.index_view import IndexView
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.weights import Weights, total
from hdlgraph.results import Evidence

if TYPE_CHECKING:
    from hdlgraph.query.features.looked import Looked


class Nearness(NamedTuple):
    """How near files are to each token of a question: `near` is float32 (files, tokens)."""

    files: np.ndarray
    near: np.ndarray


@dataclass(slots=True)
class Asked:
    """One question to an index, as features see it.

    `hops` is how many edges may be walked, 0 to 2. `candidates` are the numbers of the files that
    are ranked, sorted; None means all. `parts` are those of the features asked before. `nearness`
    is what was compared token by token, None where nothing was; `looked` are the files whose
    passages are looked at, None for all.
    """

    question: Question
    index: IndexView
    weights: Weights
    hops: int
    candidates: np.ndarray | None
    vectors: QuestionVectors
    parts: dict[str, np.ndarray] = field(default_factory=dict)
    nearness: Nearness | None = None
    looked: Looked | None = None

    @property
    def n_files(self) -> int:
        """Returns the number of files of the index."""
        return self.index.lexicon.n_files

    @property
    def mask(self) -> np.ndarray | None:
        """Returns the candidates as bool (n_files,), None for all files."""
        if self.candidates is None:
            return None
        mask = np.zeros(self.n_files, bool)
        mask[self.candidates] = True
        return mask

    def so_far(self) -> np.ndarray:
        """Returns the sum of the parts of the features asked before, float32 (n_files,)."""
        return total(self.parts) if self.parts else np.zeros(self.n_files, np.float32)

    def weighted(self, raw: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns raw values as parts: scaled over the candidates, times the weight of the name."""
        return {
            name: getattr(self.weights, name) * scale(values, self.candidates)
            for name, values in raw.items()
        }


@dataclass(frozen=True)
class Scores:
    """What a feature gives for one question; all arrays are by file number.

    `parts`: float32 (n_files,) by name, added to the score. `raw`: the values before they were
    scaled and weighted, of those parts that have such. `passages`: int64 (n_files,) by name of the
    part, the row of the surface that it stands on, -1 for none; the nearest are shown to people.
    """

    parts: Mapping[str, np.ndarray]
    raw: Mapping[str, np.ndarray] = field(default_factory=dict)
    passages: Mapping[str, np.ndarray] = field(default_factory=dict)

    def evidence(self, ranking: Ranking, number: int) -> Iterable[Evidence]:  # noqa: ARG002
        """Returns the lines that show people why file `number` gained by the feature."""
        return ()


class Feature(Protocol):
    """Scores files for questions; `name` is its own among the features of a search."""

    name: str

    def score(self, asked: Asked) -> Scores | None:
        """Returns the scores of all files, or None where the feature has nothing to say."""
        ...


@dataclass(slots=True)
class Ranking:
    """Files ranked for a question.

    `order` are file numbers, best first; `score` (n_files,) is the sum of `parts`; `scores` is what
    each feature gave, by its name. `network` are the numbers that the network of the first files
    gave these, best first (`hdlgraph.query.listwise`); None where it was not asked.
    """

    asked: Asked
    scores: dict[str, Scores]
    order: list[int]
    score: np.ndarray
    parts: dict[str, np.ndarray]
    notes: list[str]
    network: np.ndarray | None = None

    @property
    def question(self) -> Question:
        """Returns the question."""
        return self.asked.question

    @property
    def raw(self) -> dict[str, np.ndarray]:
        """Returns the raw values of all features by name of the part."""
        return {
            name: values for found in self.scores.values() for name, values in found.raw.items()
        }

    def part(self, name: str, number: int) -> float:
        """Returns what a part adds to a file's score, to 4 digits; 0 where it has no such part."""
        return round(float(self.parts[name][number]), 4) if name in self.parts else 0.0


def scale(values: np.ndarray, candidates: np.ndarray | None) -> np.ndarray:
    """Returns `values` min-max scaled to [0, 1] over the candidate files."""
    chosen = values if candidates is None else values[candidates]
    if not len(chosen):
        return np.zeros_like(values)
    low, high = float(chosen.min()), float(chosen.max())
    if high <= low:
        return np.zeros_like(values)
    return np.clip((values - low) / (high - low), 0.0, 1.0)
