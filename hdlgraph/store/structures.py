"""Writes and reads which well-known structures the files of a repository are: `structures/`.

r = descriptions, n = links, d = dimension of the embedder:

    texts.msgpack   r x [structure's name, description], sorted
    ptr.npy         int64 (r + 1)    files.npy int32 (n,)    strengths.npy float32 (n,)
    claims.npy      bool (n,), whether the file may be called that structure
    vectors.npy     float32 (r, d), of the descriptions; absent without an embedder
    token_vectors.npy, token_vectors_ptr.npy   see `hdlgraph.store.token_vectors`

The files of description x are those from ptr[x] to ptr[x + 1], each with its strength, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.safety.npy import read_array
from hdlgraph.store.token_vectors import StoredTokenVectors

FOLDER = "structures"
Text = tuple[str, str]
"""A structure's name, and one description of it."""


@dataclass(frozen=True, slots=True)
class Links:
    """Files that are the structure of each description: how much, and whether one may say so."""

    pointers: np.ndarray
    files: np.ndarray
    strengths: np.ndarray
    claims: np.ndarray

    def of(self, description: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns (files int32, strengths float32, claims bool) of a description's number."""
        span = slice(self.pointers[description], self.pointers[description + 1])
        return self.files[span], self.strengths[span], self.claims[span]


def make_folder(generation: Path) -> Path:
    """Creates the folder of the structures in a generation's folder and returns it."""
    folder = generation / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_structures(
    folder: Path, texts: Sequence[Text], links: Links, vectors: np.ndarray | None
) -> None:
    """Writes descriptions, their files, and their vectors where there are any."""
    (folder / "texts.msgpack").write_bytes(msgspec.msgpack.encode(texts))
    np.save(folder / "ptr.npy", links.pointers.astype(np.int64))
    np.save(folder / "files.npy", links.files.astype(np.int32))
    np.save(folder / "strengths.npy", links.strengths.astype(np.float32))
    np.save(folder / "claims.npy", links.claims.astype(bool))
    if vectors is not None:
        np.save(folder / "vectors.npy", vectors.astype(np.float32, copy=False))


class StoredStructures:
    """The structures of one generation.

    `texts`: (name, description), sorted; `vectors` and `token_vectors` are those of the
    descriptions, None where there are none.
    """

    def __init__(self, folder: Path) -> None:
        data = (folder / "texts.msgpack").read_bytes()
        self.texts = msgspec.msgpack.decode(data, type=list[Text])
        arrays = (
            read_array(folder / f"{name}.npy") for name in ("ptr", "files", "strengths", "claims")
        )
        self.links = Links(*arrays)
        vectors = folder / "vectors.npy"
        self.vectors = read_array(vectors) if vectors.is_file() else None
        self.token_vectors = StoredTokenVectors.find(folder)

    @classmethod
    def find(cls, generation: Path) -> StoredStructures | None:
        """Returns the structures of a generation's folder, or None where it has none."""
        folder = generation / FOLDER
        return cls(folder) if folder.is_dir() else None
