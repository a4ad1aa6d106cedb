"""The folder of a fine-tuned model: the model, its tokenizer, and what it is.

embedder-X/model.onnx       X is the beginning of its SHA-256
embedder-X/tokenizer.json   that of the model it was trained from
embedder-X/config.json      heads of the attention
embedder-X/embedder.json    checksums, judgement, and how it was made

An encoder of token vectors is `token-encoder-X`, with `projection.npy` and `token-encoder.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.embedder import sha256_of, weights_folder
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.settings.records import EmbeddingSettings
from hdlgraph.train.full.encoder import Shape

PREFIX = "Represent this sentence for searching relevant passages: "
"""Of the embedded model; that of another is in the settings."""
BYTES = 1_000_000_000


def base_settings(settings: EmbeddingSettings) -> EmbeddingSettings:
    """Returns the settings by which the model of an index is a folder.

    Raises:
        UsageError: it is an endpoint or none, whose weights are not here.
        WeightsMissingError: the embedded weights are missing.
    """
    if settings.provider == "embedded":
        path = str(weights_folder())
        return replace(
            settings, provider="onnx", path=path, dim=384, pooling="cls", query_prefix=PREFIX
        )
    if settings.provider != "onnx":
        raise UsageError(
            f"embedding.provider is {settings.provider}: only a model that runs here can be "
            "fine-tuned; set it to embedded or onnx"
        )
    return settings


def model_file(folder: Path) -> Path:
    """Returns the model of a folder."""
    plain = folder / "model.onnx"
    return plain if plain.is_file() else folder / "onnx" / "model.onnx"


def shape_of(folder: Path, pooling: str) -> Shape:
    """Returns what config.json says of a model.

    Raises:
        UsageError: it says nothing that can be used.
    """
    path = folder / "config.json"
    try:
        config = json.loads(read_regular(path, 1_000_000))
        heads = int(config["num_attention_heads"])
        epsilon = float(config.get("layer_norm_eps", 1e-12))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{path}: num_attention_heads cannot be read ({error}); put the config.json of the "
            "model there"
        ) from error
    return Shape(heads, epsilon, pooling)


def write_folder(out: Path, kind: str, files: Mapping[str, bytes], about: str) -> Path:
    """Writes the files of a model, `model.onnx` among them; returns the new folder.

    Args:
        out: where the folder goes.
        kind: the beginning of its name.
        files: contents by name.
        about: the file that says what the model is: removed, and told again when it was judged.

    Raises:
        UsageError: the folder cannot be written.
    """
    digest = hashlib.sha256(files["model.onnx"]).hexdigest()
    folder = out / f"{kind}-{digest[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / about).unlink(missing_ok=True)
        for name, data in files.items():
            write_atomic(folder / name, data)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be written ({error.strerror or error}); name another folder with "
            "--out"
        ) from error
    return folder


def file_of(base: Path, name: str) -> bytes:
    """Returns a file of the folder that a model was trained from.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return read_regular(base / name, BYTES)
    except OSError as error:
        raise UsageError(f"{base / name}: cannot be read ({error.strerror or error})") from error


def write_about(folder: Path, name: str, files: Sequence[str], about: Mapping[str, Any]) -> None:
    """Writes what a model is beside it, with the checksums of the files that it is loaded from."""
    sums = {one: sha256_of(folder / one) for one in files}
    text = json.dumps({"schema": 1, "sha256": sums, **about}, indent=1, sort_keys=True)
    write_atomic(folder / name, text.encode() + b"\n")
