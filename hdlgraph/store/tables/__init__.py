"""Tables of the graph: columns of equal length, and the parquet files they are stored in.

A large repository has hundreds of thousands of edges. As columns they take a tenth of the
memory of as many records; a record is made when somebody looks at it.
"""

from __future__ import annotations

from hdlgraph.store.tables.columns import (
    by_number,
    coded,
    coded_spans,
    coded_texts,
    grouped,
    numbers,
    packed_texts,
    texts,
    to_list,
)
from hdlgraph.store.tables.joined import OF_PIECE, SHIFT, JoinedTable, Piece, References, stacked
from hdlgraph.store.tables.parquet import (
    GRAPH_SCHEMA,
    StoredTable,
    check,
    load,
    read,
    read_foreign,
    write,
)
from hdlgraph.store.tables.table import Table

__all__ = [
    "GRAPH_SCHEMA",
    "OF_PIECE",
    "SHIFT",
    "JoinedTable",
    "Piece",
    "References",
    "StoredTable",
    "Table",
    "by_number",
    "check",
    "coded",
    "coded_spans",
    "coded_texts",
    "grouped",
    "load",
    "numbers",
    "packed_texts",
    "read",
    "read_foreign",
    "stacked",
    "texts",
    "to_list",
    "write",
]
