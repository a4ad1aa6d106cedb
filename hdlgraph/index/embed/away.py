"""Embeds batches of texts with an engine: each machine loads the model that the settings name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.index.engine.engine import Engine
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.embed.token_vectors import TokenEncoder

BATCH = 64
"""Texts of a batch: few, so that no machine is left with the longest ones at the end."""


def one_thread(settings: Settings) -> Settings:
    """Returns settings for a task, which has one processor."""
    embedding = dataclasses.replace(settings.embedding, threads=1)
    return dataclasses.replace(settings, embedding=embedding)


def check_name(own: str, wanted: str) -> None:
    """Raises UsageError for a model that is not the one which the run's vectors name."""
    if own != wanted:
        raise UsageError(
            f"its embedding model is {own or 'none'}, not {wanted}: put the same files on all "
            "machines, where the settings name them"
        )


class EmbedWork:
    """Embeds texts with the model of the settings, whose name must be the same everywhere."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.settings, self.name = settings, name

    def __reduce__(self) -> tuple[type[EmbedWork], tuple[Settings, str]]:
        return EmbedWork, (self.settings, self.name)

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1."""
        return self._model.embed(texts)

    @cached_property
    def _model(self) -> Embedder:
        from hdlgraph.index.embed.embedder import load_embedder

        model = load_embedder(self.settings)
        check_name(model.name if model else "", self.name)
        if model is None:
            raise WeightsMissingError("no embedding model")
        return model


class TokenWork:
    """Encodes passages with one vector for each token, by a model of the same name everywhere."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.settings, self.name = settings, name

    def __call__(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Returns int8 (tokens, 192) of each text."""
        return self._model.passages(texts)

    def __reduce__(self) -> tuple[type[TokenWork], tuple[Settings, str]]:
        return TokenWork, (self.settings, self.name)

    @cached_property
    def _model(self) -> TokenEncoder:
        from hdlgraph.index.embed.token_vectors import load_token_encoder

        model = load_token_encoder(self.settings.embedding)
        check_name(model.name, self.name)
        return model


class EmbedderAway:
    """An `Embedder` whose `each` has an engine embed batches."""

    batch = BATCH

    def __init__(self, near: Embedder, engine: Engine, settings: Settings) -> None:
        self.near, self.engine = near, engine
        self.name, self.dim = near.name, near.dim
        self._work = EmbedWork(one_thread(settings), near.name)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), embedded here."""
        return self.near.embed(texts, query=query)

    def each(self, batches: Sequence[Sequence[str]]) -> Iterator[tuple[int, np.ndarray]]:
        """Yields (place, vectors) of each batch, in no fixed order."""
        return self.engine.map("embed", self._work, batches)


class TokenEncoderAway:
    """A `TokenEncoder` whose `each` has an engine encode batches."""

    batch = BATCH

    def __init__(self, near: TokenEncoder, engine: Engine, settings: Settings) -> None:
        self.near, self.engine = near, engine
        self.name, self.dim = near.name, near.dim
        self._work = TokenWork(one_thread(settings), near.name)

    def passages(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Returns int8 (tokens, 192) of each text, encoded here."""
        return self.near.passages(texts)

    def each(self, batches: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[np.ndarray]]]:
        """Yields (place, vectors of each text) of each batch, in no fixed order."""
        return self.engine.map("embed tokens", self._work, batches)
