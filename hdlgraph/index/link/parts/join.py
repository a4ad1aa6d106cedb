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
    EdgeShape,
    NodePart,
    NodeShape,
    encoded_shapes,
    numbers_of,
    shapes_of,
)
from hdlgraph.store.tables import References, Table, by_number, packed_texts

if TYPE_CHECKING:
    import numpy as np


def joined_nodes(parts: Sequence[NodePart]) -> Table:
    """Returns the table of the nodes of parts, one behind the other.

    Raises:
        ValueError, LookupError: a part is none that `pack_nodes` made.
    """
    found = numbers_of(parts, NODE_NUMBERS)
    counts = _rows_of(parts)
    columns = _of_shapes(parts, NODE_SHAPE, found, counts)
    columns |= {"line": _integers(found[:, 2]), "end_line": _integers(found[:, 3])}
    for at, name in enumerate(NODE_TEXTS):
        texts = [part.texts[at] for part in parts]
        columns[name] = _texts(texts, counts, found[:, LENGTHS + at])
    return _table(columns, NODE_COLUMNS)


def joined_edges(
    parts: Sequence[EdgePart], codes: Mapping[str, int], pieces: References, apart: bool = False
) -> Table:
    """Returns the table of the edges of parts, one behind the other.

    Args:
        parts: the edges.
        codes: the reference to the first row of each place that they name.
        pieces: the pieces of all nodes.
        apart: whether the ends are written so, or else as rows of all nodes.

    Raises:
        ValueError, LookupError: a part is none that `pack_edges` made.
    """
    import numpy as np

    found = numbers_of(parts, EDGE_NUMBERS)
    counts = _rows_of(parts)
    columns = _of_shapes(parts, EDGE_SHAPE, found, counts)
    columns |= {"line": _integers(found[:, 2])}
    columns["text"] = _texts([part.texts for part in parts], counts, found[:, 3])
    starts = np.array([codes[place] for part in parts for place in part.places], np.int64)
    places = [len(part.places) for part in parts]
    for at, name in ((4, "source"), (6, "target"), (8, "instance")):
        which = _whole(counts, places, found[:, at])
        ends = (starts[which] if len(starts) else which) + found[:, at + 1]
        rows = _in_range(ends, name, pieces)
        columns[name] = _integers(ends, np.int64) if apart else _integers(rows)
    return _table(columns, EDGE_COLUMNS)


def _whole(rows: Sequence[int], counts: Sequence[int], own: np.ndarray) -> np.ndarray:
    """Returns numbers of things as counted through all parts.

    Args:
        rows: how many rows each part has.
        counts: how many things each has.
        own: the numbers as each part counts them, for all rows.
    """
    import numpy as np

    most = np.repeat(np.array(counts, np.int64), rows)
    if len(own) != len(most) or (own < 0).any() or (own >= most).any():
        raise ValueError("numbers of a part lead out of it")
    return own + np.repeat(np.cumsum([0, *counts])[:-1], rows)


def _rows_of(parts: Sequence[NodePart | EdgePart]) -> list[int]:
    """Returns how many rows each part has."""
    width = 4 * (NODE_NUMBERS if parts and isinstance(parts[0], NodePart) else EDGE_NUMBERS)
    return [len(part.numbers) // width for part in parts]


def _texts(texts: Sequence[memoryview], rows: Sequence[int], lengths: np.ndarray) -> Any:
    """Returns the column of the texts of all parts; arrow would not check their lengths.

    Args:
        texts: of each part, one behind the other.
        rows: how many rows each part has.
        lengths: the bytes of each text.
    """
    import numpy as np

    if sum(rows) != len(lengths) or (lengths < 0).any():
        raise ValueError("lengths of texts do not fit")
    ends = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    told = ends[np.cumsum([0, *rows])]
    if (told != np.cumsum([0, *map(len, texts)])).any():
        raise ValueError("lengths of texts do not fit")
    whole = b"".join(texts)
    if not whole.isascii():
        whole.decode()
        signs = np.frombuffer(whole, np.uint8)
        begins = ends[:-1][ends[:-1] < len(whole)]
        if ((signs[begins] & 0xC0) == 0x80).any():
            raise ValueError("a text begins within a letter")
    return packed_texts(whole, lengths)


def _in_range(ends: np.ndarray, name: str, pieces: References) -> np.ndarray:
    """Returns the rows among all nodes that ends name; of an instance there may be none."""
    if len(ends) and ends.min() < (-1 if name == "instance" else 0):
        raise ValueError(f"the {name} of an edge is no node")
    return pieces.rows(ends)


def _of_shapes(
    parts: Sequence[NodePart] | Sequence[EdgePart],
    names: Sequence[str],
    found: np.ndarray,
    rows: Sequence[int],
) -> dict[str, Any]:
    """Returns the columns that shapes hold, and the paths; texts of few values by number.

    Args:
        parts: the parts.
        names: of the columns.
        found: the numbers of the parts.
        rows: how many rows each part has.
    """
    import numpy as np
    import pyarrow as pa

    which = _whole(rows, [len(part.paths) for part in parts], found[:, 1])
    columns = {"path": _few([path for part in parts for path in part.paths], which)}
    shapes = [encoded_shapes(part) for part in parts]
    which = _whole(rows, list(map(len, shapes)), found[:, 0])
    coded, which = _numbered([one for listed in shapes for one in listed], which)
    del shapes
    known = shapes_of(coded, NodeShape if names is NODE_SHAPE else EdgeShape)
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


def _integers(values: np.ndarray, kind: Any = None) -> Any:
    import numpy as np
    import pyarrow as pa

    data = np.ascontiguousarray(values, kind or np.int32)
    arrow = pa.int64() if kind is np.int64 else pa.int32()
    return pa.Array.from_buffers(arrow, len(data), [None, pa.py_buffer(data)])


def _table(columns: Mapping[str, Any], names: Sequence[str]) -> Table:
    import pyarrow as pa

    return Table({}, pa.table([columns[name] for name in names], names=list(names)))
