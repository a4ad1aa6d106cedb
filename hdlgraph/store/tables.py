"""Tables of the graph: columns of equal length, and the parquet files they are stored in.

A large repository has hundreds of thousands of edges. As columns they take a tenth of the
memory of as many records; a record is made when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hdlgraph.errors import IndexVersionError

if TYPE_CHECKING:
    import numpy as np

GRAPH_SCHEMA = "3"
"""Version of the graph's parquet files."""
SPARE_ROWS, SPARE_BYTES, PACKED = 1_000_000, 64_000_000, 60
"""A file may say that it holds a row for each of its bytes, and so many more; and unpacked 60 times
its bytes, and so many more. Real tables have a tenth of a row a byte, and unpack to 4 times."""
PLAIN = frozenset({"BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"})
"""How columns are stored that have a value a row, numbers of a fixed size or texts."""


MOST_BYTES = 2**31 - 1
"""Bytes of texts that one arrow array holds."""
REMEDY = "run `hdlgraph index` again"


def load() -> None:
    """Loads the library behind the tables, for processes that are forked later."""
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401


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
                # `to_numpy` of a column would import pandas, which takes 0.3 s.
                parts = [np.from_dlpack(part) for part in self._arrow.column(name).chunks]
                found = np.concatenate(parts) if parts else np.zeros(0, np.int32)
            else:
                found = np.asarray(self._lists[name])
            self._arrays[name] = found
        return found

    def coded(self, name: str) -> tuple[list[str], np.ndarray]:
        """Returns the different texts of a column, and which of them stands in each row."""
        if self._arrow is not None:
            return coded(self._arrow.column(name))
        return _coded(self._lists[name])

    def picked(self, name: str, rows: np.ndarray) -> list[Any]:
        """Returns the values of a column in some rows."""
        if self._arrow is None:
            values = self._lists[name]
            return [values[row] for row in rows.tolist()]
        return _picked(self._arrow.column(name), rows)

    def row(self, index: int) -> tuple[Any, ...]:
        """Returns the values of one row in the order of `names`."""
        return tuple(self.column(name)[index] for name in self.names)

    def to_arrow(self, dictionary: Iterable[str] = (), int32: Iterable[str] = ()) -> Any:
        """Returns the table as a `pyarrow.Table`; `dictionary` columns hold few values."""
        if self._arrow is not None:
            return self._arrow
        import pyarrow as pa

        few, short, arrays = set(dictionary), set(int32), []
        for name in self.names:
            values = self._lists[name]
            if name in short:
                array = _numbers(values, "int32")
            elif name == "confidence":
                array = _numbers(values, "float64")
            elif name in few:
                array = by_number(*_coded(values))
            else:
                array = texts(values)
            arrays.append(array)
        return pa.table(arrays, names=list(self.names))


def _numbers(values: Sequence[Any] | np.ndarray, kind: Literal["int32", "float64"]) -> Any:
    """Returns numbers as an arrow array; `pyarrow.array` would load pandas, which takes 0.4 s."""
    import numpy as np
    import pyarrow as pa

    data = np.asarray(values, kind)
    arrow = pa.int32() if kind == "int32" else pa.float64()
    return pa.Array.from_buffers(arrow, len(data), [None, pa.py_buffer(data)])


def by_number(known: list[str], codes: np.ndarray) -> Any:
    """Returns texts as an arrow array that holds each once, and its number for each row."""
    import pyarrow as pa

    # `dictionary_encode` of an array would load pyarrow.compute, which takes 50 ms.
    return pa.DictionaryArray.from_arrays(_numbers(codes, "int32"), texts(known))


def _coded(values: Iterable[str]) -> tuple[list[str], np.ndarray]:
    """Returns the different ones of some texts, and which of them stands in each row."""
    import numpy as np

    known: dict[str, int] = {}
    codes = [known.setdefault(value, len(known)) for value in values]
    return list(known), np.array(codes, np.int32)


def texts(values: list[str]) -> Any:
    """Returns texts as an arrow array, or several in a row where one cannot hold them."""
    import numpy as np

    whole = "".join(values)
    if whole.isascii():  # a letter is a byte, so no text need be encoded by itself
        lengths, data = map(len, values), whole.encode()
    else:
        coded = [value.encode() for value in values]
        lengths, data = map(len, coded), b"".join(coded)
    return packed_texts(data, np.fromiter(lengths, np.int64, len(values)))


def packed_texts(data: bytes, lengths: np.ndarray) -> Any:
    """Returns texts as an arrow array, or several in a row where one cannot hold them.

    Args:
        data: the texts as UTF-8, one behind the other.
        lengths: the bytes of each.
    """
    import numpy as np
    import pyarrow as pa

    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    if ends[-1] > MOST_BYTES:
        places = ends.tolist()
        values = [data[a:b].decode() for a, b in pairwise(places)]
        return pa.chunked_array(pa.array(values, type=pa.string()))
    buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(lengths), buffers)


def _picked(column: Any, rows: np.ndarray) -> list[Any]:
    """Returns the values of a column of plain texts or numbers in some rows; it has no gaps."""
    import numpy as np
    import pyarrow as pa

    if column.num_chunks != 1 or not pa.types.is_string(column.type):
        values = to_list(column)
        return [values[row] for row in rows.tolist()]
    chunk = column.chunk(0)
    _, ends, data = chunk.buffers()
    places = np.frombuffer(ends, np.int32)[chunk.offset :]
    text = memoryview(data) if data is not None else memoryview(b"")
    spans = zip(places[rows].tolist(), places[rows + 1].tolist(), strict=True)
    return [str(text[begin:end], "utf-8") for begin, end in spans]


def to_list(column: Any) -> list[Any]:
    """Returns an arrow column as a list, without pandas, which `to_numpy` would load in 0.3 s.

    Raises:
        ArrowInvalid: a value is missing from a column of few values.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    found: list[Any] = []
    for chunk in column.chunks:
        if chunk.indices.null_count:
            raise pa.ArrowInvalid("a value is missing")
        values = chunk.dictionary.to_pylist()
        found += [values[code] for code in chunk.indices.to_pylist()]
    return found


def coded(column: Any) -> tuple[list[str], np.ndarray]:
    """Returns the different texts of an arrow column, and which of them stands in each row.

    Raises:
        ArrowInvalid: a value is missing.
    """
    import numpy as np
    import pyarrow as pa

    known: dict[str, int] = {}
    parts = []
    for chunk in column.chunks:
        one = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        if one.null_count or one.indices.null_count:
            raise pa.ArrowInvalid("a value is missing")
        own = [known.setdefault(text, len(known)) for text in one.dictionary.to_pylist()]
        codes = np.asarray(own, np.int64)
        parts.append(codes[np.from_dlpack(one.indices)] if len(one) else np.zeros(0, np.int64))
    return list(known), np.concatenate(parts) if parts else np.zeros(0, np.int64)


def numbers(column: Any) -> np.ndarray:
    """Returns an arrow column of numbers as an array, without pandas."""
    import numpy as np

    parts = [np.from_dlpack(part) for part in column.chunks]
    return np.concatenate(parts) if parts else np.zeros(0)


def write(path: Path, table: Any) -> None:
    """Writes an arrow table; the same table gives the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata({"hdlgraph_graph": GRAPH_SCHEMA})
    # Texts are stored as they are: those that stand in for others are read with more care.
    coded = [one.name for one in table.schema if not pa.types.is_string(one.type)]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=3,
        write_statistics=False,
        use_dictionary=coded,
    )


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


def check(table: Any, path: Path, fields: Mapping[str, str]) -> None:
    """Checks that a table has columns, each of its type, and a value in every row.

    Args:
        table: an arrow table.
        path: where it was read from.
        fields: "str", "int" or "float" of each column.

    Raises:
        IndexVersionError: a column is missing, of another type, or has gaps.
    """
    import pyarrow as pa

    is_of = {"str": pa.types.is_string, "int": pa.types.is_integer, "float": pa.types.is_float64}
    for name, wanted in fields.items():
        found = table.column(name) if name in table.column_names else None
        kind = found.type if found is not None else None
        if kind is not None and pa.types.is_dictionary(kind):
            kind = kind.value_type
        if found is None or not is_of[wanted](kind) or found.null_count:
            raise IndexVersionError(f"{path}: column {name} is not as it should be: {REMEDY}")


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
        most = SPARE_BYTES + PACKED * len(data)
        groups = range(file.metadata.num_row_groups)
        unpacked = sum(file.metadata.row_group(at).total_byte_size for at in groups)
        if file.metadata.num_rows > SPARE_ROWS + len(data) or unpacked > most:
            raise pa.ArrowInvalid(_TOO_MUCH)
        return _read(file, data, columns, most)
    except (OSError, pa.ArrowException) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error


_TOO_MUCH = "unpacks to more than a table of its size does"


def _read(file: Any, data: bytes, columns: list[str] | None, most: int) -> Any:
    """Returns columns of a parquet file, of which texts take at most so many bytes.

    A text that is stored once may stand in every row: so texts are first read as numbers of
    texts, which takes little memory whatever they are.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = [file.schema.column(at) for at in range(file.metadata.num_columns)]
    wanted = file.schema_arrow.names if columns is None else columns
    for one in schema:
        if one.path in wanted and one.physical_type not in PLAIN:
            raise pa.ArrowInvalid(f"column {one.name} has a value of {one.physical_type} a row")
    if missing := set(wanted) - {one.path for one in schema}:  # a list has its path below its name
        raise pa.ArrowInvalid(f"has no plain column {min(missing)}")
    texts = [one.path for at, one in enumerate(schema) if _is_coded(file.metadata, at)]
    coded = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    # No threads (OpenTitan's 2.5 MB take 50 ms either way): arrow's would let go of the bytes,
    # which are Python's, whenever they come to it, and abort the process where it is ending.
    table = coded.read(columns=columns, use_threads=False)
    for place, name in enumerate(table.column_names):
        stored = file.schema_arrow.field(name).type
        if table.column(name).type != stored:
            if _size(table.column(name)) > most:
                raise pa.ArrowInvalid(_TOO_MUCH)
            table = table.set_column(place, name, table.column(name).cast(stored))
    return table


def _is_coded(metadata: Any, at: int) -> bool:
    """Returns whether a column holds texts by number, each stored once."""
    chunks = [metadata.row_group(group).column(at) for group in range(metadata.num_row_groups)]
    return any(
        one.physical_type == "BYTE_ARRAY" and not {*one.encodings} <= {"PLAIN", "RLE"}
        for one in chunks
    )


def _size(column: Any) -> int:
    """Returns how many bytes the texts of a dictionary column take when each row has its own."""
    import pyarrow.compute as pc

    return sum(
        pc.sum(pc.take(pc.binary_length(one.dictionary), one.indices).cast("int64")).as_py() or 0
        for one in column.chunks
    )
