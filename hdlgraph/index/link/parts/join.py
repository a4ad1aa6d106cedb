"""Joins the parts of all files to the tables of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS
from hdlgraph.index.link.parts.pack import (
    EDGE_NUMBERS,
    EDGE_SHAPE,
    NODE_NUMBERS,
    NODE_SHAPE,
    NODE_TEXTS,
    EdgePart,
    NodePart,
    numbers_of,
)
from hdlgraph.store.tables import Table, packed_texts, texts

if TYPE_CHECKING:
    import numpy as np


def joined_nodes(parts: Sequence[NodePart]) -> Table:
    """Returns the table of the nodes of parts, one behind the other."""
    found = numbers_of(parts, NODE_NUMBERS)
    columns = _of_shapes(parts, NODE_SHAPE, found[:, 0])
    columns |= {"line": _integers(found[:, 1]), "end_line": _integers(found[:, 2])}
    for at, name in enumerate(NODE_TEXTS):
        data = b"".join(part.texts[at] for part in parts)
        columns[name] = packed_texts(data, found[:, 3 + at])
    return _table(columns, NODE_COLUMNS)


def joined_edges(parts: Sequence[EdgePart], firsts: Mapping[str, int]) -> Table:
    """Returns the table of the edges of parts, one behind the other.

    Args:
        parts: the edges.
        firsts: the first row of each place that they name.
    """
    import numpy as np

    found = numbers_of(parts, EDGE_NUMBERS)
    columns = _of_shapes(parts, EDGE_SHAPE, found[:, 0])
    columns |= {"line": _integers(found[:, 1])}
    columns["text"] = packed_texts(b"".join(part.texts for part in parts), found[:, 2])
    rows = np.array([firsts[place] for part in parts for place in part.places], np.int32)
    before = _before(parts, [len(part.places) for part in parts], EDGE_NUMBERS)
    for at, name in ((3, "source"), (5, "target"), (7, "instance")):
        first = rows[found[:, at] + before] if len(rows) else found[:, at]
        columns[name] = _integers(first + found[:, at + 1])
    return _table(columns, EDGE_COLUMNS)


def _before(parts: Sequence[NodePart | EdgePart], counts: Sequence[int], width: int) -> np.ndarray:
    """Returns for each row how many things the parts before that of the row have."""
    import numpy as np

    ends = np.cumsum([0, *counts])[:-1]
    return np.repeat(ends, [len(part.numbers) // (4 * width) for part in parts])


def _of_shapes(
    parts: Sequence[NodePart] | Sequence[EdgePart], names: Sequence[str], codes: np.ndarray
) -> dict[str, Any]:
    """Returns the columns that shapes hold, as arrow arrays; texts of few values by number."""
    import numpy as np
    import pyarrow as pa

    width = NODE_NUMBERS if names is NODE_SHAPE else EDGE_NUMBERS
    before = _before(parts, [len(part.shapes) for part in parts], width)
    known: dict[Any, int] = {}
    own = [known.setdefault(one, len(known)) for part in parts for one in part.shapes]
    which = np.array(own, np.int32)[codes + before] if own else np.zeros(0, np.int32)
    columns = {}
    for at, name in enumerate(names):
        values = [shape[at] for shape in known]
        if name == "confidence":
            data = np.array(values, np.float64)[which] if values else np.zeros(0)
            columns[name] = pa.Array.from_buffers(pa.float64(), len(data), [None, _buffer(data)])
            continue
        few: dict[str, int] = {}
        numbers = np.array([few.setdefault(one, len(few)) for one in values], np.int32)
        indices = _integers(numbers[which] if values else which)
        columns[name] = pa.DictionaryArray.from_arrays(indices, texts(list(few)))
    return columns


def _integers(values: np.ndarray) -> Any:
    import numpy as np
    import pyarrow as pa

    data = np.ascontiguousarray(values, np.int32)
    return pa.Array.from_buffers(pa.int32(), len(data), [None, _buffer(data)])


def _buffer(data: np.ndarray) -> Any:
    import pyarrow as pa

    return pa.py_buffer(data)


def _table(columns: Mapping[str, Any], names: Sequence[str]) -> Table:
    import pyarrow as pa

    return Table({}, pa.table([columns[name] for name in names], names=list(names)))
