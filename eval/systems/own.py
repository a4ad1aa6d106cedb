"""hdlgraph's own search under comparison, and the same with one part of it taken away."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.systems.candidates import Corpus, System
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.question.analyse import Expansion
from hdlgraph.query.result.fold import folded
from hdlgraph.query.search import Searcher
from hdlgraph.query.weights import Weights

if TYPE_CHECKING:
    from hdlgraph.results import SearchResult

HELP = ("reword", "decompose", "rerank")
"""What the query model may do for a question; each is measured by the system hdlgraph-NAME."""

ABLATIONS: dict[str, tuple[str, ...]] = {
    "graph": ("parents", "neighbours", "wanted_parent", "instantiator", "incoming"),
    "dense": ("head", "purpose", "behaviour", "token_vectors", "structure"),
    "structures": ("structure",),
    "token-vectors": ("token_vectors",),
    "lexical": ("text", "window", "phrase", "declared", "incoming", "explanation"),
    "roles": ("testbench", "verification", "formal", "vendored"),
    "names": ("identifier", "declared", "scope"),
}
"""The weights that `hdlgraph-no-NAME` sets to 0: names of fields of `Weights`.

Without the graph no edge is walked either: it goes further than hdlgraph-h0, which still reads what
instances say of a file.
"""


class SearchSystem:
    """hdlgraph's own search; its statistics are those of the whole index.

    `hops` None takes the settings; `searcher` None takes the project's. Files that are nearly the
    same are all ranked unless `fold` is true.
    """

    def __init__(
        self,
        name: str,
        corpus: Corpus,
        hops: int | None = None,
        searcher: Searcher | None = None,
        fold: bool = False,
    ) -> None:
        self._fold = fold
        self.name = name
        self.used: ModelUse | None = None
        self._searcher = searcher or corpus.project.searcher()
        self._hops = corpus.project.settings.search.hops if hops is None else hops
        self._candidates = corpus.candidates()

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates."""
        result = self._searcher.search(
            question, k, self._hops, (), self._candidates, evidence=False, fold=self._fold
        )
        return [hit.path for hit in result.hits]

    def copies(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Returns the candidates that a hit of these paths stands for, where it has copies."""
        if not self._fold:
            return {}
        known, among = self._searcher.lexicon.near_copies, self._candidates
        ranked = folded(((path, path) for path in paths), known, among)
        return {path: found for path, found in ranked if found}


def search(name: str, corpus: Corpus, kind: str, hops: int | None = None) -> System:
    """Returns the search with so many hops, None for those of the settings."""
    return SearchSystem(name, corpus, hops)


def search_folded(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the search as people see it: files that are nearly the same are one hit."""
    return SearchSystem(name, corpus, fold=True)


class WeighedSearcher(Searcher):
    """Searches as another searcher does, with some of its weights at 0.

    A model that nothing is left for is not loaded either, so that seconds and memory are those of a
    tool without it.
    """

    def __init__(self, known: Searcher, zeroed: Collection[str]) -> None:
        index = known.index
        dense = None if set(ABLATIONS["dense"]) <= set(zeroed) else lambda: index.embedder
        tokens = None if "token_vectors" in zeroed else lambda: index.encoder
        super().__init__(IndexView(index.folder, dense, tokens), known._weights)
        self._zeroed = dict.fromkeys(zeroed, 0.0)

    def weights(self, allowed: np.ndarray | None) -> Weights:
        """Returns the weights for a set of candidates, without those that are taken away."""
        return dataclasses.replace(super().weights(allowed), **self._zeroed)


def without(name: str, corpus: Corpus, kind: str, part: str) -> System:
    """Returns the search without a part, a key of ABLATIONS.

    Raises:
        HdlgraphError: the ranking has no such weight any more, so that nothing would be taken away.
    """
    zeroed = ABLATIONS[part]
    known = {one.name for one in dataclasses.fields(Weights)}
    gone = [field for field in zeroed if field not in known]
    if gone:
        raise HdlgraphError(
            f"system {name}: the ranking has no weight {', '.join(gone)} any more; correct "
            "ABLATIONS in eval/systems/own.py"
        )
    hops = 0 if part == "graph" else None
    return SearchSystem(name, corpus, hops, WeighedSearcher(corpus.project.searcher(), zeroed))


def short_forms(name: str, corpus: Corpus, kind: str, dictionary: bool) -> System:
    """Returns the search with the whole dictionary of short forms, or without any."""
    from hdlgraph.eval.systems.abbreviations import ChangedSearcher

    known, project = corpus.project.searcher(), corpus.project
    words = project.dictionary() if dictionary else None
    return SearchSystem(name, corpus, None, ChangedSearcher(known, words))


def without_thesaurus(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the search that does not know how RTL says everyday words."""
    searcher = WeighedSearcher(corpus.project.searcher(), ())
    searcher.expansion = Expansion(related=0.0)
    return SearchSystem(name, corpus, None, searcher)


class HelpedSystem:
    """hdlgraph's search with one kind of help from the query model: reword, decompose or rerank.

    Answers that the index folder holds are not asked again, so a second run is free.
    """

    def __init__(self, name: str, corpus: Corpus, kind: str) -> None:
        self.name = name
        self.used: ModelUse | None = ModelUse()
        self._project = corpus.project
        self._kind = kind
        self._candidates = corpus.candidates()

    def warm(self, question: str, k: int) -> None:
        """Searches once without the model."""
        self._search(question, k, wanted=False)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates; where the model fails, those of the plain search."""
        from hdlgraph.query.assist.assisted import FAILED

        spending = self._project.session.spending
        before = spending.total()
        result = self._search(question, k, wanted=True)
        now = spending.total()
        assert self.used is not None
        self.used += ModelUse(
            calls=now.calls - before.calls,
            stored=now.stored - before.stored,
            input_tokens=now.input_tokens - before.input_tokens,
            output_tokens=now.output_tokens - before.output_tokens,
            failed=int(any(note.startswith(FAILED[self._kind]) for note in result.notes)),
        )
        return [hit.path for hit in result.hits]

    def _search(self, question: str, k: int, wanted: bool) -> SearchResult:
        switches: dict[str, Any] = dict.fromkeys(HELP, False) | {self._kind: wanted}
        return self._project.search(question, k=k, candidates=self._candidates, **switches)


def helped(name: str, corpus: Corpus, kind: str, help: str) -> System:
    """Returns the search with one kind of help, one of HELP."""
    return HelpedSystem(name, corpus, help)
