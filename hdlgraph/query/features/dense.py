"""Reads the surfaces of one generation and scores files by their nearest ones."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

KINDS = ("head", "purpose", "behaviour")


class SurfaceText(msgspec.Struct, frozen=True, array_like=True):
    """A surface as stored: file number, kind, line (1-based), text."""

    file: int
    kind: str
    line: int
    text: str


class Vectors:
    """Surface vectors, memory-mapped; `usable` is False when the index was built without them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        self.owner = np.load(folder / "owner.npy")
        self.kind = np.load(folder / "kind.npy")
        self.usable = bool(self.meta["embedder"]) and (folder / "vectors.npy").is_file()

    @cached_property
    def matrix(self) -> np.ndarray:
        """Returns the vectors, float32 (surfaces, dim), rows L2-normalised."""
        return np.load(self.folder / "vectors.npy", mmap_mode="r").view(np.ndarray)

    @cached_property
    def texts(self) -> list[SurfaceText]:
        """Returns the surfaces in the order of the rows."""
        data = (self.folder / "surfaces.msgpack").read_bytes()
        return msgspec.msgpack.decode(data, type=list[SurfaceText])

    def similarity(self, query: np.ndarray) -> np.ndarray:
        """Returns the cosine of every surface with a normalised query vector, float32."""
        return np.asarray(self.matrix @ query.astype(np.float32))

    def best(
        self, similarity: np.ndarray, kind: str, n_files: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns each file's best surface of a kind: (cosine or NaN, row or -1)."""
        rows = np.flatnonzero(self.kind == KINDS.index(kind))
        score = np.full(n_files, np.nan, np.float32)
        where = np.full(n_files, -1, np.int64)
        order = rows[np.argsort(similarity[rows], kind="stable")]
        score[self.owner[order]] = similarity[order]
        where[self.owner[order]] = order
        return score, where

    def summary(self, number: int) -> str:
        """Returns what a file is for: the first sentence of its explanation's purpose."""
        first = int(np.searchsorted(self.owner, number))
        for row in range(first, min(first + 40, len(self.owner))):
            if self.owner[row] != number:
                break
            if KINDS[self.kind[row]] == "purpose":
                return self.texts[row].text.split(". ")[0][:240]
        return ""
