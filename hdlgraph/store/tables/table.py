"""A table in memory: named columns, as Python lists or as an arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.store.tables.columns import (
    by_number,
    coded,
    coded_texts,
    grouped,
    number_array,
    picked,
    texts,
    to_list,
)
from hdlgraph.store.tables.joined import JoinedTable
from hdlgraph.store.tables.parquet import StoredTable
from hdlgraph.store.tables.texts import packed, values_of

if TYPE_CHECKING:
    import numpy as np


class Table:
    """Named columns of equal length: Python lists, or an arrow table converted on demand.

    Args:
        columns: the lists, by name.
        arrow: a `pyarrow.Table`, a `StoredTable` or a `JoinedTable` instead of them.
    """

    def __init__(self, columns: Mapping[str, list[Any]], arrow: Any = None) -> None:
        self._lists: dict[str, list[Any]] = dict(columns)
        self._arrow = arrow
        self._arrays: dict[str, np.ndarray] = {}
        self._values: dict[str, Sequence[Any]] = {}
        self._coded: dict[str, tuple[list[str], np.ndarray]] = {}
        self._grouped: dict[str, tuple[dict[str, int], np.ndarray, np.ndarray]] = {}
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

    def values(self, name: str) -> Sequence[Any]:
        """Returns a column by row; what is stored is decoded when it is looked at."""
        found = self._values.get(name)
        if found is None:
            if self._arrow is None:
                return self._lists[name]
            found = values_of(self._arrow.column(name), self, name)
            self._values[name] = found
        return found

    def ahead(self, *names: str) -> None:
        """Reads columns together that will be looked at."""
        if isinstance(self._arrow, JoinedTable):
            self._arrow.ahead(names)

    def value(self, name: str, row: int) -> Any:
        """Returns the value of a column in a row; of a joined table only the part is read."""
        if name not in self._values and isinstance(self._arrow, JoinedTable):
            return self._arrow.value(name, row)
        return self.values(name)[row]

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
        """Returns the different texts of a column, and which of them stands in each row.

        Both are kept, do not change them.
        """
        found = self._coded.get(name)
        if found is None:
            texts = self._lists.get(name) if self._arrow is None else None
            found = coded(self._arrow.column(name)) if texts is None else coded_texts(texts)
            self._coded[name] = found
        return found

    def rows_with(self, name: str, text: str) -> np.ndarray:
        """Returns the rows, in order, in which a column of few values has one of them."""
        import numpy as np

        found = self._grouped.get(name)
        if found is None:
            texts, codes = self.coded(name)
            order, start = grouped(codes, len(texts))
            found = {one: at for at, one in enumerate(texts)}, order, start
            self._grouped[name] = found
        numbers, order, start = found
        at = numbers.get(text)
        return order[start[at] : start[at + 1]] if at is not None else np.zeros(0, np.int64)

    def packed(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns the texts of a column as UTF-8, one behind the other, and where each begins.

        uint8 (bytes,) and int64 (rows + 1); do not change them.
        """
        return packed(self._arrow.column(name) if self._arrow is not None else self._lists[name])

    def picked(self, name: str, rows: np.ndarray) -> list[Any]:
        """Returns the values of a column in some rows."""
        if self._arrow is None:
            values = self._lists[name]
            return [values[row] for row in rows.tolist()]
        return picked(self._arrow.column(name), rows)

    def row(self, index: int) -> tuple[Any, ...]:
        """Returns the values of one row in the order of `names`."""
        return tuple(self.column(name)[index] for name in self.names)

    def to_arrow(self, dictionary: Iterable[str] = (), int32: Iterable[str] = ()) -> Any:
        """Returns the table as a `pyarrow.Table`; `dictionary` columns hold few values."""
        if self._arrow is not None:
            stored = isinstance(self._arrow, StoredTable | JoinedTable)
            return self._arrow.whole() if stored else self._arrow
        import pyarrow as pa

        few, short, arrays = set(dictionary), set(int32), []
        for name in self.names:
            values = self._lists[name]
            if name in short:
                array = number_array(values, "int32")
            elif name == "confidence":
                array = number_array(values, "float64")
            elif name in few:
                array = by_number(*coded_texts(values))
            else:
                array = texts(values)
            arrays.append(array)
        return pa.table(arrays, names=list(self.names))
