"""A folder of trained models: their weights, and a file that says what each is.

    trained.json              the models by kind, with checksum, provenance and judgement
    KIND-X.safetensors        the weights of one; X is the beginning of their SHA-256

A model is used only where the user's settings name the folder (`trained.path`): nothing that
came with a repository or an index can change a ranking.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.store.trained.tensors import pack, unpack

if TYPE_CHECKING:
    import numpy as np

FILES_MAP, SECTIONS_MAP, RERANKER = "files-map", "sections-map", "reranker"
KINDS = (FILES_MAP, SECTIONS_MAP, RERANKER)
"""A map of questions for files of the design, one for sections of documents, an order of files."""
MANIFEST, SCHEMA = "trained.json", 1
MANIFEST_LIMIT, LIMIT = 10_000_000, 64_000_000
"""Bytes of the largest manifest and of the largest weights that are read."""
REMEDY = "make it again with `hdlgraph train`, or correct trained.path"


class TrainedModel(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is.

    `embedder` is the model whose vectors a map takes, "" for others; `names` those of its inputs,
    in order. `better` says whether it was judged better than the search without it on questions
    that it was not trained on; another one is never used. `judged` and `made` tell how it was
    judged and made.
    """

    file: str
    sha256: str
    better: bool
    embedder: str = ""
    names: tuple[str, ...] = ()
    judged: dict[str, Any] = {}
    made: dict[str, Any] = {}


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """The models of a folder by kind."""

    schema: int = SCHEMA
    models: dict[str, TrainedModel] = {}


def read_trained(folder: Path) -> Trained:
    """Returns what a folder holds; nothing where it has no models yet.

    Raises:
        WeightsMissingError: its manifest cannot be used.
    """
    path = folder / MANIFEST
    try:
        data = read_regular(path, MANIFEST_LIMIT, follow=False)
        found = msgspec.json.decode(data, type=Trained)
    except FileNotFoundError:
        return Trained()
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsMissingError(f"{path}: cannot be used ({error}); {REMEDY}") from error
    if found.schema != SCHEMA:
        raise WeightsMissingError(f"{path}: is of version {found.schema}; {REMEDY}")
    return found


def read_weights(folder: Path, kind: str, model: TrainedModel) -> dict[str, np.ndarray]:
    """Returns the arrays of a model by name.

    Raises:
        WeightsMissingError: they are missing, or not those that were written.
    """
    if model.file != file_name(kind, model.sha256):
        raise WeightsMissingError(f"{folder / MANIFEST}: {kind} names no file of ours; {REMEDY}")
    path = folder / model.file
    try:
        data = read_regular(path, LIMIT, follow=False)
        if hashlib.sha256(data).hexdigest() != model.sha256:
            raise ValueError("its checksum is another")
        return unpack(data)
    except (OSError, ValueError) as error:
        raise WeightsMissingError(f"{path}: cannot be used ({error}); {REMEDY}") from error


def write_model(
    folder: Path, kind: str, arrays: dict[str, np.ndarray], **told: Any
) -> TrainedModel:
    """Writes a model into a folder, in place of one of its kind; returns what is kept of it.

    Args:
        folder: made where it is missing.
        kind: one of KINDS.
        arrays: its weights.
        **told: further fields of `TrainedModel`.

    Raises:
        UsageError: the folder cannot be written.
    """
    data = pack(arrays)
    sha256 = hashlib.sha256(data).hexdigest()
    model = TrainedModel(file=file_name(kind, sha256), sha256=sha256, **told)
    before = read_trained(folder)
    models = {**before.models, kind: model}
    done = Trained(models={name: models[name] for name in sorted(models)})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / model.file, data)
        manifest = msgspec.json.format(msgspec.json.encode(done), indent=1)
        write_atomic(folder / MANIFEST, manifest + b"\n")
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be written ({error.strerror or error}); name another folder with "
            "--out"
        ) from error
    former = before.models.get(kind)
    if former is not None and former.file == file_name(kind, former.sha256) != model.file:
        with suppress(OSError):
            (folder / former.file).unlink()
    return model


def file_name(kind: str, sha256: str) -> str:
    """Returns how the file of a model is called."""
    return f"{kind}-{sha256[:16]}.safetensors"
