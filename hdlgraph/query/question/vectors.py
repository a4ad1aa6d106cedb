"""The vectors of a question, computed by the models while its words are counted."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property

import numpy as np

from hdlgraph.errors import EndpointError
from hdlgraph.query.index_view import IndexView


class QuestionVectors:
    """Starts the models of an index on a question; their results are waited for when asked for.

    Args:
        text: the question.
        index: what is searched.
    """

    def __init__(self, text: str, index: IndexView) -> None:
        self._notes = [index.encoder_note] if index.encoder_note else []
        self._text = text
        self._index = index
        self._sentence: Future[np.ndarray] | None = None
        self._tokens: Future[np.ndarray] | None = None
        embedder, encoder = index.embedder, index.encoder
        if embedder is not None:
            self._sentence = index.part(_threads).submit(embedder.embed, [text], query=True)
        if encoder is not None:
            self._tokens = index.part(_threads).submit(encoder.question, text)

    @cached_property
    def sentence(self) -> np.ndarray | None:
        """Returns the vector of the whole question, or None without an embedder that answers."""
        if self._sentence is None:
            self._notes.append(self._index.embedder_note)
            return None
        try:
            return self._sentence.result()[0]
        except EndpointError as error:
            self._notes.append(f"searched by words only: {error}")
            return None

    def of(self, text: str) -> np.ndarray | None:
        """Returns the vector of another text instead of the question, None without an embedder."""
        embedder = self._index.embedder
        if text == self._text or embedder is None:
            return self.sentence
        vector: np.ndarray = embedder.embed([text], query=True)[0]
        return vector

    @cached_property
    def tokens(self) -> np.ndarray | None:
        """Returns the vectors of the question's tokens, or None without an encoder."""
        return None if self._tokens is None else self._tokens.result()

    @property
    def notes(self) -> list[str]:
        """Returns what a reader should know of vectors that are missing."""
        self.sentence  # noqa: B018  # waits for it
        return self._notes


def _threads(index: IndexView) -> ThreadPoolExecutor:  # noqa: ARG001
    """Returns two threads that wait between searches: to start one costs milliseconds."""
    return ThreadPoolExecutor(2, thread_name_prefix="embed")
