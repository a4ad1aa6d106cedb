"""Embeds texts at an OpenAI-compatible endpoint, within limits of size and time."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.errors import EndpointError, UsageError
from hdlgraph.index.embed.unit_length import normalised

if TYPE_CHECKING:
    import numpy as np
    import openai

    from hdlgraph.llm.endpoint.retry import Failure
    from hdlgraph.settings.records import EmbeddingSettings, LlmSettings

TIMEOUT_S = 60.0  # without a byte; a question's whole answer may take as long
RETRIES = 4  # of one request to an endpoint
QUERY_RETRIES = 1  # of a question: somebody is waiting, and words alone find much
BACKOFF_S = 0.5  # before the first repetition; doubled each time
NUMBER_BYTES = 64  # of an answer for each number in it, blanks and all
MOST_LENGTH = 8192  # of a vector that is read at least, so that the right embedding.dim can be told
MOST_NUMBER = 1e6  # of a vector
OPENAI = "https://api.openai.com/v1"


class _Item(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Answer(msgspec.Struct):
    data: list[_Item]


class EndpointEmbedder:
    """Vectors from an OpenAI-compatible endpoint; the key comes from the environment.

    Args:
        embedding: model and dimension. The endpoint is `embedding.api_base` with the key in
            OPENAI_API_KEY; else that of the language model; else OPENAI_BASE_URL.
        llm: the language model's endpoint.

    Raises:
        UsageError: the address is not one, or its key is missing.
    """

    def __init__(self, embedding: EmbeddingSettings, llm: LlmSettings) -> None:
        from hdlgraph.llm.endpoint.endpoint import configured, find_endpoint

        self._llm = replace(llm, timeout_s=TIMEOUT_S, concurrency=1)
        if embedding.api_base or not configured(llm):
            self._llm = replace(
                self._llm, provider="openai", base_url=embedding.api_base, key_env=""
            )
        try:
            self._endpoint = find_endpoint(self._llm)
        except UsageError as error:
            raise UsageError(
                f"embedding.provider is openai: {error}; or name a local endpoint in "
                "embedding.api_base"
            ) from error
        self.base = self._endpoint.base_url
        known = "api.openai.com" if self.base == OPENAI else self.base
        self.name = f"{embedding.model}@{known}/{embedding.dim}"
        self.dim = embedding.dim
        self._model = embedding.model
        self._batch = embedding.batch
        self._prefix = embedding.query_prefix
        # A token is rarely under two characters: this only bounds what travels.
        self._chars = embedding.max_tokens * 8

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1.

        Raises:
            EndpointError: the endpoint fails after retries, or answers other vectors than asked.
            UsageError: it refuses the key, knows no such model, or its vectors have another
                length than `embedding.dim`.
        """
        import numpy as np

        from hdlgraph.llm.endpoint.bounds import Bounds, answer_s

        prefix = self._prefix if query else ""
        prepared = [(prefix + text)[: self._chars] or " " for text in texts]
        out = np.zeros((len(prepared), self.dim), np.float32)
        retries = QUERY_RETRIES if query else RETRIES
        numbers = max(self.dim, MOST_LENGTH) * self._batch + 1000
        most_s = TIMEOUT_S if query else answer_s(TIMEOUT_S)
        bounds = Bounds(most_s, numbers * NUMBER_BYTES, numbers, hint="")
        with self._endpoint.open(self._llm, bounds) as client:
            for start in range(0, len(prepared), self._batch):
                batch = prepared[start : start + self._batch]
                content = self._ask(client, batch, retries)
                out[start : start + len(batch)] = self._rows(content, len(batch))
        return normalised(out)

    def _ask(self, client: openai.OpenAI, batch: list[str], retries: int) -> bytes:
        """Returns the body of an answer; requests are repeated where that may help."""
        import httpx
        import openai

        from hdlgraph.llm.endpoint.retry import wait_s

        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        dice = random.Random(0)
        attempt = 0
        while True:
            try:
                answer = client.post("/embeddings", cast_to=httpx.Response, body=body)
                return answer.content
            except openai.OpenAIError as error:
                failure = self._meaning(error)
                if not failure.again or attempt >= retries:
                    raise self._failed(failure) from error
            time.sleep(failure.pause_s or wait_s(failure, attempt, BACKOFF_S, dice))
            attempt += 1

    def _rows(self, content: bytes, expected: int) -> np.ndarray:
        """Returns the vectors of an answer, float32 (expected, d), in the order of the texts."""
        import numpy as np

        try:
            items = msgspec.json.decode(content, type=_Answer).data
        except ValueError as error:  # no number is one that JSON has no word for, such as NaN
            raise self._error(f"answered no vectors ({str(error)[:100]})") from None
        if len(items) != expected:
            raise self._error(f"answered {len(items)} vectors for {expected} texts")
        items = sorted(items, key=lambda item: item.index)
        places = {item.index for item in items}
        if len(places) > 1 and places != set(range(expected)):
            raise self._error("numbers its vectors otherwise than the texts")
        sizes = {len(item.embedding) for item in items}
        if len(sizes) > 1:
            raise self._error(f"answered vectors of lengths {sorted(sizes)}")
        if sizes != {self.dim}:
            (length,) = sizes
            raise UsageError(
                f"embedding model {self._model} at {self._endpoint.label} gives vectors of length "
                f"{length}, embedding.dim is {self.dim}: set embedding.dim: {length}"
            )
        rows = np.asarray([item.embedding for item in items], np.float64)
        if not (np.abs(rows) <= MOST_NUMBER).all():
            raise self._error(f"answered numbers beyond {MOST_NUMBER:g}, which no model does")
        return rows.astype(np.float32)

    def _meaning(self, error: Exception) -> Failure:
        """Returns the error of hdlgraph that says the same as one of the openai library."""
        import openai

        from hdlgraph.llm.endpoint.retry import connection_failure, status_failure

        if isinstance(error, openai.APIStatusError):
            return status_failure(error, self._endpoint, self._model)
        return connection_failure(error, self._endpoint, TIMEOUT_S)

    def _failed(self, failure: Failure) -> EndpointError | UsageError:
        if failure.kind.user_must_mend:
            return UsageError(
                f"embedding model {self._model}: {failure.message}; correct embedding.model, "
                f"embedding.api_base or the key in {self._endpoint.key_env}"
            )
        return self._error(f"failed: {failure.message}")

    def _error(self, problem: str) -> EndpointError:
        return EndpointError(
            f"embedding endpoint {self.base} {problem}; check embedding.api_base and "
            "embedding.model, or set embedding.provider to embedded"
        )
