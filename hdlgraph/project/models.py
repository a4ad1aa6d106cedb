"""The models that questions are embedded with; where weights are missing a search does without."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.query.trained.search import TrainedSearch


class Models:
    """The models that questions are embedded with, each loaded once, whatever the generation.

    Args:
        settings: which ones.
        notes: where it is said that the weights of one are missing.
    """

    def __init__(self, settings: Settings, notes: list[str]) -> None:
        self._settings, self._notes = settings, notes
        self._loaded: dict[str, Any] = {}

    def encoder(self) -> Any:
        """Returns the encoder of token vectors; without its weights None, and a note says so."""
        if "encoder" not in self._loaded:
            self._loaded["encoder"] = _encoder(self._settings, self._notes)
        return self._loaded["encoder"]

    def embedder(self) -> Any:
        """Returns the embedder of the settings; without its weights None, and a note says so."""
        if "embedder" not in self._loaded:
            self._loaded["embedder"] = _embedder(self._settings, self._notes)
        return self._loaded["embedder"]

    def trained(self) -> TrainedSearch:
        """Returns the models of `trained.path`; without those that cannot be used, with a note."""
        if "trained" not in self._loaded:
            self._loaded["trained"] = _trained(self._settings, self.embedder, self._notes)
        return self._loaded["trained"]


def _trained(settings: Settings, embedder: Callable[[], Any], notes: list[str]) -> TrainedSearch:
    """Returns the models that the user's settings name."""
    from hdlgraph.query.trained.order import read_order
    from hdlgraph.query.trained.query_map import read_map
    from hdlgraph.query.trained.search import TrainedSearch
    from hdlgraph.store.trained.folder import FILES_MAP

    folder = settings.trained.path
    if not folder:
        return TrainedSearch()
    try:
        return TrainedSearch(read_map(folder, FILES_MAP, embedder()), read_order(folder))
    except WeightsMissingError as error:
        notes.append(f"searched without trained models: {error}")
        return TrainedSearch()


def _encoder(settings: Settings, notes: list[str]) -> Any:
    """Returns the encoder of token vectors; without its weights None, and a note says so."""
    from hdlgraph.index.embed.token_vectors import load_token_encoder

    try:
        return load_token_encoder(settings.embedding)
    except WeightsMissingError as error:
        notes.append(f"searched without token vectors: {error}")
        return None


def _embedder(settings: Settings, notes: list[str]) -> Any:
    """Returns the embedder of the settings; without its weights None, and a note says so."""
    from hdlgraph.index.embed.embedder import load_embedder

    if settings.embedding.provider == "none":
        return None
    try:
        return load_embedder(settings)
    except WeightsMissingError as error:
        notes[:] = [f"searched by words only: {error}"]
        return None
