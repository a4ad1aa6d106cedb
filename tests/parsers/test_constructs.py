"""The two readers of syntax trees see the same facts; where they cannot, the table says why.

HDLGRAPH_WRITE_GOLDEN=1 writes the facts of `constructs/*.txt` anew and keeps sources and
reasons; read the difference before committing it.
"""

from __future__ import annotations

import os

import pytest
from _constructs import FOLDER, Row, read_row, rows, written

TABLE = [row for path in sorted(FOLDER.glob("*.txt")) for row in rows(path)]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_readers_see_what_the_table_says(row: Row) -> None:
    assert read_row(row) == row


def test_each_difference_has_its_reason_and_nothing_else_has():
    for row in TABLE:
        assert bool(row.slang or row.tree) == bool(row.why), row.name
        assert row.both or row.slang, row.name


def test_the_table_is_large_and_names_its_rows_once():
    assert len(TABLE) > 60
    assert len({row.name for row in TABLE}) == len(TABLE)


def test_files_are_as_they_would_be_written():
    for path in sorted(FOLDER.glob("*.txt")):
        table = rows(path)
        if os.environ.get("HDLGRAPH_WRITE_GOLDEN"):
            path.write_text(written([read_row(row) for row in table]), encoding="utf-8")
        else:
            assert path.read_text(encoding="utf-8") == written(table)
