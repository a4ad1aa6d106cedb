"""An approximate index of a table of LanceDB, and how many rows a search fetches from it.

LanceDB keeps one bit of each number of a vector, turned about at random (IVF_RQ), and a search
compares the bits of all vectors; the rows that it fetches are compared exactly, in the array beside
the table, so that they have the scores and the order that an exact search gives them. How many rows
are enough is measured when the table is written: a search for some of its own texts, moved half way
to others, as questions lie between texts and not on them, has to find WANTED of their TOP nearest.

LanceDB turns and divides the vectors by chance: another index of the same vectors may fetch other
rows, the same index fetches the same again.

Source: Gao and Long, RaBitQ, SIGMOD 2024.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.store.vectors.probing import Probing, write_probing

LEAST = 20_000
"""Vectors from which bits pay; a smaller table is compared as a whole."""
TOP, ASKED, WANTED = 50, 64, 0.995
FETCHED = (500, 1000, 2000, 4000, 8000)
"""Rows that are tried, until so many find WANTED."""
CELLS = 8
"""The root of the number of vectors holds so many cells; a search looks into all."""
ROUNDS, SAMPLE = 8, 32
"""Rounds of k-means, and vectors of each cell that it looks at."""


def build(table: Any, vectors: np.ndarray, folder: Path) -> Probing:
    """Makes the index of a table, and writes how many rows a search fetches."""
    from lancedb.index import IvfRq

    cells = max(1, round(len(vectors) ** 0.5 / CELLS))
    config = IvfRq(
        distance_type="dot", num_partitions=cells, max_iterations=ROUNDS, sample_rate=SAMPLE
    )
    table.create_index("vector", config=config)
    found = _enough(table, vectors, cells)
    write_probing(folder, found)
    return found


def _enough(table: Any, vectors: np.ndarray, cells: int) -> Probing:
    """Returns the fewest rows among FETCHED that find WANTED."""
    asked = between(vectors)
    wanted = [exact(vectors, question) for question in asked]
    found = Probing(cells, FETCHED[-1], 0.0, TOP, len(asked))
    for fetched in FETCHED:
        tried = Probing(cells, fetched, 0.0, TOP, len(asked))
        rows = [nearest(table, vectors, question, TOP, tried)[0] for question in asked]
        both = zip(rows, wanted, strict=True)
        recall = float(np.mean([len(np.intersect1d(r, w)) / len(w) for r, w in both]))
        found = Probing(cells, fetched, round(recall, 4), TOP, len(asked))
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
    table: Any, vectors: np.ndarray, question: np.ndarray, count: int, probing: Probing
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (rows, cosines) of the nearest vectors, nearest first, ties by row.

    Args:
        table: a table of LanceDB with the columns row and vector, and an index.
        vectors: the same vectors, float32 (n, dim).
        question: a vector of length 1.
        count: how many rows.
        probing: how the table is searched.
    """
    question = question.astype(np.float32)
    query = table.search(question).distance_type("dot").nprobes(probing.cells)
    found = query.limit(max(count, probing.fetched)).select(["row", "_distance"]).to_arrow()
    rows = np.sort(found["row"].to_numpy(zero_copy_only=False))
    cosines = np.asarray(vectors[rows] @ question)
    order = np.argsort(-cosines, kind="stable")[:count]
    return rows[order], cosines[order]
