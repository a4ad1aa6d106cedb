"""Vectors in LanceDB: a table on disk that is searched without holding it in memory.

Rows: `row` (int32), `kind` (the group, int32), `vector`. A small table is compared as a whole, and
only the nearest rows of each group come back; a large one has an index (`indexed.py`).
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import IndexDamagedError
from hdlgraph.store.vectors import ann, arrays
from hdlgraph.store.vectors.lance_manifest import check_alone
from hdlgraph.store.vectors.probing import Probing
from hdlgraph.store.vectors.protocol import NEAREST

NAME = "lancedb"
FOLDER, TABLE = "vectors.lance", "vectors"
WORDS = 160
"""Characters of what LanceDB says of a table that it cannot open."""


def _connect(folder: Path) -> Any:
    # It writes what it does to stderr unless told not to, read when it is first imported.
    os.environ.setdefault("LANCE_LOG", "error")
    import lancedb

    return lancedb.connect(str(folder))


def write(folder: Path, vectors: np.ndarray, groups: np.ndarray) -> None:
    """Writes float32 (rows, dim) with the group of each row, uint8 (rows,)."""
    import pyarrow as pa

    count, dim = vectors.shape
    flat = pa.array(np.ascontiguousarray(vectors, np.float32).reshape(-1))
    table = pa.table(
        {
            "row": pa.array(np.arange(count, dtype=np.int32)),
            "kind": pa.array(groups.astype(np.int32)),
            "vector": pa.FixedSizeListArray.from_arrays(flat, dim),
        }
    )
    written = _connect(folder / FOLDER).create_table(TABLE, table, mode="overwrite")
    if count >= ann.LEAST:
        arrays.write(folder, vectors, groups)
        ann.build(written, vectors, folder)


class Lance:
    """The vectors of a folder as a table of LanceDB."""

    name = NAME

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    @cached_property
    def _table(self) -> Any:
        try:
            check_alone(self._folder)
            table = _connect(self._folder).open_table(TABLE)
            if table.schema.names != ["row", "kind", "vector"]:
                raise ValueError("its table has other columns")
            return table
        except (OSError, ValueError, RuntimeError) as error:
            words = " ".join(str(error).split())[:WORDS]
            raise IndexDamagedError(
                f"index file {self._folder}: cannot be used ({words}); remove it and rebuild the "
                "index with `hdlgraph index --fresh REPO`"
            ) from error

    @cached_property
    def _groups(self) -> list[int]:
        kinds = self._table.search().select(["kind"]).limit(self._count).to_arrow()["kind"]
        return sorted(set(kinds.to_pylist()))

    @cached_property
    def _count(self) -> int:
        return int(self._table.count_rows())

    @property
    def probing(self) -> Probing | None:
        """Returns None, as all vectors are compared."""
        return None

    def similarity(self, vector: np.ndarray) -> np.ndarray:
        """Returns the cosine of the nearest rows of each group, NaN for the others."""
        found = np.full(self._count, np.nan, np.float32)
        for group in self._groups:
            query = self._query(vector).where(f"kind = {group}", prefilter=True)
            rows, cosines = _found(query.limit(NEAREST))
            found[rows] = cosines
        return found

    def nearest(self, vector: np.ndarray, count: int) -> np.ndarray:
        """Returns the rows nearest to a vector of length 1, nearest first, ties by row."""
        rows, cosines = _found(self._query(vector).limit(count))
        return rows[np.lexsort((rows, -cosines))]

    def _query(self, vector: np.ndarray) -> Any:
        return self._table.search(vector.astype(np.float32)).distance_type("dot")

    def rows(self) -> np.ndarray:
        """Returns all vectors, float32 (rows, dim)."""
        table = self._table.to_arrow().sort_by("row")
        vectors = table["vector"].combine_chunks()
        return vectors.flatten().to_numpy().reshape(self._count, -1)


def _found(query: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the rows of a query and their cosines."""
    near = query.select(["row", "_distance"]).to_arrow()
    # The distance "dot" is 1 - the product.
    cosines = 1 - near["_distance"].to_numpy(zero_copy_only=False)
    return near["row"].to_numpy(zero_copy_only=False), cosines
