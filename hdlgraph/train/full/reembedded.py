"""An index whose vectors, or token vectors, another model makes anew, beside the index itself.

The generation is copied into a folder that is removed afterwards; the index stays as it is.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.index.embed.surfaces import passages_of
from hdlgraph.index.embed.token_vectors import write_passages
from hdlgraph.store import structures, surfaces
from hdlgraph.store.design.facts import read_facts
from hdlgraph.store.structures import StoredStructures, write_structures
from hdlgraph.store.surfaces import StoredSurfaces, write_vectors
from hdlgraph.store.vectors.arrays import NAME as ARRAYS

if TYPE_CHECKING:
    from hdlgraph.index.embed.token_vectors import TokenEncoder
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher


@contextmanager
def reencoded(index: IndexView, encoder: TokenEncoder) -> Iterator[Searcher]:
    """Yields a searcher by a model's token vectors."""
    with copied(index, "token_vectors*.npy") as copy:
        folder = copy / surfaces.FOLDER
        stored = StoredSurfaces(folder)
        write_passages(passages_of(stored.texts, read_facts(copy)), encoder, None, folder)
        models = replace(stored.models, token_vectors=encoder.name)
        write_vectors(folder, stored.kind, None, models)
        known = StoredStructures.find(copy)
        if known is not None:
            texts = [f"{name}: {what}" for name, what in known.texts]
            write_passages(texts, encoder, None, copy / structures.FOLDER)
        yield _searcher(copy, lambda: index.embedder, lambda: encoder)


@contextmanager
def reembedded(index: IndexView, embedder: Any) -> Iterator[tuple[Searcher, np.ndarray]]:
    """Yields a searcher by a model's vectors, and those of its texts, float32 (n, d)."""
    with copied(index, "*.lance", "vectors.npy") as copy:
        rows = _surfaces(copy, embedder)
        _structures(copy, embedder)
        yield _searcher(copy, lambda: embedder, lambda: index.encoder), rows


@contextmanager
def copied(index: IndexView, *without: str) -> Iterator[Path]:
    """Yields a copy of a generation without files of some names."""
    with tempfile.TemporaryDirectory(prefix="hdlgraph-") as folder:
        copy = Path(folder, index.folder.name)
        shutil.copytree(index.folder, copy, ignore=shutil.ignore_patterns(*without))
        yield copy


def _searcher(
    generation: Path, embedder: Callable[[], Any], encoder: Callable[[], Any]
) -> Searcher:
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher

    return Searcher(IndexView(generation, embedder, encoder))


def _surfaces(generation: Path, embedder: Any) -> np.ndarray:
    folder = generation / surfaces.FOLDER
    stored = StoredSurfaces(folder)
    rows = embedder.embed([one.text for one in stored.texts])
    models = replace(stored.models, embedder=embedder.name, dim=embedder.dim)
    write_vectors(folder, stored.kind, rows, models, ARRAYS)
    return rows


def _structures(generation: Path, embedder: Any) -> None:
    stored = StoredStructures.find(generation)
    if stored is not None:
        rows = embedder.embed([what for _, what in stored.texts])
        write_structures(generation / structures.FOLDER, stored.texts, stored.links, rows)
