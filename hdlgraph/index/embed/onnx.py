"""Runs an embedding model with onnxruntime; the only importer of onnxruntime and tokenizers."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed.opened import OpenModel, open_once
from hdlgraph.safety.telemetry import LATE

if TYPE_CHECKING:
    import numpy as np

QUERY_TOKENS = 256
CHUNK = 2048


class OnnxEmbedder:
    """A transformer of the BERT kind as ONNX; loaded at the first call of `embed`.

    Each text runs alone: an int8 model scales its activations by the largest value of the whole
    batch, so that in a batch a text's vector would depend on its neighbours. Threads share one
    session, which on two cores is 1.6 times as fast as two threads inside the session.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str,
        dim: int,
        pooling: str,
        query_prefix: str,
        max_tokens: int,
        threads: int = 0,
    ) -> None:
        self.name = name
        self.dim = dim
        self._model = model
        self._tokenizer_file = tokenizer
        self._pooling = pooling
        self._prefix = query_prefix
        self._max_tokens = max_tokens
        self._threads = threads or usable_cores()
        self._tokenizing = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1.

        Args:
            texts: passages, cut at `max_tokens`, or questions, cut at 256 tokens.
            query: whether the texts are questions, which get the model's prefix.
        """
        import numpy as np

        out = np.zeros((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), CHUNK):
            chunk = list(texts[start : start + CHUNK])
            out[start : start + len(chunk)] = self._embed_chunk(chunk, query)
        return out

    def _embed_chunk(self, texts: list[str], query: bool) -> np.ndarray:
        """Returns the vectors of some texts, float32 (texts, dim), of length 1."""
        import numpy as np

        from hdlgraph.index.embed.unit_length import normalised

        unique = sorted(set(texts))
        place = {text: i for i, text in enumerate(unique)}
        ids = self._tokens([self._prefix + text for text in unique] if query else unique, query)
        # Longest first, so that the threads end together and the arena grows only once.
        order = sorted(range(len(unique)), key=lambda i: (-len(ids[i]), i))
        rows = np.zeros((len(unique), self.dim), np.float32)
        opened = self._opened

        def run(i: int) -> np.ndarray:
            if not query:
                return self._run(opened.session, ids[i])
            key = (self._tokenizer_file, self._pooling, tuple(ids[i]))
            return opened.question(key, lambda: self._run(opened.session, ids[i]))

        if self._threads == 1 or len(unique) == 1:
            for i in order:
                rows[i] = run(i)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                for i, row in zip(order, pool.map(run, order), strict=True):
                    rows[i] = row
        return normalised(rows)[[place[text] for text in texts]]

    def _tokens(self, texts: list[str], query: bool) -> list[list[int]]:
        limit = QUERY_TOKENS if query else self._max_tokens
        # A token spans few characters: cutting first keeps a huge text from being tokenised.
        # Lone surrogates (undecodable bytes of a file) are no UTF-8 and would raise.
        clipped = [text[: limit * 32].encode("utf-8", "replace").decode() for text in texts]
        with self._tokenizing:  # no thread may set a limit while another one reads by its own
            tokenizer = self._tokenizer
            if (tokenizer.truncation or {}).get("max_length") != limit:
                tokenizer.enable_truncation(max_length=limit)
            return [encoding.ids for encoding in tokenizer.encode_batch(clipped)]

    def _run(self, session: Any, ids: list[int]) -> np.ndarray:
        import numpy as np

        row = np.asarray([ids], np.int64)
        values = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        }
        output = session.run(None, {name: values[name] for name in self._inputs})[0][0]
        if output.ndim == 1:
            return output
        return output[0] if self._pooling == "cls" else output.mean(axis=0)

    @cached_property
    def _tokenizer(self) -> Any:
        return open_tokenizer(self._tokenizer_file)

    @cached_property
    def _opened(self) -> OpenModel:
        opened = open_once(self._model, open_session)
        width = opened.session.get_outputs()[0].shape[-1]
        if isinstance(width, int) and width != self.dim:
            raise WeightsMissingError(
                f"embedding model {self._model} gives vectors of length {width}; set "
                f"embedding.dim to {width}"
            )
        return opened

    @cached_property
    def _inputs(self) -> tuple[str, ...]:
        known = {"input_ids", "attention_mask", "token_type_ids"}
        return tuple(i.name for i in self._opened.session.get_inputs() if i.name in known)


def open_tokenizer(file: Path) -> Any:
    """Returns a tokenizer that pads nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    return tokenizer


def open_session(model: Path) -> Any:
    """Returns a session of one thread; several threads may share it.

    Raises:
        WeightsMissingError: the file is no model that onnxruntime can load.
    """
    import onnxruntime

    if LATE:  # loaded before hdlgraph: its telemetry is on, but it need not tell of our models
        onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise WeightsMissingError(
            f"embedding model {model} cannot be loaded ({error}); put a valid ONNX model there"
        ) from error


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
