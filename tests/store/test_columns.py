"""Columns of Python values as arrow columns: `Table.to_arrow`."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hdlgraph.store.tables import Table, columns

VALUES = {
    "path": ["rtl/a.sv", "", "rtl/ä𝔘.sv", "rtl/a.sv"],
    "line": [1, 0, -1, 2**31 - 1],
    "confidence": [1.0, 0.5, 0.0, 0.25],
}
SCHEMA = pa.schema(
    [
        ("path", pa.dictionary(pa.int32(), pa.string())),
        ("line", pa.int32()),
        ("confidence", pa.float64()),
    ]
)


@pytest.mark.parametrize("rows", [4, 0])
def test_they_are_those_that_arrow_makes(rows: int) -> None:
    lists = {name: values[:rows] for name, values in VALUES.items()}
    made = Table(lists).to_arrow(("path",), ("line",))
    assert made.equals(pa.table(lists, schema=SCHEMA))
    made.validate(full=True)


def test_texts_beyond_what_one_array_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_BYTES", 10)
    made = Table({"path": VALUES["path"]}).to_arrow()
    assert made.column("path").to_pylist() == VALUES["path"]


def test_a_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        Table({"path": ["\udc80"]}).to_arrow()
