"""What a search reads of one generation of the index; each part is loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.trained.search import TrainedSearch
from hdlgraph.store.surfaces import StoredSurfaces

T = TypeVar("T")


class QuestionEmbedder(Protocol):
    """Turns texts into one vector each; `name` is the one that the index keeps."""

    name: str

    def embed(self, texts: list[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1; `query` marks questions."""
        ...


class QuestionEncoder(Protocol):
    """Turns a question into one vector for each token; `name` is the one that the index keeps."""

    name: str

    def question(self, text: str) -> np.ndarray:
        """Returns float32 (tokens, dim), each row of length 1."""
        ...


class IndexView:
    """The parts of one generation that are searched.

    Args:
        folder: the generation's folder.
        load_embedder: gives the embedder of the index, or None to search without vectors.
        load_encoder: gives the encoder of token vectors, or None to search without them.
        load_trained: gives the models that were trained on questions, None for none.
    """

    held: Any = None
    """What keeps the folder on disk as long as the view lives."""

    def __init__(
        self,
        folder: Path,
        load_embedder: Callable[[], QuestionEmbedder | None] | None = None,
        load_encoder: Callable[[], QuestionEncoder | None] | None = None,
        load_trained: Callable[[], TrainedSearch] | None = None,
    ) -> None:
        self.folder = folder
        self._load_embedder = load_embedder
        self._load_encoder = load_encoder
        self._load_trained = load_trained
        self._parts: dict[Callable[[IndexView], Any], Any] = {}
        self.lexicon = Lexicon.load(folder)

    @cached_property
    def surfaces(self) -> StoredSurfaces | None:
        """Returns the surfaces with their vectors, or None when the index has no vectors."""
        found = StoredSurfaces.find(self.folder)
        return found if found and found.vectors is not None else None

    @cached_property
    def embedder(self) -> QuestionEmbedder | None:
        """Returns the embedder that made the vectors, or None."""
        embedder = self._settings_embedder
        if embedder is None or self.surfaces is None:
            return None
        return embedder if embedder.name == self.surfaces.models.embedder else None

    @cached_property
    def _settings_embedder(self) -> QuestionEmbedder | None:
        if self.surfaces is None or self._load_embedder is None:
            return None
        return self._load_embedder()

    @property
    def embedder_note(self) -> str:
        """Returns why the index is searched by words only, where it has no embedder."""
        embedder = self._settings_embedder
        if embedder is None or self.surfaces is None:
            return "lexical search only: the index has no usable embeddings"
        made = self.surfaces.models.embedder
        return (
            f"lexical search only: the vectors of the index were made by another model ({made}) "
            f"than that of the settings ({embedder.name}); index again"
        )

    @cached_property
    def encoder(self) -> QuestionEncoder | None:
        """Returns the encoder that made the token vectors, or None."""
        encoder = self._settings_encoder
        return encoder if encoder and encoder.name == self._token_vectors else None

    @cached_property
    def encoder_note(self) -> str:
        """Returns that token vectors are of another model than that of the settings, else ""."""
        encoder = self._settings_encoder
        if encoder is None or encoder.name == self._token_vectors:
            return ""
        return (
            "searched without token vectors: those of the index were made by another model "
            f"({self._token_vectors}) than that of the settings ({encoder.name}); index again"
        )

    @property
    def _token_vectors(self) -> str:
        return self.surfaces.models.token_vectors if self.surfaces else ""

    @cached_property
    def _settings_encoder(self) -> QuestionEncoder | None:
        return self._load_encoder() if self._token_vectors and self._load_encoder else None

    @cached_property
    def trained(self) -> TrainedSearch:
        """Returns the models that were trained on questions and are in use."""
        return self._load_trained() if self._load_trained else TrainedSearch()

    def part(self, load: Callable[[IndexView], T]) -> T:
        """Returns what `load` makes of this view; it is called once and its value kept.

        A feature loads by it what it alone reads, so that the next question finds it there.
        """
        if load not in self._parts:
            self._parts[load] = load(self)
        return self._parts[load]
