"""Meaning: how near the vector of the question is to those of a file's surfaces."""

from __future__ import annotations

import numpy as np

from hdlgraph.query.features.feature import Asked, Scores
from hdlgraph.store.surfaces import KINDS, StoredSurfaces


class Dense:
    """Scores files by the cosine of their nearest surface of each kind."""

    name = "dense"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the parts head, purpose and behaviour, of the kinds that the index has.

        A file without a surface of a kind counts as the file that is farthest.
        """
        surfaces, vector = asked.index.surfaces, asked.vectors.sentence
        if surfaces is None or vector is None:
            return None
        cosines = similarity(surfaces, vector)
        raw, rows = {}, {}
        for kind in KINDS:
            score, row = best(surfaces, cosines, kind, asked.n_files)
            missing = np.isnan(score)
            if missing.all():
                continue
            score[missing] = float(np.nanmin(score))
            raw[kind], rows[kind] = score, row
        return Scores(asked.weighted(raw), raw, rows)


def similarity(surfaces: StoredSurfaces, vector: np.ndarray) -> np.ndarray:
    """Returns the cosine of every surface with a vector of length 1, float32 (surfaces,)."""
    return np.asarray(surfaces.vectors @ vector.astype(np.float32))


def best(
    surfaces: StoredSurfaces, cosines: np.ndarray, kind: str, n_files: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns each file's best surface of a kind: (cosine or NaN, row or -1)."""
    rows = np.flatnonzero(surfaces.kind == KINDS.index(kind))
    score = np.full(n_files, np.nan, np.float32)
    where = np.full(n_files, -1, np.int64)
    order = rows[np.argsort(cosines[rows], kind="stable")]
    score[surfaces.owner[order]] = cosines[order]
    where[surfaces.owner[order]] = order
    return score, where
