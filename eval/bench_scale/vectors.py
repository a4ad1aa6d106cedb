"""Vectors as many copies of real designs have them, without embedding each of their texts.

Real vectors are those of indexes of real designs. For some of their texts the text of a copy
(`rewording.py`) is embedded as well: the differences say how far, and in which directions, a text
of a copy lies from the original. A synthetic vector is a real one with such a difference of another
text of the same kind added, at length 1. So clusters, kinds and distances are those of real texts,
and no vector stands twice. Questions are those of the open sets, embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.eval.bench_scale.renaming import renamings
from hdlgraph.eval.bench_scale.rewording import Rewording
from hdlgraph.eval.bench_scale.searching import questions_of
from hdlgraph.eval.bench_scale.sources import Designs
from hdlgraph.index.embed.embedder import Embedder

PAIRS = 600
"""Texts of which that of a copy is embedded too."""
COPIES = 6
SHARES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Real:
    """Vectors of real texts: float32 (n, dim) of length 1, the kind of each, and the texts."""

    vectors: np.ndarray
    kinds: np.ndarray
    texts: list[str]


def read_real(indexes: Sequence[Path]) -> Real:
    """Returns the different vectors of the newest generations of these indexes.

    Raises:
        UsageError: an index has no vectors.
    """
    from hdlgraph.store.folder import Store
    from hdlgraph.store.surfaces import StoredSurfaces

    vectors, kinds, texts = [], [], []
    for folder in indexes:
        store = Store(folder)
        surfaces = StoredSurfaces.find(store.generation(store.manifest()))
        if surfaces is None or surfaces.vectors is None:
            raise UsageError(f"{folder}: has no vectors; index with embeddings first")
        vectors.append(np.asarray(surfaces.vectors.rows(), np.float32))
        kinds.append(surfaces.kind)
        texts += [surface.text for surface in surfaces.texts]
    found = np.concatenate(vectors)
    _, first = np.unique(found.round(4), axis=0, return_index=True)
    first.sort()
    return Real(found[first], np.concatenate(kinds)[first], [texts[row] for row in first])


def differences(
    real: Real, designs: Designs, embedder: Embedder, seed: int
) -> dict[int, np.ndarray]:
    """Returns, by kind, the vectors of texts of copies less those of the originals."""
    chance = np.random.default_rng(seed)
    rows = np.sort(chance.choice(len(real.texts), min(PAIRS, len(real.texts)), replace=False))
    n_designs = len({source.design for source in designs.sources})
    names = renamings(designs.words, n_designs, designs.n_hdl, seed)
    next(names)
    copies = [Rewording(next(names), f"{seed} {copy}") for copy in range(1, COPIES)]
    texts = [copies[at % len(copies)].prose(real.texts[row]) for at, row in enumerate(rows)]
    moved = embedder.embed(texts) - real.vectors[rows]
    return {int(kind): moved[real.kinds[rows] == kind] for kind in np.unique(real.kinds[rows])}


def synthetic(
    real: Real, moves: dict[int, np.ndarray], count: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (vectors, kinds) of `count` texts: the real ones first, then those of copies."""
    chance = np.random.default_rng(seed)
    vectors = np.empty((count, real.vectors.shape[1]), np.float32)
    kinds = np.empty(count, np.uint8)
    size = len(real.vectors)
    for start in range(0, count, size):
        end = min(count, start + size)
        block = real.vectors[: end - start].copy()
        kinds[start:end] = real.kinds[: end - start]
        for kind, found in moves.items() if start else ():
            mine = np.flatnonzero(kinds[start:end] == kind)
            block[mine] += found[chance.integers(0, len(found), len(mine))]
        vectors[start:end] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return vectors, kinds


def questions(embedder: Embedder, count: int) -> np.ndarray:
    """Returns vectors of questions of the open sets, float32 (count, dim)."""
    return np.asarray(embedder.embed(questions_of(count), query=True), np.float32)


def nearest_cosines(vectors: np.ndarray, count: int = 500) -> list[float]:
    """Returns quantiles (SHARES) of the cosine of a vector and the one nearest to it.

    It says how thickly vectors lie; of as many vectors of another set it should be the same.
    """
    rows = np.linspace(0, len(vectors) - 1, min(count, len(vectors))).astype(int)
    cosines = vectors[rows] @ vectors.T
    cosines[np.arange(len(rows)), rows] = -1
    return [round(float(v), 3) for v in np.quantile(cosines.max(axis=1), SHARES)]


def dimensions(vectors: np.ndarray) -> float:
    """Returns how many directions the vectors spread in, the participation ratio of variances.

    Source: Gao et al., A theory of multineuronal dimensionality, 2017.
    """
    values = np.linalg.eigvalsh(np.cov(vectors[:20_000].T))
    return round(float(values.sum() ** 2 / (values**2).sum()), 1)
