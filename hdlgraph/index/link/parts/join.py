"""Joins the parts of all files to the tables of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS
from hdlgraph.index.link.parts.pack import (
    EDGE_NUMBERS,
    EDGE_SHAPE,
    LENGTHS,
    NODE_NUMBERS,
    NODE_SHAPE,
    NODE_TEXTS,
    EdgePart,
    NodePart,
    numbers_of,
)
from hdlgraph.store.tables import Table, by_number, packed_texts

if TYPE_CHECKING:
    import numpy as np


def joined_nodes(parts: Sequence[NodePart]) -> Table:
    """Returns the table of the nodes of parts, one behind the other."""
    found = numbers_of(parts, NODE_NUMBERS)
    columns = _of_shapes(parts, NODE_SHAPE, found)
    columns |= {"line": _integers(found[:, 2]), "end_line": _integers(found[:, 3])}
    for at, name in enumerate(NODE_TEXTS):
        data = b"".join(part.texts[at] for part in parts)
        columns[name] = packed_texts(data, found[:, LENGTHS + at])
    return _table(columns, NODE_COLUMNS)


def joined_edges(parts: Sequence[EdgePart], firsts: Mapping[str, int]) -> Table:
    """Returns the table of the edges of parts, one behind the other.

    Args:
        parts: the edges.
        firsts: the first row of each place that they name.
    """
    import numpy as np

    found = numbers_of(parts, EDGE_NUMBERS)
    columns = _of_shapes(parts, EDGE_SHAPE, found)
    columns |= {"line": _integers(found[:, 2])}
    columns["text"] = packed_texts(b"".join(part.texts for part in parts), found[:, 3])
    rows = np.array([firsts[place] for part in parts for place in part.places], np.int32)
    before = _before(parts, [len(part.places) for part in parts], EDGE_NUMBERS)
    for at, name in ((4, "source"), (6, "target"), (8, "instance")):
        first = rows[found[:, at] + before] if len(rows) else found[:, at]
        columns[name] = _integers(first + found[:, at + 1])
    return _table(columns, EDGE_COLUMNS)


def _before(parts: Sequence[NodePart | EdgePart], counts: Sequence[int], width: int) -> np.ndarray:
    """Returns for each row how many things the parts before that of the row have."""
    import numpy as np

    ends = np.cumsum([0, *counts])[:-1]
    return np.repeat(ends, [len(part.numbers) // (4 * width) for part in parts])


def _of_shapes(
    parts: Sequence[NodePart] | Sequence[EdgePart], names: Sequence[str], found: np.ndarray
) -> dict[str, Any]:
    """Returns the columns that shapes hold, and the paths; texts of few values by number.

    Args:
        parts: the parts.
        names: of the columns.
        found: the numbers of the parts.
    """
    import numpy as np
    import pyarrow as pa

    width = found.shape[1]
    before = _before(parts, [len(part.paths) for part in parts], width)
    columns = {"path": _few([path for part in parts for path in part.paths], found[:, 1] + before)}
    before = _before(parts, [len(part.shapes) for part in parts], width)
    known, which = _numbered([one for part in parts for one in part.shapes], found[:, 0] + before)
    for at, name in enumerate(names):
        values = [shape[at] for shape in known]
        if name == "confidence":
            data = np.array(values, np.float64)[which]
            columns[name] = pa.Array.from_buffers(
                pa.float64(), len(data), [None, pa.py_buffer(data)]
            )
        else:
            columns[name] = _few(values, which)
    return columns


def _numbered(values: Sequence[Any], codes: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Returns the different ones of some values, and which of them each code stands for then."""
    import numpy as np

    known: dict[Any, int] = {}
    numbers = np.array([known.setdefault(one, len(known)) for one in values], np.int32)
    return list(known), numbers[codes]


def _few(values: Sequence[str], codes: np.ndarray) -> Any:
    """Returns a column of few values as an arrow array: each text once, and its number a row."""
    return by_number(*_numbered(values, codes))


def _integers(values: np.ndarray) -> Any:
    import numpy as np
    import pyarrow as pa

    data = np.ascontiguousarray(values, np.int32)
    return pa.Array.from_buffers(pa.int32(), len(data), [None, pa.py_buffer(data)])


def _table(columns: Mapping[str, Any], names: Sequence[str]) -> Table:
    import pyarrow as pa

    return Table({}, pa.table([columns[name] for name in names], names=list(names)))
