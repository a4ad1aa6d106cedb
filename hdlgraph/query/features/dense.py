"""Meaning: how near the vector of the question is to those of a file's surfaces."""

from __future__ import annotations

import numpy as np

from hdlgraph.query.features.feature import Asked, Scores
from hdlgraph.store.surfaces import KINDS, StoredSurfaces


class NearestSurface:
    """Scores files by the cosine of their nearest surface of each kind."""

    name = "dense"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the parts head, purpose and behaviour, of the kinds that the index has.

        A file without a surface of a kind counts as the farthest file that was compared.
        """
        surfaces, vector = asked.index.surfaces, asked.vectors.sentence
        if surfaces is None or surfaces.vectors is None or vector is None:
            return None
        cosines = surfaces.vectors.similarity(asked.index.trained.question(vector))
        raw, rows = {}, {}
        for kind in KINDS:
            score, row = best(surfaces, cosines, kind, asked.n_files)
            missing = np.isnan(score)
            if missing.all():
                continue
            score[missing] = float(np.nanmin(score))
            raw[kind], rows[kind] = score, row
        return Scores(asked.weighted(raw), raw, rows)


def best(
    surfaces: StoredSurfaces, cosines: np.ndarray, kind: str, n_files: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns each file's best surface of a kind: (cosine or NaN, row or -1)."""
    compared = (surfaces.kind == KINDS.index(kind)) & ~np.isnan(cosines)
    rows = np.flatnonzero(compared)
    score = np.full(n_files, np.nan, np.float32)
    where = np.full(n_files, -1, np.int64)
    order = rows[np.argsort(cosines[rows], kind="stable")]
    score[surfaces.owner[order]] = cosines[order]
    where[surfaces.owner[order]] = order
    return score, where
