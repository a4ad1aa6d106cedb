"""The passages beside the files of one question: ranked once, raised by files, and raising them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np

from hdlgraph.model.passage import Routing
from hdlgraph.query.documents.crossing import POOL, raised_files, raised_passages, with_raised
from hdlgraph.query.documents.rank import in_order, scores
from hdlgraph.query.documents.routing import asks_register, blended, named_registers, route
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.query.result.confidence import CHANCE, KNOWN_EMBEDDER
from hdlgraph.query.trained.query_map import MappedEmbedder
from hdlgraph.results import Hit, SearchResult

SURE = frozenset({"identifier", "relation"})
"""Evidence of a first file that is right without more."""
NAMED = 0.3
"""Added to the score of a register that the question names."""
ASKED, NOT_ASKED = 0.1, -0.15
"""Added to the scores of all registers beside sections where the question has a word of registers,
and where it has none: a block has so many that its sections would stand below them."""
DOMAIN = 0.1
"""Added to the score of a passage of a domain that a model named."""


class Beside:
    """What the documents say about one question.

    Args:
        view: all passages.
        question: free text, on one line.
        fusion: how the rankings become one.
        links: whether each list raises what the other leads to.
        routing: the shares that a model gives, or None.
    """

    def __init__(
        self,
        view: DocumentsView,
        question: str,
        fusion: str = "sum",
        links: bool = True,
        routing: Routing | None = None,
    ) -> None:
        self.view, self.question, self.fusion, self.links = view, question, fusion, links
        self._routing = routing
        # While files are searched: most of it is a model's work, which needs no interpreter.
        self._scoring = view.threads.submit(self._scored)

    @property
    def score(self) -> np.ndarray:
        """Returns the score of every passage for what the documents say alone."""
        return self._scoring.result()

    def _scored(self) -> np.ndarray:
        found = scores(self.view, self.question, "sum" if self.fusion == "mmr" else self.fusion)
        found = found.copy()
        for name in named_registers(self.view, self.question):
            found[self.view.register_names[name if "." not in name else name.upper()]] += NAMED
        if self._routing is not None and self._routing.domains:
            known = {domain.lower() for domain in self._routing.domains}
            within = [
                self.view.documents[one.places[0].document].domain.lower() in known
                for one in self.view.passages
            ]
            found[np.asarray(within, bool)] += DOMAIN
        return found

    @property
    def depth(self) -> int:
        """Returns how many files are looked at, some of which passages may raise."""
        return POOL if self.links else 0

    def raise_files(self, result: SearchResult, k: int) -> SearchResult:
        """Returns a result of more files with the first `k`, raised by the passages.

        A question that names what a file declares, or asks for a relation of the design, has its
        files by that: passages raise none.
        """
        if any(one.kind in SURE for hit in result.hits[:1] for one in hit.evidence):
            return msgspec.structs.replace(result, hits=result.hits[:k])
        found = self._first
        paths = [path for hit in result.hits for path in (hit.path, *hit.copies)]
        raised = raised_files(self.view, found, paths) if self.links else {}
        return msgspec.structs.replace(result, hits=with_raised(result.hits, raised, k))

    def _kinds(self) -> np.ndarray:
        """Returns what is added where sections and registers stand in one list."""
        view = self.view
        more = ASKED if asks_register(view, self.question) else NOT_ASKED
        return np.where((self.score > 0) & view.is_register, more, 0.0).astype(np.float32)

    @cached_property
    def _first(self) -> list[tuple[int, float]]:
        """Returns numbers and scores of the five best passages."""
        return in_order(self.view, self.score, 5, "", self.fusion)

    def routing(self, hits: Sequence[Hit] = ()) -> Routing:
        """Returns the shares of the lists: the model's where it was asked, else by cues."""
        cues = route(self.view, self.question, self._first, hits)
        return cues if self._routing is None else blended(cues, self._routing)

    def passages(self, kind: str, k: int, hits: Sequence[Hit] = ()) -> list[tuple[int, float]]:
        """Returns numbers and scores of the `k` best passages of a kind, raised by the files."""
        score = self.score if kind else self.score + self._kinds()
        if self.links and hits:
            score = score + np.where(score > 0, raised_passages(self.view, hits), 0.0)
        return in_order(self.view, score, k, kind, self.fusion)

    def nearness(self, found: Sequence[tuple[int, float]]) -> float | None:
        """Returns the largest cosine of some passages with the question, less what chance gives.

        None where the index has no vectors, or cosines of an unknown scale.
        """
        view = self.view
        known = view.manifest.embedder.startswith(KNOWN_EMBEDDER)
        embedder = view.embedder if known and found else None
        if embedder is None or isinstance(embedder, MappedEmbedder):
            return None
        vector = embedder.embed([self.question], query=True)[0]
        rows = [number for number, _ in found]
        near = max(float(one[rows].max()) for one in view.cosines(vector))
        return near - CHANCE * math.log(len(view.passages))
