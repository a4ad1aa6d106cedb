"""An approximate index of a table of LanceDB: how many of its cells a search looks into.

LanceDB divides the vectors into cells, each around a centre (IVF), and a search compares only the
vectors of the cells whose centres are nearest; these it compares exactly, so that what is found has
the scores that an exact search gives it. How many cells are enough is measured when the table is
written: a search for some of its own texts, moved half way to others, as questions lie between
texts and not on them, has to find WANTED of their TOP nearest.

LanceDB chooses the centres by chance: another index of the same vectors may have other cells, the
same index gives the same rows again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.store.vectors.probing import Probing, write_probing

LEAST = 20_000
"""Vectors from which cells pay; a smaller table is compared as a whole."""
TOP, ASKED, WANTED = 50, 64, 0.995
SHARES = (0.04, 0.08, 0.12, 0.2, 0.3, 0.5, 1.0)
"""Shares of the cells that are tried, until one finds WANTED."""
ROUNDS, SAMPLE = 15, 64
"""Rounds of k-means, and vectors of each cell that it looks at."""


def build(table: Any, vectors: np.ndarray, folder: Path) -> Probing:
    """Divides a table into cells and writes how many of them a search looks into."""
    from lancedb.index import IvfFlat

    cells = round(len(vectors) ** 0.5)
    config = IvfFlat(
        distance_type="dot", num_partitions=cells, max_iterations=ROUNDS, sample_rate=SAMPLE
    )
    table.create_index("vector", config=config)
    found = _enough(table, vectors, cells)
    write_probing(folder, found)
    return found


def _enough(table: Any, vectors: np.ndarray, cells: int) -> Probing:
    """Returns the fewest cells among SHARES that find WANTED."""
    asked = between(vectors)
    wanted = [exact(vectors, question) for question in asked]
    found = Probing(cells, cells, 1.0, TOP, len(asked))
    for share in SHARES:
        probes = max(1, round(share * cells))
        rows = [nearest(table, question, TOP, probes)[0] for question in asked]
        both = zip(rows, wanted, strict=True)
        recall = float(np.mean([len(np.intersect1d(r, w)) / len(w) for r, w in both]))
        found = Probing(cells, probes, round(recall, 4), TOP, len(asked))
        if recall >= WANTED:
            break
    return found


def between(vectors: np.ndarray, count: int = ASKED) -> np.ndarray:
    """Returns vectors half way between rows far apart, float32 (count, dim) of length 1."""
    rows = np.linspace(0, len(vectors) - 1, count + 1).astype(int)
    middle = vectors[rows[:-1]] + vectors[rows[1:]]
    lengths = np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-6)
    return np.asarray(middle / lengths, np.float32)


def exact(vectors: np.ndarray, question: np.ndarray, count: int = TOP) -> np.ndarray:
    """Returns the rows nearest to a question, nearest first, ties by row."""
    cosines = vectors @ question
    count = min(count, len(cosines))
    rows = np.argpartition(-cosines, count - 1)[:count]
    return rows[np.lexsort((rows, -cosines[rows]))]


def nearest(
    table: Any, question: np.ndarray, count: int, probes: int, group: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (rows, cosines) of the nearest vectors, nearest first, ties by row.

    Args:
        table: a table of LanceDB with the columns row, kind and vector.
        question: a vector of length 1.
        count: how many rows.
        probes: cells that are looked into; 0 compares all vectors.
        group: only rows of this kind.
    """
    query = table.search(question.astype(np.float32)).distance_type("dot").limit(count)
    query = query.nprobes(probes) if probes else query.bypass_vector_index()
    if group is not None:
        query = query.where(f"kind = {group}", prefilter=True)
    near = query.select(["row", "_distance"]).to_arrow()
    rows = near["row"].to_numpy(zero_copy_only=False)
    # The distance "dot" is 1 - the product.
    cosines = 1 - near["_distance"].to_numpy(zero_copy_only=False)
    order = np.lexsort((rows, -cosines))
    return rows[order], cosines[order]
