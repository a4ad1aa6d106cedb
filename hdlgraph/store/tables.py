"""Tables of the graph: columns of equal length, and the parquet files they are stored in.

A large repository has hundreds of thousands of edges. As columns they take a tenth of the
memory of as many records; a record is made when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexVersionError

if TYPE_CHECKING:
    import numpy as np

GRAPH_SCHEMA = "2"
"""Version of the graph's parquet files."""
SPARE_ROWS, SPARE_BYTES, PACKED = 1_000_000, 64_000_000, 60
"""A file may say that it holds a row for each of its bytes, and so many more; and unpacked 60 times
its bytes, and so many more. Real tables have a tenth of a row a byte, and unpack to 4 times."""


REMEDY = "run `hdlgraph index` again"


class Table:
    """Named columns of equal length: Python lists, or an arrow table converted on demand."""

    def __init__(self, columns: Mapping[str, list[Any]], arrow: Any = None) -> None:
        self._lists: dict[str, list[Any]] = dict(columns)
        self._arrow = arrow
        self._arrays: dict[str, np.ndarray] = {}
        self.names: tuple[str, ...] = tuple(arrow.column_names if arrow is not None else columns)

    def __len__(self) -> int:
        if self._arrow is not None:
            return self._arrow.num_rows
        return len(self._lists[self.names[0]])

    def column(self, name: str) -> list[Any]:
        """Returns a column as a list; do not change it."""
        found = self._lists.get(name)
        if found is None:
            found = self._lists[name] = to_list(self._arrow.column(name))
        return found

    def array(self, name: str) -> np.ndarray:
        """Returns a numeric column as an array; do not change it."""
        import numpy as np

        found = self._arrays.get(name)
        if found is None:
            if self._arrow is not None:
                found = self._arrow.column(name).to_numpy()
            else:
                found = np.asarray(self._lists[name])
            self._arrays[name] = found
        return found

    def row(self, index: int) -> tuple[Any, ...]:
        """Returns the values of one row in the order of `names`."""
        return tuple(self.column(name)[index] for name in self.names)

    def to_arrow(self, dictionary: Iterable[str] = (), int32: Iterable[str] = ()) -> Any:
        """Returns the table as a `pyarrow.Table`; `dictionary` columns hold few values."""
        if self._arrow is not None:
            return self._arrow
        import pyarrow as pa

        coded, short, arrays = set(dictionary), set(int32), []
        for name in self.names:
            values = self._lists[name]
            kind = pa.int32() if name in short else pa.float64()
            if name not in short and name != "confidence":
                kind = pa.string()
            array = pa.array(values, type=kind)
            arrays.append(array.dictionary_encode() if name in coded else array)
        return pa.table(arrays, names=list(self.names))


def to_list(column: Any) -> list[Any]:
    """Returns an arrow column as a list; numbers by way of numpy, which is ten times as fast."""
    import pyarrow as pa

    found: list[Any] = []
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            values = chunk.dictionary.to_pylist()
            found += [values[code] for code in _plain(chunk.indices)]
        else:
            found += _plain(chunk)
    return found


def _plain(chunk: Any) -> list[Any]:
    """Returns a piece of a column as a list.

    `to_numpy` of arrow would import pandas, which takes longer than a whole search.
    """
    import numpy as np
    import pyarrow as pa

    numbers = pa.types.is_integer(chunk.type) or pa.types.is_floating(chunk.type)
    if numbers and not chunk.null_count:
        return np.from_dlpack(chunk).tolist()
    return chunk.to_pylist()


def write(path: Path, table: Any) -> None:
    """Writes an arrow table; the same table gives the same bytes."""
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata({"hdlgraph_graph": GRAPH_SCHEMA})
    pq.write_table(table, path, compression="zstd", compression_level=3, write_statistics=False)


def read(path: Path, columns: list[str] | None = None) -> Any:
    """Returns the arrow table of a file written by `write`.

    Raises:
        IndexVersionError: the file is missing, damaged or of another schema.
    """
    table = read_foreign(path, columns)
    found = (table.schema.metadata or {}).get(b"hdlgraph_graph", b"").decode()
    if found != GRAPH_SCHEMA:
        raise IndexVersionError(f"{path}: graph schema {found!r}, not {GRAPH_SCHEMA!r}: {REMEDY}")
    return table


def read_foreign(path: Path, columns: list[str] | None = None) -> Any:
    """Returns the arrow table of any parquet file, within the limits of its size.

    Raises:
        IndexVersionError: the file is missing or damaged, or unpacks to more than it should.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # `read_table` and paths as text would load pyarrow's data sets, file systems and pandas.
        with path.open("rb") as stream:
            data = stream.read()
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = range(file.metadata.num_row_groups)
        unpacked = sum(file.metadata.row_group(at).total_byte_size for at in groups)
        if file.metadata.num_rows > SPARE_ROWS + len(data) or unpacked > SPARE_BYTES + PACKED * len(
            data
        ):
            raise pa.ArrowInvalid("unpacks to more than a table of its size does")
        # No threads (OpenTitan's 2.5 MB take 50 ms either way): arrow's would let go of the bytes,
        # which are Python's, whenever they come to it, and abort the process where it is ending.
        return file.read(columns=columns, use_threads=False)
    except (OSError, pa.ArrowInvalid) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error
