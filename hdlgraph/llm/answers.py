"""Keeps the answers of models on disk, so that the same question is not paid for twice."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import msgspec

from hdlgraph.errors import HdlgraphError
from hdlgraph.llm.call import Completion, Usage
from hdlgraph.store.cache import Cache

NAMESPACE = "answer"


class _Answer(msgspec.Struct, array_like=True):
    """A completion as stored; `spent` is what it cost when it was asked."""

    text: str
    model: str
    finish: str
    spent: tuple[int, int]


class AnswerStore:
    """Completions by the digest of their calls; nothing is ever dropped.

    An answer survives a kill of the process from the moment `put` returns. A file that is no
    database is moved aside (`.damaged`), not removed, and what can be read of it is taken over: it
    was paid for.

    Raises:
        sqlite3.Error: the file cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._cache = Cache(path, keep=True)
        self._lock = threading.Lock()  # one connection, maybe several threads

    def get(self, digest: str) -> Completion | None:
        """Returns the stored answer, marked `stored` and with the usage of one stored call."""
        answer = self._read(digest)
        if answer is None:
            return None
        return Completion(
            text=answer.text,
            model=answer.model,
            finish=answer.finish,
            usage=Usage(stored=1),
            stored=True,
        )

    def put(self, digest: str, completion: Completion) -> None:
        """Stores an answer.

        Raises:
            HdlgraphError: the file cannot be written; asking on would pay for nothing.
        """
        used = (completion.usage.input_tokens, completion.usage.output_tokens)
        answer = _Answer(completion.text, completion.model, completion.finish, used)
        try:
            with self._lock:
                self._cache.put_many(NAMESPACE, {digest: msgspec.msgpack.encode(answer)})
        except sqlite3.Error as error:
            raise HdlgraphError(
                f"cannot store an answer in {self.path}: {error}; what is stored stays, run again "
                "when there is room"
            ) from error

    def spent(self, digest: str) -> tuple[int, int] | None:
        """Returns the (input, output) tokens that an answer cost when it was asked."""
        answer = self._read(digest)
        return answer.spent if answer is not None else None

    def count(self) -> int:
        """Returns the number of answers."""
        return self._cache.count(NAMESPACE)

    def _read(self, digest: str) -> _Answer | None:
        with self._lock:
            data = self._cache.get_many(NAMESPACE, (digest,)).get(digest)
        try:
            return msgspec.msgpack.decode(data, type=_Answer) if data is not None else None
        except msgspec.DecodeError:
            return None

    def close(self) -> None:
        """Closes the file."""
        self._cache.close()
