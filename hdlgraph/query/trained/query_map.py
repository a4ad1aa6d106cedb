"""Maps the vectors of questions by a trained matrix; the vectors of an index stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.store.trained.folder import read_trained, read_weights

if TYPE_CHECKING:
    import numpy as np

MATRIX = "map"
"""Name of the matrix among the weights of a map."""


class MappedEmbedder:
    """An embedder whose questions are mapped; it keeps the name of its vectors.

    Args:
        embedder: makes the vectors.
        matrix: float32 (dim, dim).
    """

    def __init__(self, embedder: Any, matrix: np.ndarray) -> None:
        self.name: str = embedder.name
        self.dim: int = embedder.dim
        self._embedder = embedder
        self._matrix = matrix

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1; `query` marks questions."""
        rows = self._embedder.embed(texts, query=query)
        return mapped(rows, self._matrix) if query else rows


def mapped(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Returns vectors (n, d) or one (d,) after a map (d, d), each of length 1 again."""
    import numpy as np

    out = rows @ matrix.T
    return out / np.maximum(np.linalg.norm(out, axis=-1, keepdims=True), np.float32(1e-9))


def read_map(folder: str, kind: str, embedder: Any) -> np.ndarray | None:
    """Returns the map that a folder has for an embedder, None where it has none in use.

    Args:
        folder: of trained models, "" for none.
        kind: of the map, see `hdlgraph.store.trained.folder.KINDS`.
        embedder: made the vectors of the index; None for an index without.

    Raises:
        WeightsMissingError: the folder cannot be used, or its map is for another embedder.
    """
    if not folder or embedder is None:
        return None
    place = Path(folder).expanduser()
    model = read_trained(place).models.get(kind)
    if model is None or not model.better:
        return None
    if model.embedder != embedder.name:
        raise WeightsMissingError(
            f"{place}: its {kind} was trained for vectors of {model.embedder}, and those here are "
            f"of {embedder.name}; train it again"
        )
    matrix = read_weights(place, kind, model).get(MATRIX)
    if matrix is None or matrix.shape != (embedder.dim, embedder.dim):
        raise WeightsMissingError(f"{place}: its {kind} has no matrix of {embedder.dim} rows")
    return matrix
