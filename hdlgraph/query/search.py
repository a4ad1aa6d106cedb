"""Finds the files that answer a question: analyses it, ranks all files, collects evidence."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import ThreadpoolController

from hdlgraph.errors import UsageError
from hdlgraph.query import beside
from hdlgraph.query.best import best_first, few_best
from hdlgraph.query.collection import uncollected
from hdlgraph.query.features.feature import Asked, Feature, Ranking
from hdlgraph.query.features.graph import FileGraph, file_graph_of
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.listwise import order as listwise
from hdlgraph.query.listwise.order import asks_for_relation, reorder
from hdlgraph.query.named.first import put_first
from hdlgraph.query.question.analyse import MAX_CHARS, Expansion, Question, analyse
from hdlgraph.query.question.aspects import interleaved, split
from hdlgraph.query.question.scope import named_first, named_parts
from hdlgraph.query.question.script import foreign
from hdlgraph.query.question.team import TeamWords
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.question.wording import signs
from hdlgraph.query.rank import FEATURES, rank
from hdlgraph.query.relations.feature import RelatedScores
from hdlgraph.query.result import confidence as sureness
from hdlgraph.query.result.fold import folded
from hdlgraph.query.result.hits import make_hits
from hdlgraph.query.result.likely import in_words
from hdlgraph.query.result.lines import with_lines
from hdlgraph.query.result.weak import WEAK, weakness
from hdlgraph.query.weighing import weighed
from hdlgraph.query.weights import BARE, WRITTEN, Weights, total
from hdlgraph.results import Hit, SearchResult

MOSTLY = 0.5  # share of written explanations from which their weights count
HARDLY = 0.1  # share of files that comments introduce up to which there are none to speak of
WITNESS: ContextVar[Callable[[Ranking], None] | None] = ContextVar("witness", default=None)
"""Called with each ranking of a question in this context: who asks several repositories compares
them by it."""


class Searcher:
    """Ranks the files of one index generation for questions.

    Args:
        index: what is searched.
        weights: ranking weights; None takes those that fit the explanations.
        features: the ranking features, asked in this order; add your own after FEATURES.
        listwise: whether a network puts the first files in order, where it knows what it sees.
    """

    expansion = Expansion()

    def __init__(
        self,
        index: IndexView,
        weights: Weights | None = None,
        features: Sequence[Feature] = FEATURES,
        listwise: bool = True,
    ) -> None:
        self.index = index
        self._listwise = listwise
        self.features = tuple(features)
        self._weights = weights
        self._analysed: tuple[str, TeamWords | None, Question] | None = None  # the last one

    @classmethod
    def load(
        cls,
        folder: Path,
        load_embedder: Callable[[], Any] | None = None,
        load_encoder: Callable[[], Any] | None = None,
    ) -> Searcher:
        """Returns the searcher of a generation's folder; arguments as of `IndexView`."""
        return cls(IndexView(folder, load_embedder, load_encoder))

    @property
    def lexicon(self) -> Lexicon:
        """Returns the words of the files."""
        return self.index.lexicon

    @property
    def graph(self) -> FileGraph | None:
        """Returns the file graph, or None when the generation has none."""
        return self.index.part(file_graph_of)

    @cached_property
    def _blas(self) -> ThreadpoolController:
        """Returns what limits the threads of numpy's linear algebra (BLAS).

        Idle threads of it would slow the models; with one, sums are the same on every machine.
        """
        return ThreadpoolController()

    def weights(self, allowed: np.ndarray | None) -> Weights:
        """Returns the weights for a set of candidates: by who explained them, or nobody did."""
        if self._weights is not None:
            return self._weights
        if self._is_written if allowed is None else _mostly(self.lexicon.written[allowed]):
            return WRITTEN
        return BARE if self._is_bare else Weights()

    def weights_for(self, question: Question, allowed: np.ndarray | None) -> Weights:
        """Returns the weights for a question: those of `weights`, fitted to how it is worded.

        Weights that were given to the searcher are taken as they are.
        """
        weights = self.weights(allowed)
        return weights if self._weights is not None else weighed(weights, self.signs(question))

    def signs(self, question: Question) -> np.ndarray:
        """Returns how a question is worded (`hdlgraph.query.question.wording`)."""
        return signs(question.text, question.verification, self._is_bare, self.lexicon.n_files)

    @cached_property
    def _is_written(self) -> bool:
        """Returns whether a model or people explained most files of the whole index."""
        return _mostly(self.lexicon.written)

    @cached_property
    def _is_bare(self) -> bool:
        """Returns whether comments introduce hardly any file of the whole index.

        One part of a repository may have none: what its files are is then told elsewhere, and a
        question about it is no other question.
        """
        introduced = self.lexicon.introduced
        return bool(len(introduced)) and float(introduced.mean()) <= HARDLY

    @uncollected()
    def search(
        self,
        question: str,
        k: int = 10,
        hops: int = 1,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        evidence: bool = True,
        aspects: bool = True,
        fold: bool = True,
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
            fold: whether files that are nearly the same make one hit, at the place of the first.

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
        witness = WITNESS.get()
        if witness is not None:
            witness(ranking)
        order, score, notes = ranking.order, ranking.score, ranking.notes
        sure = self._confidence(ranking)
        text = " ".join(question[:MAX_CHARS].split())
        relation = ranking.scores.get("relation")
        whole = isinstance(relation, RelatedScores) and relation.is_whole
        found = split(text, self.lexicon.directories) if aspects and not whole else ()
        if found:
            ranked = [self.ranking(part, hops, allowed).order for part in found]
            order = interleaved(order, ranked)
            # Scores never rise with the rank.
            score[order] = np.maximum.accumulate(score[order][::-1])[::-1]
            notes.append(f"also searched by its parts: {'; '.join(found)}")
        copies = self.distinct(order, k, allowed) if fold else {}
        chosen = list(copies) if fold else order[:k]
        hits = make_hits(ranking, chosen, score, evidence, copies)
        result = SearchResult(
            question=question,
            hits=hits,
            hops=hops,
            total_files=self.lexicon.n_files,
            seconds=round(time.perf_counter() - started, 4),
            confidence=sure,
            likely=in_words(sure),
        )
        weak = weakness(result) if hits else ""
        if weak:
            notes.append(f"{WEAK}: {weak}")
        return msgspec.structs.replace(result, notes=tuple(notes))

    def distinct(
        self, order: Sequence[int], k: int, allowed: np.ndarray | None = None
    ) -> dict[int, tuple[str, ...]]:
        """Returns the first `k` files of an order that are no near copy of an earlier one.

        The values are the copies that each stands for, of the `allowed` files.
        """
        known, paths = self.lexicon.near_copies, self.lexicon.paths
        among = None if allowed is None else {paths[n] for n in allowed}
        found = folded(((n, paths[n]) for n in order), known, among)
        return dict(itertools.islice(found, k))

    def folded(
        self,
        hits: Sequence[Hit],
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
    ) -> tuple[Hit, ...]:
        """Returns hits of several searches together, those that are nearly the same as one."""
        allowed = self._allowed(roles, candidates)
        among = None if allowed is None else {self.lexicon.paths[n] for n in allowed}
        found = folded(((hit, hit.path) for hit in hits), self.lexicon.near_copies, among)
        return tuple(msgspec.structs.replace(hit, copies=copies) for hit, copies in found)

    @uncollected()
    def with_lines(
        self, question: str, hits: Sequence[Hit], read_text: Callable[[str], str]
    ) -> tuple[Hit, ...]:
        """Returns hits with the source lines that say most about a question.

        Args:
            question: as asked.
            hits: of this index.
            read_text: gives a file's text as it was indexed, "" where that is not there any more.
        """
        return with_lines(self.analyse(question), self.lexicon, hits, read_text)

    def ranking(self, text: str, hops: int, allowed: np.ndarray | None = None) -> Ranking:
        """Returns all allowed files ranked for a text, with what the order rests on."""
        with self._blas.limit(limits=1, user_api="blas"):
            return self._ranking(text, hops, allowed)

    def analyse(self, text: str) -> Question:
        """Returns what a text asks."""
        last, team = self._analysed, self.lexicon.team
        if last is not None and last[0] == text and last[1] is team:
            return last[2]
        found = analyse(text, self.lexicon, self.expansion)
        self._analysed = text, team, found
        return found

    def _ranking(self, text: str, hops: int, allowed: np.ndarray | None) -> Ranking:
        """Returns all files in order with the scores of each feature, named folders raised."""
        question = self.analyse(text)
        named = named_parts(self.lexicon, text) if self.weights(allowed).scope else {}
        within = self._within(list(named.values()), allowed)
        vectors = QuestionVectors(question.text, self.index)
        weights = self.weights_for(question, within)
        asked = Asked(question, self.index, weights, hops, within, vectors)
        score, scores = rank(asked, self.features)
        notes = list(vectors.notes)
        notes += (f"{name} stands nowhere: searched as {near}" for name, near in question.respelt)
        if not question.groups:
            notes.append("no content words in the question: the order is by name and size only")
        if within is not None and within is not allowed:
            score = named_first(self.lexicon, text, score, within)
            notes.append(f"looked first in {', '.join(named)}")
        order = self._order(score, allowed)
        ranking = Ranking(asked, scores, order, score, asked.parts, notes)
        if asks_for_relation(ranking):
            beside.put_beside(ranking, self._plain(ranking, allowed, within), self.signs(question))
        elif self._knows(ranking, within):
            reorder(ranking, self.signs(question))
        put_first(ranking, text)
        if self.index.trained.order is not None:
            self.index.trained.order.apply(order, score, asked.parts)
        return ranking

    def _plain(
        self, ranking: Ranking, allowed: np.ndarray | None, within: np.ndarray | None
    ) -> Ranking:
        """Returns the ranking without the edges that its question may ask for: its first files."""
        parts = {name: part for name, part in ranking.parts.items() if name != "relation"}
        score = total(parts)
        if within is not None and within is not allowed:
            score = named_first(self.lexicon, ranking.question.text, score, within)
        first = self._order(score, allowed, max(beside.FIRST, listwise.FIRST))
        plain = Ranking(ranking.asked, ranking.scores, first, score, parts, [])
        if self._knows(plain, within):
            reorder(plain, self.signs(ranking.question))
        return plain

    def _knows(self, ranking: Ranking, within: np.ndarray | None) -> bool:
        """Returns whether the network of the order was fitted on rankings like this one.

        It saw explanations by rules, vectors and the weights of this version, and no question for
        a relation: there the edges decide.
        """
        return (
            self._listwise
            and self._weights is None
            and self.features == FEATURES
            and self.weights(within) is not WRITTEN
            and ranking.asked.nearness is not None
            and not asks_for_relation(ranking)
        )

    def _within(self, named: Sequence[np.ndarray], allowed: np.ndarray | None) -> np.ndarray | None:
        """Returns the allowed files in the parts of the repository that a question names."""
        if not named:
            return allowed
        within = np.unique(np.concatenate(named))
        within = within if allowed is None else np.intersect1d(within, allowed)
        return within if len(within) else allowed

    def _confidence(self, ranking: Ranking) -> float | None:
        """Returns the confidence; None where nothing is ranked or the question says nothing.

        A question in a script that the index has no words of finds nothing but what it names.
        """
        if not ranking.order:
            return None
        other = foreign(ranking.question.text) and not sureness.reads_all_languages(ranking)
        if other and not sureness.any_known(ranking):
            return 0.0
        if not ranking.question.groups:
            return None
        seen = sureness.signs(ranking)
        if sureness.named(ranking):
            return sureness.sure_of_name(seen)
        found = round(sureness.confidence(seen), 4)
        return max(found, sureness.LIMIT) if other else found

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

    def _order(
        self, score: np.ndarray, allowed: np.ndarray | None, most: int | None = None
    ) -> list[int]:
        """Returns the allowed files by score, the best first; the first `most` of them.

        Paths are sorted: of equal ones the first by path comes first.
        """
        own = score if allowed is None else score[allowed]
        best = best_first(own) if most is None else few_best(own, most)
        return (best if allowed is None else allowed[best]).tolist()


def _mostly(written: np.ndarray) -> bool:
    """Returns whether most of some files were explained by a model or by people."""
    return bool(len(written)) and float(written.mean()) >= MOSTLY
