"""What every system under comparison is, and the candidate files that all of them rank."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.systems.baselines import WHOLE, Scorer
from hdlgraph.eval.systems.explanations import searched
from hdlgraph.eval.systems.texts import read_code, stemmed_parts

if TYPE_CHECKING:
    from hdlgraph.model import Explanation
    from hdlgraph.project import Project

T = TypeVar("T")


class System(Protocol):
    """Ranks the files of a corpus for a question.

    `used` is what a language model was asked for it so far, None without one.
    """

    name: str
    used: ModelUse | None

    def warm(self, question: str, k: int) -> None:
        """Loads what is loaded lazily; asks no model."""
        ...

    def rank(self, question: str, k: int) -> list[str]:
        """Returns at most `k` paths, best first, without repetition."""
        ...


@dataclass
class Corpus:
    """The candidate files of one run and what systems need of them; texts are read once.

    Args:
        project: the indexed repository.
        paths: candidate paths, sorted; baselines compute their statistics over these alone.
        cache: folder for vectors of the embedding baselines, or None.
    """

    project: Project
    paths: tuple[str, ...]
    cache: Path | None = None
    _texts: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _parts: dict[str, list[list[str]]] = field(default_factory=dict, repr=False)
    _shared: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False)

    def texts(self, kind: str) -> list[str]:
        """Returns code (path and text) or explanations of all candidates, in path order."""
        if kind not in self._texts:
            if kind == "code":
                self._texts[kind] = read_code(self.project.root, self.paths)
            else:
                known = self.explanations()
                self._texts[kind] = [
                    known[path].to_text() if path in known else path for path in self.paths
                ]
        return self._texts[kind]

    def parts(self, kind: str) -> list[list[str]]:
        """Returns the `stemmed_parts` of the texts of a kind, split once for all systems."""
        if kind not in self._parts:
            self._parts[kind] = [stemmed_parts(text) for text in self.texts(kind)]
        return self._parts[kind]

    def explanations(self) -> dict[str, Explanation]:
        """Returns the explanations by path, with the texts that a search reads; made once."""
        return self.shared("read", "explanations", make=lambda: searched(self.project))

    def shared(self, *key: str, make: Callable[[], T]) -> T:
        """Returns what `make` gave for a key the first time: systems share their parts."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def scorer(self, name: str, kind: str, make: Callable[[], Scorer]) -> Scorer:
        """Returns the scorer `name` over texts of a kind, shared between systems."""
        return self.shared("scorer", name, kind, make=make)

    def candidates(self) -> frozenset[str] | None:
        """Returns the candidates for a search, None when they are the whole index."""
        everything = len(self.paths) == len(self.project.manifest().files)
        return None if everything else frozenset(self.paths)

    def embedder(self) -> Any:
        """Returns the index's embedder, reading whole texts.

        Raises:
            UsageError: embeddings are switched off for this repository.
            WeightsMissingError: there are no weights.
        """
        return self.shared("model", "embedder", make=self._load_embedder)

    def _load_embedder(self) -> Any:
        from hdlgraph.index.embed.embedder import load_embedder

        settings = self.project.settings
        whole = dataclasses.replace(settings.embedding, max_tokens=WHOLE)
        if whole.provider == "none":
            raise UsageError(
                "systems with embeddings need a model, but `hdlgraph.embedding.provider` is `none`:"
                " choose other systems, such as --systems bm25,hdlgraph"
            )
        return load_embedder(dataclasses.replace(settings, embedding=whole))
