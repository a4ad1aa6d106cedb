"""Several stored tables that are read as one: their rows by groups, one behind the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.errors import IndexVersionError
from hdlgraph.store.checksums import at_once
from hdlgraph.store.tables.columns import MOST_BYTES, by_number, coded, number_array
from hdlgraph.store.tables.parquet import REMEDY, StoredTable, told

if TYPE_CHECKING:
    import numpy as np

SHIFT, OF_PIECE = 32, 16
"""Bits of the row in a reference to a row, and of the piece above it; the group is above that."""


class Piece(NamedTuple):
    """Rows of one of several tables: which, the first, and the one behind the last."""

    table: int
    begin: int
    end: int


class References:
    """Pieces of rows that columns refer to, those of each group one behind the other.

    Args:
        starts: the number of the first piece of each group, and the end of the last.
        first: the first row of each piece in the whole.
        length: how many rows each has.
    """

    def __init__(self, starts: Sequence[int], first: Sequence[int], length: Sequence[int]) -> None:
        import numpy as np

        # With a 0 behind each: for what refers to none.
        self._starts, self._first, self._length = (
            np.asarray([*one, 0], np.int64) for one in (starts, first, length)
        )

    def rows(self, codes: np.ndarray) -> np.ndarray:
        """Returns the rows of the whole that codes refer to; those below 0 refer to none.

        Raises:
            ValueError: one refers to what is no row.
        """
        import numpy as np

        if not len(codes):
            return np.zeros(0, np.int64)
        halves = np.ascontiguousarray(codes, "<i8").view("<u4").reshape(-1, 2)
        row, place = halves[:, 0], halves[:, 1]
        # Neighbours mostly lie in the same piece, which is looked up once for all of them.
        begins = np.concatenate(([0], np.flatnonzero(place[1:] != place[:-1]) + 1))
        runs = np.diff(np.append(begins, len(place)))
        first, last = self._pieces(place[begins].astype(np.int64))
        if (row > np.repeat(last, runs)).any():
            raise ValueError("a reference leads to no row")
        found = np.repeat(first, runs)
        is_none = found < 0
        found += row
        found[is_none] = -1
        return found

    def _pieces(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the first rows of pieces in the whole, and the last row in each.

        Of what refers to none the first is -1.
        """
        import numpy as np

        is_none = places >= 1 << (SHIFT - 1)  # the sign of the whole
        group, at = places >> OF_PIECE, places & ((1 << OF_PIECE) - 1)
        is_known = ~is_none & (group < len(self._starts) - 2)
        group[~is_known] = 0
        piece = self._starts[group] + at
        is_known &= piece < self._starts[group + 1]
        if not (is_none | is_known).all():
            raise ValueError("a reference leads to no piece")
        piece[is_none] = 0
        last = np.where(is_none, 1 << SHIFT, self._length[piece] - 1)
        return np.where(is_none, -1, self._first[piece]), last


def stacked(found: Sequence[Any], path: Path) -> Any:
    """Returns the rows of arrow tables one behind the other; `path` is the first one's.

    Raises:
        IndexVersionError: they do not fit each other.
    """
    import pyarrow as pa

    with told(path):
        return pa.concat_tables(found)


class JoinedTable:
    """Stored tables as one, of which each column is read when it is looked at.

    Args:
        parts: the tables; all have the same columns.
        pieces: their rows in the order of the whole.
        columns: those that refer to rows by their pieces; they are read as rows of the whole.
        references: the pieces that they refer to.

    Raises:
        IndexVersionError: the tables do not fit; or, when a column is looked at, that is damaged.
    """

    def __init__(
        self,
        parts: Sequence[StoredTable],
        pieces: Sequence[Piece],
        columns: Sequence[str] = (),
        references: References | None = None,
    ) -> None:
        self._parts, self._pieces = parts, [one for one in pieces if one.end > one.begin]
        self._refer = frozenset(columns)
        self._references = references or References((0,), (), ())
        self._columns: dict[str, Any] = {}
        self.num_rows: int = sum(one.end - one.begin for one in self._pieces)
        self.column_names: list[str] = parts[0].column_names
        for one in parts:
            if one.column_names != self.column_names:
                raise IndexVersionError(f"{one.path}: has other columns than the first: {REMEDY}")

    def column(self, name: str) -> Any:
        """Returns a column as an arrow array in chunks.

        Raises:
            IndexVersionError: it is damaged.
        """
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._joined(name)
        return found

    def ahead(self, names: Sequence[str]) -> None:
        """Reads some columns of each table together: one by one that takes twice as long.

        Raises:
            IndexVersionError: one is damaged.
        """
        new = [name for name in names if name not in self._columns]
        tables = sorted({one.table for one in self._pieces})
        read = at_once(lambda at: self._parts[at].read_several(new), tables) if new else []
        for place, name in enumerate(new):
            found = {at: own[place] for at, own in zip(tables, read, strict=True)}
            self._columns[name] = self._joined(name, found)

    def value(self, name: str, row: int) -> Any:
        """Returns the value of a column in a row; only the table that has it is read for that.

        Raises:
            IndexVersionError: the column is damaged there.
        """
        if name in self._columns or name in self._refer:
            return self.column(name)[row].as_py()
        for one in self._pieces:
            if row < one.end - one.begin:
                return self._parts[one.table].column(name)[one.begin + row].as_py()
            row -= one.end - one.begin
        raise IndexError(row)

    def whole(self) -> Any:
        """Returns all columns as one arrow table."""
        import pyarrow as pa

        return pa.table({name: self.column(name) for name in self.column_names})

    def _joined(self, name: str, stored: Mapping[int, Any] | None = None) -> Any:
        """Returns a column of all tables; `stored` are those of the tables, None to read them."""
        import pyarrow as pa

        wanted = sorted({one.table for one in self._pieces})
        found = {at: self._parts[at].read(name) for at in wanted} if stored is None else stored
        read = {at: self._referred(self._parts[at], name, own) for at, own in found.items()}
        if not read:
            return self._referred(self._parts[0], name, self._parts[0].read(name))
        kind = next(iter(read.values())).type
        if pa.types.is_dictionary(kind):
            with told(self._parts[0].path):
                return self._numbered(read)
        chunks = [
            chunk
            for one in self._pieces
            for chunk in read[one.table].slice(one.begin, one.end - one.begin).chunks
        ]
        with told(self._parts[0].path):
            if any(one.type != kind for one in read.values()):
                raise pa.ArrowInvalid(f"column {name} is of another type in another file")
            # In one piece texts are decoded one by one, when somebody looks at them.
            if pa.types.is_string(kind) and sum(one.nbytes for one in chunks) <= MOST_BYTES:
                chunks = [pa.concat_arrays(chunks)]
            return pa.chunked_array(chunks, kind)

    def _numbered(self, read: Mapping[int, Any]) -> Any:
        """Returns a column of few texts, each of them once for all tables."""
        import numpy as np
        import pyarrow as pa

        known: dict[str, int] = {}
        numbers: dict[int, np.ndarray] = {}
        for at, column in read.items():
            texts, codes = coded(column)
            own = np.array([known.setdefault(text, len(known)) for text in texts], np.int32)
            numbers[at] = own[codes]
        whole = np.concatenate([numbers[one.table][one.begin : one.end] for one in self._pieces])
        return pa.chunked_array([by_number(list(known), whole)])

    def _referred(self, part: StoredTable, name: str, found: Any) -> Any:
        """Returns a column of one of the tables, what refers to rows as rows of the whole."""
        import numpy as np
        import pyarrow as pa

        if name not in self._refer:
            return found
        chunks = [np.from_dlpack(chunk) for chunk in found.chunks]
        values = np.concatenate(chunks) if chunks else np.zeros(0, np.int64)
        try:
            rows = self._references.rows(values)
        except ValueError:
            text = f"{part.path}: the {name} of an edge is no node: {REMEDY}"
            raise IndexVersionError(text) from None
        return pa.chunked_array([number_array(rows, "int32")])
