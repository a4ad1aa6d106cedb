"""Models that several repositories, or processes, share: a question is embedded once for all."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from hdlgraph.project.models import Models
from hdlgraph.query.question.analyse import searched_text

KEPT = 8
"""Questions whose vectors are kept."""
Sent = tuple[tuple[int, ...], bytes]
"""An array of float32 on its way: its shape and its bytes."""


class Vectors(msgspec.Struct, frozen=True):
    """The vectors of a question: of all of it, and of its tokens; None without such a model."""

    text: str
    sentence: Sent | None
    tokens: Sent | None


def _sent(array: np.ndarray) -> Sent:
    return array.shape, np.ascontiguousarray(array, np.float32).tobytes()


def _received(sent: Sent) -> np.ndarray:
    shape, data = sent
    return np.frombuffer(data, np.float32).reshape(shape)


class Remembering(Models):
    """Models that several repositories share; the vectors of the last questions are kept."""

    def embedder(self) -> Any:
        """Returns the embedder, which embeds a question once for all repositories."""
        found = super().embedder()
        return None if found is None else self._kept("kept embedder", found)

    def encoder(self) -> Any:
        """Returns the encoder, which encodes a question once for all repositories."""
        found = super().encoder()
        return None if found is None else self._kept("kept encoder", found)

    def vectors(self, text: str) -> Vectors:
        """Returns the vectors of a question, for another process."""
        text = searched_text(text)
        embedder, encoder = self.embedder(), self.encoder()
        return Vectors(
            text,
            None if embedder is None else _sent(embedder.embed([text], query=True)),
            None if encoder is None else _sent(encoder.question(text)),
        )

    def take(self, sent: Vectors) -> None:
        """Takes over the vectors of a question that another process made: no model is loaded."""
        embedder, encoder = self.embedder(), self.encoder()
        if embedder is not None and sent.sentence is not None:
            embedder.keep(sent.text, _received(sent.sentence))
        if encoder is not None and sent.tokens is not None:
            encoder.keep(sent.text, _received(sent.tokens))

    def _kept(self, name: str, model: Any) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _Kept(model)
        return self._loaded[name]


class _Kept:
    """A model whose last answers on questions are kept."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._known: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed(self, texts: list[str], *, query: bool = False) -> Any:
        """Returns one vector a text, see the model."""
        if not query or len(texts) != 1:
            return self._model.embed(texts, query=query)
        return self._once(texts[0], lambda: self._model.embed(texts, query=True))

    def question(self, text: str) -> Any:
        """Returns the vectors of a question's tokens, see the model."""
        return self._once(text, lambda: self._model.question(text))

    def _once(self, text: str, compute: Callable[[], Any]) -> Any:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        found = compute()
        self.keep(text, found)
        return found

    def keep(self, text: str, found: Any) -> None:
        """Keeps what the model gives for a text."""
        with self._lock:
            self._known[text] = found
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
