"""The tables of a large graph in segments of neighbouring files: how they lie on disk.

`graph/segments.json` lists the segments in the order of their files; a last one has what belongs to
no file. Each has a table of its nodes, `graph/nodes-KEY.parquet`, and one of the edges that its
files state, `graph/edges-KEY.parquet`. A key names all that its table depends on, so that a run
takes over what has its key. Rows stand by groups: those of the first group of all segments come
first, then those of the second. An edge names a node by the number of a segment, of a piece (a file
of that, or behind them its explanations) and the row in it, so that what a file has more or less
moves no row of another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.store.tables import JoinedTable, Piece, References, StoredTable
from hdlgraph.store.tables.parquet import REMEDY

FOLDER = "graph"
LIST = f"{FOLDER}/segments.json"
EDGE_GROUPS = 5
"""Of edges: those of a file alone, its includes, its other links, what readers of other packages
state, and those of explanations."""
ENDS = ("source", "target", "instance")
"""Columns of edges that are rows of nodes."""
_KEY = re.compile(r"[0-9a-f]{16}")


class SegmentRow(NamedTuple):
    """A segment: the keys of its tables, and how many rows they have.

    `rows` are the nodes of each piece, the last of which is the second group; `groups` the edges
    of each group. `face` stands for what its files declare, by name and row; `sources` and
    `targets` are the numbers of the segments at which edges that search walks begin and end.
    """

    nodes: str
    edges: str
    face: str
    rows: tuple[int, ...]
    groups: tuple[int, ...]
    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()


def nodes_file(row: SegmentRow) -> str:
    """Returns the path of a segment's nodes below the folder of the generation."""
    return f"{FOLDER}/nodes-{row.nodes}.parquet"


def edges_file(row: SegmentRow) -> str:
    """Returns the path of a segment's edges below the folder of the generation."""
    return f"{FOLDER}/edges-{row.edges}.parquet"


def write_list(folder: Path, rows: Sequence[SegmentRow]) -> None:
    """Writes which segments there are into the folder of a generation."""
    (folder / LIST).write_bytes(msgspec.json.encode(rows))


def read_list(folder: Path) -> list[SegmentRow] | None:
    """Returns the segments of a generation, None where its tables stand whole.

    Raises:
        IndexVersionError: the list is damaged.
    """
    path = folder / LIST
    if not path.is_file():
        return None
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[SegmentRow])
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error
    if not rows or not all(map(_is_sound, rows)):
        raise IndexVersionError(f"{path}: lists what is no segment: {REMEDY}")
    return rows


def _is_sound(row: SegmentRow) -> bool:
    keys = (row.nodes, row.edges)
    return (
        all(map(_KEY.fullmatch, keys))
        and len(row.rows) > 1
        and len(row.groups) == EDGE_GROUPS
        and min(*row.rows, *row.groups) >= 0
    )


def whole_nodes(
    rows: Sequence[SegmentRow], find: Callable[[str], Path], fields: Mapping[str, str]
) -> JoinedTable:
    """Returns the nodes of segments as one table.

    Args:
        rows: the segments.
        find: gives the place of a file by its path below the folder of the generation.
        fields: "str", "int" or "float" of each column.

    Raises:
        IndexVersionError: a table is missing, damaged or of another schema.
    """
    found = [StoredTable(find(nodes_file(row)), fields) for row in rows]
    return JoinedTable(found, _pieces(found, [(sum(row.rows[:-1]), row.rows[-1]) for row in rows]))


def whole_edges(
    rows: Sequence[SegmentRow],
    find: Callable[[str], Path],
    fields: Mapping[str, str],
    as_stored: bool = False,
) -> JoinedTable:
    """Returns the edges of segments as one table, their ends as rows of all nodes, or as stored.

    The other arguments and the errors are those of `whole_nodes`.
    """
    found = [StoredTable(find(edges_file(row)), fields) for row in rows]
    pieces = _pieces(found, [row.groups for row in rows])
    if as_stored:
        return JoinedTable(found, pieces)
    return JoinedTable(found, pieces, ENDS, references([row.rows for row in rows]))


def references(rows: Sequence[Sequence[int]]) -> References:
    """Returns the pieces of nodes that edges name.

    Args:
        rows: the nodes of each piece of each segment.
    """
    own = [0, *accumulate(sum(one[:-1]) for one in rows)]
    told = accumulate((one[-1] for one in rows), initial=own[-1])
    first = [
        [*accumulate(one[:-2], initial=begin), about]
        for one, begin, about in zip(rows, own, told, strict=False)
    ]
    starts = [0, *accumulate(map(len, rows))]
    return References(starts, [*chain.from_iterable(first)], [*chain.from_iterable(rows)])


def _pieces(found: Sequence[StoredTable], counts: Sequence[Sequence[int]]) -> list[Piece]:
    """Returns the rows of tables by groups, those of the first group first."""
    bounds = []
    for table, own in zip(found, counts, strict=True):
        bounds.append([0, *accumulate(own)])
        if bounds[-1][-1] != table.num_rows:
            raise IndexVersionError(f"{table.path}: has other rows than {LIST} says: {REMEDY}")
    groups = len(counts[0])
    return [
        Piece(at, own[group], own[group + 1])
        for group in range(groups)
        for at, own in enumerate(bounds)
    ]
