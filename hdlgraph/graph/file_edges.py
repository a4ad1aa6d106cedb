"""The edges between files, which search walks: one row per pair of units and kind of edge.

`file_edges.parquet` has the columns `src_path, src_name, dst_path, dst_name, kind, path, line,
text, confidence, count`. Both ends lie in files of the repository and in different ones. A name
is that of the unit (for a type: which declares it), "" where the file itself or a macro is the
end. `path:line` is the first place that states the edge, `text` the instance names and comments,
macros or types said there (`; ` between them, cut at 300 characters), `confidence` the greatest
of the edges and `count` their number.
Rows are sorted by source, target and kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.graph.rows import Rows
from hdlgraph.model import Edge, Node
from hdlgraph.model.kinds import entities, relations
from hdlgraph.store import tables
from hdlgraph.store.tables import Table

if TYPE_CHECKING:
    import numpy as np

COLUMNS = (
    "src_path",
    "src_name",
    "dst_path",
    "dst_name",
    "kind",
    "path",
    "line",
    "text",
    "confidence",
    "count",
)
TEXT_LIMIT = 300
NAME = "file_edges.parquet"
"""Name of the table in the folder of a generation."""


def digest(nodes: Rows[Node], edges: Rows[Edge]) -> Any:
    """Returns the file edges of a graph as an arrow table."""
    ends = {kind.name: kind.walked_as for kind in entities() if kind.walked_as}
    rows = _between_files(nodes.table, edges.table, ends)
    found: dict[tuple[Any, ...], list[Any]] = {}
    columns = [_texts(edges.table, name, rows) for name in ("kind", "path")]
    columns += [edges.table.picked(name, rows) for name in ("line", "text", "confidence")]
    both = [_named(nodes.table, edges.array(end)[rows], ends) for end in ("source", "target")]
    for source, target, kind, path, line, text, confidence in zip(*both, *columns, strict=True):
        key = (*source, *target, kind)
        row = found.get(key)
        if row is None:
            found[key] = [path, line, {text: None} if text else {}, confidence, 1]
            continue
        # What is cut in the end need not be collected: 40,000 instances have as many texts.
        row[:2] = min((row[0], row[1]), (path, line))
        if text and len(row[2]) <= TEXT_LIMIT:
            row[2][text] = None
        row[3] = max(row[3], confidence)
        row[4] += 1
    ordered = [
        (*key, path, line, "; ".join(texts)[:TEXT_LIMIT], confidence, count)
        for key, (path, line, texts, confidence, count) in sorted(found.items())
    ]
    lists = [list(column) for column in zip(*ordered, strict=True)] or [[] for _ in COLUMNS]
    table = Table(dict(zip(COLUMNS, lists, strict=True)))
    return table.to_arrow(("src_path", "dst_path", "kind", "path"), ("line", "count"))


def _between_files(nodes: Table, edges: Table, ends: Mapping[str, str]) -> np.ndarray:
    """Returns the rows of the walked edges between two files of the repository."""
    import numpy as np

    if not len(edges):
        return np.zeros(0, np.int64)
    walked = {kind.name for kind in relations() if kind.is_walked}
    kinds, of_kind = nodes.coded("kind")
    paths, in_file = nodes.coded("path")
    is_end = np.array([kind in ends for kind in kinds], bool)[of_kind]
    is_end &= np.array([bool(path) for path in paths], bool)[in_file]
    kinds, of_kind = edges.coded("kind")
    wanted = np.array([kind in walked for kind in kinds], bool)[of_kind]
    source, target = edges.array("source"), edges.array("target")
    wanted &= is_end[source] & is_end[target]
    return np.flatnonzero(wanted & (in_file[source] != in_file[target]))


def _texts(table: Table, name: str, rows: np.ndarray) -> list[str]:
    """Returns the texts of a column of few values in some rows."""
    values, codes = table.coded(name)
    return [values[code] for code in codes[rows].tolist()]


def _named(nodes: Table, rows: np.ndarray, ends: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields the path and the label of each node."""
    rows = rows.astype(int)  # an empty list of rows has no type of its own
    kinds, names = _texts(nodes, "kind", rows), nodes.picked("name", rows)
    for kind, path, name in zip(kinds, _texts(nodes, "path", rows), names, strict=True):
        yield path, _label(ends[kind], name)


def _label(walked_as: str, name: str) -> str:
    if walked_as == "unit":
        return name
    return name.rpartition(".")[0] if walked_as == "owner" else ""


def read(folder: Path) -> Any:
    """Returns a folder's `file_edges.parquet` as an arrow table.

    Raises:
        IndexVersionError: the table is missing, damaged or of another schema.
    """
    table = tables.read(folder / NAME)
    kinds = {"line": "int", "count": "int", "confidence": "float"}
    tables.check(table, folder / NAME, {name: kinds.get(name, "str") for name in COLUMNS})
    return table


def load(folder: Path) -> dict[str, list[Any]]:
    """Returns the columns of a folder's `file_edges.parquet`.

    Raises:
        IndexVersionError: the table is missing, damaged or of another schema.
    """
    table = read(folder)
    return {name: tables.to_list(table.column(name)) for name in COLUMNS}
