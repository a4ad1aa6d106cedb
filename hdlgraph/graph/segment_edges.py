"""Makes the edges between files of one segment of a graph; see `hdlgraph.graph.segments`.

They are those that begin in its files: most are stated there, a few (a `bind`) by other files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.graph import file_edges, segments
from hdlgraph.graph.graph import EDGE_FIELDS, NODE_FIELDS
from hdlgraph.graph.rows import Rows
from hdlgraph.graph.segments import SegmentRow
from hdlgraph.model.kinds import relations
from hdlgraph.store.tables import OF_PIECE, SHIFT, Table

if TYPE_CHECKING:
    import numpy as np

BITS = SHIFT + OF_PIECE
"""Bits of a reference below the number of the segment."""
TEXTS = ("kind", "path")
"""Columns of few texts."""


def others(edges: Table) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the segments in which walked edges of one begin, and in which they end.

    Args:
        edges: of the segment, their ends as they are stored.
    """
    import numpy as np

    walked = _is_walked(edges)
    found = (np.unique(edges.array(end)[walked] >> BITS) for end in ("source", "target"))
    sources, targets = (tuple(one.tolist()) for one in found)
    return sources, targets


def depends_on(rows: Sequence[SegmentRow], at: int) -> list[object]:
    """Returns what stands for all that the edges which begin in a segment's files depend on."""
    return [
        at,
        [(n, rows[n].edges) for n in _stating(rows, at)],
        [rows[n].face for n in _ends(rows, at)],
    ]


def _stating(rows: Sequence[SegmentRow], at: int) -> list[int]:
    """Returns the segments whose files state edges that begin in those of a segment."""
    return [n for n, row in enumerate(rows[:-1]) if n == at or at in row.sources]


def _ends(rows: Sequence[SegmentRow], at: int) -> list[int]:
    """Returns the segments that such edges lead to, and those that state them."""
    stating = _stating(rows, at)
    found = {at, *stating, *(n for one in stating for n in rows[one].targets)}
    return sorted(n for n in found if 0 <= n < len(rows) - 1)


def digest(rows: Sequence[SegmentRow], at: int, find: Callable[[str], Path]) -> Any:
    """Returns the edges between files that begin in a segment's as an arrow table.

    Args:
        rows: all segments.
        at: the number of the segment.
        find: gives the place of a file by its path below the folder of the generation.

    Raises:
        IndexVersionError, ValueError: a table is damaged.
    """
    import numpy as np

    numbers = _ends(rows, at)
    stating, ends = [rows[n] for n in _stating(rows, at)], [rows[n] for n in numbers]
    nodes = Table({}, segments.whole_nodes(ends, find, NODE_FIELDS))
    edges = Table({}, segments.whole_edges(stating, find, EDGE_FIELDS, as_stored=True))
    place = np.full(len(rows) + 1, -1)
    place[numbers] = np.arange(len(numbers))
    wanted = _is_walked(edges)
    codes = {end: edges.array(end) for end in ("source", "target")}
    for end, own in codes.items():
        segment = np.clip(own >> BITS, -1, len(rows))
        wanted &= segment == at if end == "source" else place[segment] >= 0
    picked = np.flatnonzero(wanted)
    pieces = segments.references([row.rows for row in ends])
    columns: dict[str, list[Any]] = {}
    for end, own in codes.items():
        code = own[picked]
        code = (place[code >> BITS] << BITS) | (code & ((1 << BITS) - 1))
        columns[end] = pieces.rows(code).tolist()
    for name in TEXTS:
        texts, which = edges.coded(name)
        columns[name] = [texts[one] for one in which[picked].tolist()]
    columns |= {name: edges.array(name)[picked].tolist() for name in ("line", "confidence")}
    columns["text"] = edges.picked("text", picked)
    found: tuple[Rows[Any], Rows[Any]] = Rows(nodes, tuple), Rows(Table(columns), tuple)
    return file_edges.digest(*found)


def _is_walked(edges: Table) -> np.ndarray:
    """Returns which edges are of a kind that search walks, bool (rows,)."""
    import numpy as np

    walked = {kind.name for kind in relations() if kind.is_walked}
    kinds, codes = edges.coded("kind")
    return np.asarray([kind in walked for kind in kinds], bool)[codes]
