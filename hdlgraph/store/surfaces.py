"""Writes and reads the surfaces, the texts that are embedded: the folder `surfaces/`.

s = surfaces, d = dimension of the embedder:

    surfaces.msgpack  s x [file number, kind, line, text], grouped by file in path order
    owner.npy         int32 (s,) file number         kind.npy  uint8 (s,) index into KINDS
    vectors.npy       float32 (s, d), rows of length 1; absent without an embedder
    vectors.lance/    the same as a table of LanceDB, where `embedding.store` takes that
    token_vectors.npy, token_vectors_ptr.npy         see `hdlgraph.store.token_vectors`
    meta.json         {"embedder": name or "", "dim": d, "count": s, "token_vectors": name}

`embedder` names the model of the vectors, `token_vectors` that of the token vectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.errors import IndexDamagedError
from hdlgraph.safety.npy import read_array
from hdlgraph.store.packed.slices import Slices
from hdlgraph.store.vectors.choose import AUTO, WRITERS, chosen, find_store

FOLDER, TEXTS = "surfaces", "surfaces.msgpack"
REMEDY = "run `hdlgraph index --fresh`"
KINDS = ("head", "purpose", "behaviour")


class Surface(msgspec.Struct, frozen=True, array_like=True):
    """A text of file number `file` at `line` (1-based)."""

    file: int
    kind: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Models:
    """Names of the models that made the vectors, "" where there are none, and the dimension."""

    embedder: str = ""
    dim: int = 0
    token_vectors: str = ""


def make_folder(generation: Path) -> Path:
    """Creates the folder of the surfaces in a generation's folder and returns it."""
    folder = generation / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_texts(slices: Slices, surfaces: Callable[[int], Sequence[Surface]]) -> np.ndarray:
    """Writes surfaces, grouped by file; returns the kind of each, as `kind.npy` has it.

    Args:
        slices: of the generation, in the order of the files.
        surfaces: gives those of a file by its number.
    """
    encode = msgspec.msgpack.Encoder().encode
    made: list[int] = []

    def items(number: int) -> list[bytes]:
        found = surfaces(number)
        made.extend(KINDS.index(one.kind) for one in found)
        return [encode(one) for one in found]

    name = f"{FOLDER}/{TEXTS}"
    pieces = slices.write(name, items)
    fresh, parts = np.asarray(made, np.uint8), []
    former = _former_kinds(slices)
    for piece in pieces:
        taken = piece.end > piece.first
        count = len(piece.lengths)
        parts.append(former[piece.first : piece.end] if taken else fresh[:count])
        fresh = fresh if taken else fresh[count:]
    kinds = np.concatenate(parts) if parts else fresh
    counts = slices.counts(name)
    if len(kinds) != counts.sum():
        raise IndexDamagedError(f"{slices.folder}: kinds of surfaces do not fit: {REMEDY}")
    folder = slices.folder / FOLDER
    np.save(folder / "owner.npy", np.repeat(np.arange(len(counts), dtype=np.int32), counts))
    np.save(folder / "kind.npy", kinds)
    return kinds


def _former_kinds(slices: Slices) -> np.ndarray:
    """Returns the kinds of the former generation's surfaces; none where it does not say."""
    if slices.former is not None:
        with suppress(OSError, ValueError):
            return read_array(slices.former.folder / FOLDER / "kind.npy")
    return np.zeros(0, np.uint8)


def write_vectors(
    folder: Path, kinds: np.ndarray, vectors: np.ndarray | None, models: Models, store: str = AUTO
) -> None:
    """Writes the vectors of surfaces of some kinds, where there are any, and who made them."""
    if vectors is not None:
        WRITERS[chosen(store, len(kinds))](folder, vectors, kinds)
    meta = {
        "embedder": models.embedder,
        "dim": models.dim,
        "count": len(kinds),
        "token_vectors": models.token_vectors,
    }
    (folder / "meta.json").write_text(json.dumps(meta, sort_keys=True), encoding="utf-8")


class StoredSurfaces:
    """The surfaces of one generation.

    `owner` is the file number of each surface, `kind` its kind as an index into KINDS; `vectors` is
    the store of their vectors, None without an embedder.

    Args:
        folder: the folder of the surfaces.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        encoder = str(meta.get("token_vectors") or "")
        self.models = Models(str(meta["embedder"]), meta["dim"], encoder)
        self.owner = read_array(folder / "owner.npy")
        self.kind = read_array(folder / "kind.npy")
        self.vectors = find_store(folder) if self.models.embedder else None

    @classmethod
    def find(cls, generation: Path) -> StoredSurfaces | None:
        """Returns the surfaces of a generation's folder, or None where it has none."""
        folder = generation / FOLDER
        return cls(folder) if (folder / "meta.json").is_file() else None

    @cached_property
    def texts(self) -> list[Surface]:
        """Returns the surfaces in the order of the rows."""
        data = (self.folder / TEXTS).read_bytes()
        return msgspec.msgpack.decode(data, type=list[Surface])
