"""An index whose vectors another model makes anew, beside the index itself.

The generation is copied into a folder that is removed afterwards; the index stays as it is.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.store import structures, surfaces
from hdlgraph.store.structures import StoredStructures, write_structures
from hdlgraph.store.surfaces import StoredSurfaces, write_surfaces
from hdlgraph.store.vectors.arrays import NAME as ARRAYS

if TYPE_CHECKING:
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher


@contextmanager
def reembedded(index: IndexView, embedder: Any) -> Iterator[tuple[Searcher, np.ndarray]]:
    """Yields a searcher by a model's vectors, and those of its texts, float32 (n, d)."""
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher

    with tempfile.TemporaryDirectory(prefix="hdlgraph-") as folder:
        copy = Path(folder, index.folder.name)
        shutil.copytree(index.folder, copy, ignore=shutil.ignore_patterns("*.lance", "vectors.npy"))
        rows = _surfaces(copy, embedder)
        _structures(copy, embedder)
        yield Searcher(IndexView(copy, lambda: embedder, lambda: index.encoder)), rows


def _surfaces(generation: Path, embedder: Any) -> np.ndarray:
    folder = generation / surfaces.FOLDER
    stored = StoredSurfaces(folder)
    rows = embedder.embed([one.text for one in stored.texts])
    models = replace(stored.models, embedder=embedder.name, dim=embedder.dim)
    write_surfaces(folder, stored.texts, rows, models, ARRAYS)
    return rows


def _structures(generation: Path, embedder: Any) -> None:
    stored = StoredStructures.find(generation)
    if stored is not None:
        rows = embedder.embed([what for _, what in stored.texts])
        write_structures(generation / structures.FOLDER, stored.texts, stored.links, rows)
