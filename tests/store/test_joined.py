"""Several tables as one: columns read together, and one value, are those of the whole."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hdlgraph.errors import IndexVersionError
from hdlgraph.store import tables
from hdlgraph.store.tables.columns import by_number, number_array, texts

FIELDS = {"name": "str", "kind": "str", "line": "int", "trust": "float"}


def stored(path: Path, names: list[str], kinds: list[str]) -> tables.StoredTable:
    codes = np.asarray([kinds.index(kind) for kind in kinds])
    columns = {
        "name": texts(names),
        "kind": by_number(kinds, codes),
        "line": number_array([len(name) for name in names], "int32"),
        "trust": number_array([len(name) / 2 for name in names], "float64"),
    }
    tables.write(path, pa.table(columns))
    return tables.StoredTable(path, FIELDS)


@pytest.fixture
def parts(tmp_path: Path) -> list[tables.StoredTable]:
    return [
        stored(tmp_path / "a.parquet", ["alu", "fifo", "é"], ["unit", "file", "port"]),
        stored(tmp_path / "b.parquet", ["mux", "tree"], ["port", "unit"]),
    ]


PIECES = [tables.Piece(1, 0, 1), tables.Piece(0, 0, 3), tables.Piece(1, 1, 2)]
WANTED = {
    "name": ["mux", "alu", "fifo", "é", "tree"],
    "kind": ["port", "unit", "file", "port", "unit"],
    "line": [3, 3, 4, 1, 4],
    "trust": [1.5, 1.5, 2.0, 0.5, 2.0],
}


@pytest.mark.parametrize("ahead", [(), ("kind", "line"), ("name", "kind", "line", "trust")])
def test_values_are_those_of_the_columns(
    parts: list[tables.StoredTable], ahead: tuple[str, ...]
) -> None:
    table = tables.Table({}, tables.JoinedTable(parts, PIECES))
    table.ahead(*ahead)
    for name, column in WANTED.items():
        assert [table.value(name, row) for row in range(5)] == column
    for name, column in WANTED.items():
        assert list(table.values(name)) == column
        assert [table.value(name, row) for row in range(5)] == column


def test_a_row_that_is_none_has_no_value(parts: list[tables.StoredTable]) -> None:
    with pytest.raises(IndexError):
        tables.Table({}, tables.JoinedTable(parts, PIECES)).value("name", 5)


def test_a_damaged_column_is_told_when_it_is_read_with_others(tmp_path: Path) -> None:
    good = stored(tmp_path / "a.parquet", ["alu"], ["unit"])
    path = tmp_path / "b.parquet"
    stored(path, ["mux", "tree"], ["port", "unit"])
    data = bytearray(path.read_bytes())
    data[8:40] = bytes(32)
    path.write_bytes(data)
    bad = tables.StoredTable(path, FIELDS)
    joined = tables.JoinedTable([good, bad], [tables.Piece(0, 0, 1), tables.Piece(1, 0, 2)])
    with pytest.raises(IndexVersionError, match=r"b\.parquet"):
        joined.ahead(["line", "name"])
