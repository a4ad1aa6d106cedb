"""The edges between files, which search walks: one row per pair of units and kind of edge.

`file_edges.parquet` has the columns `src_path, src_name, dst_path, dst_name, kind, path, line,
text, confidence, count`. Both ends lie in files of the repository and in different ones. A name
is that of the unit (for a type: which declares it), "" where the file itself or a macro is the
end. `path:line` is the first place that states the edge, `text` the instance names and comments,
macros or types said there (`; ` between them, cut at 300 characters), `confidence` the greatest
of the edges and `count` their number.
Rows are sorted by source, target and kind. Of a graph that stands in segments they are in
`file_edges/KEY.parquet`, those that begin in the files of each segment by themselves, and
`file_edges/segments.json` lists the keys in the order of the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.graph.rows import Rows
from hdlgraph.model.kinds import entities, relations
from hdlgraph.store import tables
from hdlgraph.store.tables import Table
from hdlgraph.store.tables.parquet import REMEDY

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
_NUMBERS = {"line": "int", "count": "int", "confidence": "float"}
_FIELDS = {name: _NUMBERS.get(name, "str") for name in COLUMNS}
TEXT_LIMIT = 300
NAME = "file_edges.parquet"
"""Name of the table in the folder of a generation."""
FOLDER = "file_edges"
LIST = f"{FOLDER}/segments.json"
"""The list of the tables that stand there instead where the graph stands in segments."""
_KEY = re.compile(r"[0-9a-f]{16}")


def digest(nodes: Rows[Any], edges: Rows[Any]) -> Any:
    """Returns the file edges of a graph as an arrow table."""
    import numpy as np

    ends = {kind.name: kind.walked_as for kind in entities() if kind.walked_as}
    rows = _between_files(nodes.table, edges.table, ends)
    if not len(rows):
        return _table([[] for _ in COLUMNS])
    units, source, target = _ends(nodes.table, edges, rows, ends)
    kinds, of_kind = _ranked(edges.table, "kind", rows)
    paths, of_path = _ranked(edges.table, "path", rows)
    key = (source * len(units) + target) * len(kinds) + of_kind
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    place = (of_path << 32) + edges.array("line")[rows]
    place = np.minimum.reduceat(place[order], first)
    sure = np.maximum.reduceat(edges.array("confidence")[rows][order], first)
    texts = edges.table.picked("text", rows[order])
    own = order[first]
    bounds = [*first.tolist(), len(order)]
    named = [[units[at] for at in end[own].tolist()] for end in (source, target)]
    return _table([
        *([unit[part] for unit in end] for end in named for part in (0, 1)),
        [kinds[at] for at in of_kind[own].tolist()],
        [paths[at] for at in (place >> 32).tolist()],
        (place & 0xFFFFFFFF).tolist(),
        [_said(texts[begin:end]) for begin, end in pairwise(bounds)],
        sure.tolist(),
        np.diff(bounds).tolist(),
    ])  # fmt: skip


def _table(columns: Sequence[list[Any]]) -> Any:
    table = Table(dict(zip(COLUMNS, columns, strict=True)))
    return table.to_arrow(("src_path", "dst_path", "kind", "path"), ("line", "count"))


def _said(texts: Sequence[str]) -> str:
    """Returns the different texts of edges, joined and cut."""
    if len(texts) == 1:
        return texts[0][:TEXT_LIMIT]
    found: dict[str, None] = {}
    for text in texts:
        # What is cut in the end need not be collected: 40,000 instances have as many texts.
        if text and len(found) <= TEXT_LIMIT:
            found[text] = None
    return "; ".join(found)[:TEXT_LIMIT]


def _ends(
    nodes: Table, edges: Rows[Any], rows: np.ndarray, ends: Mapping[str, str]
) -> tuple[list[tuple[str, str]], np.ndarray, np.ndarray]:
    """Returns (path, label) of all ends of some edges, sorted, and which are those of each edge."""
    import numpy as np

    both = [edges.array(end)[rows] for end in ("source", "target")]
    is_end = np.zeros(len(nodes), bool)
    for own in both:
        is_end[own] = True
    those = np.flatnonzero(is_end)
    named = list(_named(nodes, those, ends))
    units = sorted(set(named))
    number = {unit: at for at, unit in enumerate(units)}
    of_node = np.zeros(len(nodes), np.int64)
    of_node[those] = [number[unit] for unit in named]
    return units, of_node[both[0]], of_node[both[1]]


def _ranked(table: Table, name: str, rows: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Returns the texts of a column of few, sorted, and which of them stands in some rows."""
    import numpy as np

    values, codes = table.coded(name)
    known = sorted(set(values))
    number = {value: at for at, value in enumerate(known)}
    return known, np.array([number[value] for value in values], np.int64)[codes[rows]]


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
    kinds, names = _texts(nodes, "kind", rows), nodes.picked("name", rows)
    for kind, path, name in zip(kinds, _texts(nodes, "path", rows), names, strict=True):
        yield path, _label(ends[kind], name)


def _label(walked_as: str, name: str) -> str:
    if walked_as == "unit":
        return name
    return name.rpartition(".")[0] if walked_as == "owner" else ""


def are_there(folder: Path) -> bool:
    """Returns whether a generation has edges between files."""
    return (folder / NAME).is_file() or (folder / LIST).is_file()


def file_of(key: str) -> str:
    """Returns the path of a segment's table below the folder of the generation."""
    return f"{FOLDER}/{key}.parquet"


def write_list(folder: Path, keys: Sequence[str]) -> None:
    """Writes the keys of the tables of all segments, in the order of the files."""
    (folder / LIST).write_bytes(msgspec.json.encode(keys))


def _read_list(folder: Path) -> list[str]:
    path = folder / LIST
    try:
        keys = msgspec.json.decode(path.read_bytes(), type=list[str])
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error
    if not keys or not all(map(_KEY.fullmatch, keys)):
        raise IndexVersionError(f"{path}: lists what is no segment: {REMEDY}")
    return keys


def read(folder: Path) -> Any:
    """Returns the edges between files of a generation as an arrow table.

    Raises:
        IndexVersionError: a table is missing, damaged or of another schema.
    """
    names = _names(folder)
    found = []
    for name in names:
        found.append(tables.read(folder / name))
        tables.check(found[-1], folder / name, _FIELDS)
    return tables.stacked(found, folder / names[0])


def _names(folder: Path) -> list[str]:
    """Returns the paths of the tables of all segments below the folder of a generation."""
    if not (folder / LIST).is_file():
        return [NAME]
    return [file_of(key) for key in _read_list(folder)]


def stored(folder: Path) -> Table:
    """Returns `read`, of which each column is read when it is looked at; errors as of that."""
    found = [tables.StoredTable(folder / name, _FIELDS) for name in _names(folder)]
    if len(found) == 1:
        return Table({}, found[0])
    pieces = [tables.Piece(at, 0, one.num_rows) for at, one in enumerate(found)]
    return Table({}, tables.JoinedTable(found, pieces))


def load(folder: Path) -> dict[str, list[Any]]:
    """Returns the columns of a folder's `file_edges.parquet`.

    Raises:
        IndexVersionError: the table is missing, damaged or of another schema.
    """
    table = read(folder)
    return {name: tables.to_list(table.column(name)) for name in COLUMNS}
