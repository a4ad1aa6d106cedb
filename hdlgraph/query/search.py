"""Answers one question with ranked files: seeds, expansion, ranking, evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import ThreadpoolController

from hdlgraph.errors import EndpointError, UsageError
from hdlgraph.query.features.dense import Vectors
from hdlgraph.query.features.described import StructureTexts
from hdlgraph.query.features.graph import FileGraph
from hdlgraph.query.features.lexical import Lexicon
from hdlgraph.query.features.token_vectors import LateTokens
from hdlgraph.query.question.analyse import MAX_CHARS, Expansion, Question, analyse
from hdlgraph.query.question.aspects import interleaved, split
from hdlgraph.query.question.scope import inside_first, named_parts
from hdlgraph.query.rank import (
    WRITTEN,
    Features,
    Weights,
    combine,
    dense_features,
    lexical_features,
)
from hdlgraph.query.result.confidence import KNOWN_EMBEDDER, confidence, signs
from hdlgraph.query.result.hits import make_hits
from hdlgraph.query.result.weak import weakness
from hdlgraph.results import SearchResult

MOSTLY = 0.5  # share of written explanations from which their weights count


@dataclass(slots=True)
class Ranking:
    """Files ranked for a text: numbers best first, score (n_files,), its parts, the features."""

    question: Question
    features: Features
    order: list[int]
    score: np.ndarray
    parts: dict[str, np.ndarray]
    notes: list[str]


class Searcher:
    """The read side of one index generation; loads each part when it is first needed.

    Args:
        folder: the generation folder (lexical/, surfaces/, file_edges.parquet).
        load_embedder: gives the embedder of the index, or None to search without vectors.
        load_late: gives the encoder of token vectors, or None to search without them.
        weights: ranking weights.
    """

    expansion = Expansion()
    held: Any = None
    """What keeps the folder on disk as long as the searcher lives."""

    def __init__(
        self,
        folder: Path,
        load_embedder: Callable[[], Any] | None = None,
        weights: Weights | None = None,
        load_late: Callable[[], Any] | None = None,
    ) -> None:
        self.folder = folder
        self._load_late = load_late
        self._weights = weights
        self._load_embedder = load_embedder
        self.lexicon = Lexicon(folder / "lexical")

    @classmethod
    def load(
        cls,
        folder: Path,
        load_embedder: Callable[[], Any] | None = None,
        weights: Weights | None = None,
        load_late: Callable[[], Any] | None = None,
    ) -> Searcher:
        """Returns the searcher of a generation folder."""
        return cls(folder, load_embedder, weights, load_late)

    @cached_property
    def vectors(self) -> Vectors | None:
        """Returns the surface vectors, or None when the index has none."""
        folder = self.folder / "surfaces"
        vectors = Vectors(folder) if (folder / "meta.json").is_file() else None
        return vectors if vectors and vectors.usable else None

    @cached_property
    def embedder(self) -> Any | None:
        """Returns the embedder that made the vectors, or None."""
        if self.vectors is None or self._load_embedder is None:
            return None
        embedder = self._load_embedder()
        if embedder is not None and embedder.name != self.vectors.meta["embedder"]:
            return None
        return embedder

    @cached_property
    def late(self) -> tuple[Any, LateTokens] | None:
        """Returns the encoder of token vectors and those of the index, or None."""
        if self.vectors is None or self._load_late is None or not self.vectors.meta.get("late"):
            return None
        encoder = self._load_late()
        if encoder is None or encoder.name != self.vectors.meta["late"]:
            return None
        return encoder, LateTokens(self.vectors.folder, self.vectors.owner)

    @cached_property
    def _blas(self) -> ThreadpoolController:
        """Returns the hold on BLAS, whose idle threads spin and would slow the models.

        With one thread the sums are besides the same on every machine.
        """
        return ThreadpoolController()

    @cached_property
    def _beside(self) -> ThreadPoolExecutor:
        """Returns two threads that wait between searches: to start one costs milliseconds."""
        return ThreadPoolExecutor(2, thread_name_prefix="embed")

    @cached_property
    def structures(self) -> StructureTexts | None:
        """Returns the well-known structures of the repository, or None without any record."""
        folder = self.folder / "structures"
        return StructureTexts(folder, self.lexicon.n_files) if folder.is_dir() else None

    @cached_property
    def graph(self) -> FileGraph | None:
        """Returns the file graph, or None when the generation has none."""
        if not (self.folder / "file_edges.parquet").is_file():
            return None
        return FileGraph.load(self.folder, self.lexicon.paths)

    def weights(self, allowed: np.ndarray | None) -> Weights:
        """Returns the weights for a set of candidates: mostly written explanations or not."""
        if self._weights is not None:
            return self._weights
        written = self.lexicon.written if allowed is None else self.lexicon.written[allowed]
        return WRITTEN if len(written) and written.mean() >= MOSTLY else Weights()

    @cached_property
    def names(self) -> dict[str, list[tuple[int, int, str, str]]]:
        """Returns lower-case declared name -> places (file, line, kind, name)."""
        data = (self.folder / "lexical" / "names.msgpack").read_bytes()
        return msgspec.msgpack.decode(data, type=dict[str, list[tuple[int, int, str, str]]])

    def search(
        self,
        question: str,
        k: int = 10,
        hops: int = 1,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        evidence: bool = True,
        aspects: bool = True,
    ) -> SearchResult:
        """Returns the `k` best files for a question.

        Args:
            question: free text; identifiers and file names in it are matched exactly.
            k: hits wanted, at least 1.
            hops: edges walked from the seeds, 0 to 2 (0 ranks without the graph).
            roles: only files of these roles; empty takes all.
            candidates: only these paths; None takes all.
            evidence: whether to collect evidence for each hit.
            aspects: whether a question in several parts is searched by these as well.

        Raises:
            UsageError: the question has no letter or digit, or `k` or `hops` is out of range.
        """
        if not any(ch.isalnum() for ch in question):
            raise UsageError("the question is empty: ask with at least one word or name")
        if k < 1 or not 0 <= hops <= 2:
            raise UsageError(f"k must be at least 1 and hops 0, 1 or 2 (got k={k}, hops={hops})")
        started = time.perf_counter()
        allowed = self._allowed(roles, candidates)
        ranking = self.ranking(question, hops, allowed)
        order, score, notes = ranking.order, ranking.score, ranking.notes
        sure = self._confidence(ranking)
        text = " ".join(question[:MAX_CHARS].split())
        found = split(text, self.lexicon.directories) if aspects else ()
        if found:
            ranked = [self.ranking(part, hops, allowed).order for part in found]
            order = interleaved(order, ranked)
            # Scores never rise with the rank.
            score[order] = np.maximum.accumulate(score[order][::-1])[::-1]
            notes.append(f"also searched by its parts: {'; '.join(found)}")
        hits = make_hits(self, ranking, order[:k], score, hops, evidence)
        result = SearchResult(
            question=question,
            hits=hits,
            hops=hops,
            total_files=self.lexicon.n_files,
            seconds=round(time.perf_counter() - started, 4),
            confidence=sure,
        )
        weak = weakness(result) if hits else ""
        if weak:
            notes.append(f"nothing found fits well: {weak}")
        return msgspec.structs.replace(result, notes=tuple(notes))

    def ranking(self, text: str, hops: int, allowed: np.ndarray | None = None) -> Ranking:
        """Returns all allowed files ranked for a text, with what the order rests on."""
        with self._blas.limit(limits=1, user_api="blas"):
            return self._ranking(text, hops, allowed)

    def _ranking(self, text: str, hops: int, allowed: np.ndarray | None) -> Ranking:
        question = analyse(text, self.lexicon, self.expansion)
        named = named_parts(self.lexicon, text) if self.weights(allowed).scope else {}
        within = self._within(list(named.values()), allowed)
        features, notes = self.features(question, within)
        graph = self.graph if hops else None
        weights = self.weights(within)
        score, parts = combine(features, question, self.lexicon, graph, weights, hops, within)
        if within is not None and within is not allowed:
            score = inside_first(score, within)
            notes.append(f"looked first in {', '.join(named)}")
        return Ranking(question, features, self._order(score, allowed), score, parts, notes)

    def _within(self, named: Sequence[np.ndarray], allowed: np.ndarray | None) -> np.ndarray | None:
        """Returns the allowed files in the parts of the repository that a question names."""
        if not named:
            return allowed
        within = np.unique(np.concatenate(named))
        within = within if allowed is None else np.intersect1d(within, allowed)
        return within if len(within) else allowed

    def signs(self, ranking: Ranking) -> dict[str, float]:
        """Returns the signs that the confidence in a ranking of at least one file rests on."""
        vectors, passages = self.vectors, 0
        if vectors is not None and self.embedder is not None:
            if str(vectors.meta["embedder"]).startswith(KNOWN_EMBEDDER):
                passages = len(vectors.owner)
        return signs(
            ranking.question, self.lexicon, ranking.features, ranking.order, ranking.score, passages
        )

    def _confidence(self, ranking: Ranking) -> float | None:
        """Returns the confidence; None where nothing is ranked or the question says nothing."""
        if not ranking.order or not ranking.question.groups:
            return None
        if ranking.features.named:
            return 1.0  # the question names what an indexed file declares
        return round(confidence(self.signs(ranking)), 4)

    def features(
        self, question: Question, allowed: np.ndarray | None = None
    ) -> tuple[Features, list[str]]:
        """Returns the raw features of all files and notes for the reader."""
        notes: list[str] = []
        vectors, late = self.vectors, self.late
        # Both models run beside the count of words.
        if vectors is not None and self.embedder is not None:
            query = self._beside.submit(self.embedder.embed, [question.text], query=True)
        if late is not None:
            tokens = self._beside.submit(late[0].question, question.text)
        features = lexical_features(self.lexicon, question, allowed)
        vector = words = None
        if vectors is None or self.embedder is None:
            notes.append("lexical search only: the index has no usable embeddings")
        else:
            try:
                vector = query.result()[0]
                dense_features(vectors, vector, self.lexicon.n_files, features)
            except EndpointError as error:
                notes.append(f"searched by words only: {error}")
        if late is not None:
            words = tokens.result()
            features.late = late[1].scorer(words)
        if self.structures is not None:
            features.described = self.structures.described(vector, words)
        features.named = self._named(question)
        if not question.groups:
            notes.append("no content words in the question: the order is by name and size only")
        return features, notes

    def _named(self, question: Question) -> dict[int, tuple[str, int]]:
        if not question.identifiers:
            return {}
        found: dict[int, tuple[str, int]] = {}
        for word in question.identifiers:
            for name in (word, word.rsplit(".", 1)[0]):
                for number, line, _, written in self.names.get(name.lower(), ()):
                    kept = found.get(number)
                    if kept is None or kept[1] == 1:
                        found[number] = (written, line)
        # A name that many files declare picks none of them.
        return found if len(found) <= 40 else {}

    def _allowed(
        self, roles: Collection[str], candidates: Collection[str] | None
    ) -> np.ndarray | None:
        if not roles and candidates is None:
            return None
        chosen = None if candidates is None else frozenset(candidates)
        numbers = [
            n
            for n, path in enumerate(self.lexicon.paths)
            if (chosen is None or path in chosen) and (not roles or self.lexicon.roles[n] in roles)
        ]
        return np.asarray(numbers, np.int64)

    def _order(self, score: np.ndarray, allowed: np.ndarray | None) -> list[int]:
        numbers = np.arange(len(score)) if allowed is None else allowed
        # Paths are sorted, so a stable sort breaks ties by path.
        return [int(n) for n in numbers[np.argsort(-score[numbers], kind="stable")]]
