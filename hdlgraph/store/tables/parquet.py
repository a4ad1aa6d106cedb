"""The parquet files of tables; what a damaged or hostile one may unpack to is limited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hdlgraph.errors import IndexVersionError

GRAPH_SCHEMA = "3"
"""Version of the graph's parquet files."""
SPARE_ROWS = 1_000_000
"""A file may say that it holds a row for each of its bytes, and so many more; real ones a tenth."""
SPARE_BYTES, PACKED = 64_000_000, 60
"""A file may unpack to `PACKED` times its bytes, and so many more; real ones unpack to 4 times."""
PLAIN = frozenset({"BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"})
"""How columns are stored that have a value a row, numbers of a fixed size or texts."""
REMEDY = "run `hdlgraph index` again"
_TOO_MUCH = "unpacks to more than a table of its size does"


def load() -> None:
    """Loads the library behind the tables, for processes that are forked later."""
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401


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
    _check_schema(path, table.schema)
    return table


def _check_schema(path: Path, schema: Any) -> None:
    found = (schema.metadata or {}).get(b"hdlgraph_graph", b"").decode(errors="replace")
    if found != GRAPH_SCHEMA:
        raise IndexVersionError(f"{path}: graph schema {found!r}, not {GRAPH_SCHEMA!r}: {REMEDY}")


class StoredTable:
    """The table of a file written by `write`, of which each column is read when it is looked at.

    Of a million nodes the ids alone take a hundred megabytes and half a second; few questions ask
    for them.

    Args:
        path: the file.
        fields: "str", "int" or "float" of each column that it must have, with a value in each row.

    Raises:
        IndexVersionError: the file is missing, damaged or of another schema; or, when a column is
            looked at, that is damaged.
    """

    def __init__(self, path: Path, fields: Mapping[str, str]) -> None:
        with told(path):
            self._file, self._data, self._most = _opened(path)
        _check_schema(path, self._file.schema_arrow)
        self.path = path
        self._columns: dict[str, Any] = {}
        self.num_rows: int = self._file.metadata.num_rows
        self.column_names: list[str] = self._file.schema_arrow.names
        for name, wanted in fields.items():
            if name not in self.column_names or not _is(self._file.schema_arrow, name, wanted):
                raise _unfit(path, name)

    def column(self, name: str) -> Any:
        """Returns an arrow column."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self.read(name)
        return found

    def read(self, name: str) -> Any:
        """Returns an arrow column, which is not kept here."""
        return self.read_several([name])[0]

    def read_several(self, names: Sequence[str]) -> list[Any]:
        """Returns arrow columns, which are not kept here; together that is less work."""
        with told(self.path):
            table = _read(self._file, self._data, [*names], self._most)
            found = [table.column(name) for name in names]
        for name, column in zip(names, found, strict=True):
            if column.null_count or len(column) != self.num_rows:
                raise _unfit(self.path, name)
        return found

    def whole(self) -> Any:
        """Returns all columns as one arrow table."""
        import pyarrow as pa

        return pa.table({name: self.column(name) for name in self.column_names})


def check(table: Any, path: Path, fields: Mapping[str, str]) -> None:
    """Checks that a table has columns, each of its type, and a value in every row.

    Args:
        table: an arrow table.
        path: where it was read from.
        fields: "str", "int" or "float" of each column.

    Raises:
        IndexVersionError: a column is missing, of another type, or has gaps.
    """
    for name, wanted in fields.items():
        there = name in table.column_names and _is(table.schema, name, wanted)
        if not there or table.column(name).null_count:
            raise _unfit(path, name)


def _is(schema: Any, name: str, wanted: str) -> bool:
    """Returns whether a column holds texts ("str"), whole numbers ("int") or numbers ("float")."""
    import pyarrow as pa

    is_of = {"str": pa.types.is_string, "int": pa.types.is_integer, "float": pa.types.is_float64}
    kind = schema.field(name).type
    return bool(is_of[wanted](kind.value_type if pa.types.is_dictionary(kind) else kind))


def _unfit(path: Path, name: str) -> IndexVersionError:
    return IndexVersionError(f"{path}: column {name} is not as it should be: {REMEDY}")


def read_foreign(path: Path, columns: list[str] | None = None) -> Any:
    """Returns the arrow table of any parquet file, within the limits of its size.

    Raises:
        IndexVersionError: the file is missing or damaged, or unpacks to more than it should.
    """
    with told(path):
        file, data, most = _opened(path)
        return _read(file, data, columns, most)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Names the file in what is wrong with it."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error


def _opened(path: Path) -> tuple[Any, bytes, int]:
    """Returns an open parquet file, its bytes, and the most that its texts may take."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # `read_table` and paths as text would load pyarrow's data sets, file systems and pandas.
    with path.open("rb") as stream:
        data = stream.read()
    file = pq.ParquetFile(pa.BufferReader(data))
    most = SPARE_BYTES + PACKED * len(data)
    groups = range(file.metadata.num_row_groups)
    unpacked = sum(file.metadata.row_group(at).total_byte_size for at in groups)
    if file.metadata.num_rows > SPARE_ROWS + len(data) or unpacked > most:
        raise pa.ArrowInvalid(_TOO_MUCH)
    return file, data, most


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
