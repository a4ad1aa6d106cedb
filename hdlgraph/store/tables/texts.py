"""Columns of texts that stay as they are stored, of which each text is decoded when looked at.

A list of a million texts takes 70 MB and a good part of a second; a question looks at few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, overload

from hdlgraph.store.tables.columns import to_list

if TYPE_CHECKING:
    import numpy as np


class CodedTexts(Sequence[str]):
    """Few different texts, and which of them stands in each row; a slice gives a list."""

    def __init__(self, texts: Sequence[str], codes: np.ndarray) -> None:
        self._texts = list(texts)
        self._codes = codes.data

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Returns a text, or several."""
        if isinstance(at, slice):
            return [self._texts[code] for code in self._codes[at]]
        # Nothing more is called: a question looks at hundreds of thousands of kinds and names.
        return self._texts[self._codes[at]]

    def __iter__(self) -> Iterator[str]:
        return map(self._texts.__getitem__, self._codes)


class PackedTexts(Sequence[str]):
    """Texts as UTF-8, one behind the other; a slice gives a list."""

    def __init__(self, data: np.ndarray, bounds: np.ndarray) -> None:
        self._data, self._bounds = data.data, bounds.data

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Returns a text, or several."""
        if isinstance(at, slice):
            return [self[row] for row in range(*at.indices(len(self)))]
        at = at + len(self) if at < 0 else at
        return str(self._data[self._bounds[at] : self._bounds[at + 1]], "utf-8")

    def __iter__(self) -> Iterator[str]:
        data = self._data
        return (str(data[begin:end], "utf-8") for begin, end in pairwise(self._bounds))


def packed(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the texts of a column as UTF-8 and where each begins (`Table.packed`)."""
    import numpy as np

    data = _buffers(column)
    if data is not None:
        return data
    values = column if isinstance(column, list) else to_list(column)
    coded = [value.encode() for value in values]
    bounds = np.zeros(len(coded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, coded), np.int64, len(coded)), out=bounds[1:])
    return np.frombuffer(b"".join(coded), np.uint8), bounds


class _Coded(Protocol):
    def coded(self, name: str) -> tuple[list[str], np.ndarray]:
        """Returns the different texts of a column, and which of them stands in each row."""
        ...

    def array(self, name: str) -> np.ndarray:
        """Returns a numeric column as an array."""
        ...


def values_of(column: Any, table: _Coded, name: str) -> Sequence[Any]:
    """Returns the values of an arrow column, each decoded when it is looked at.

    Args:
        column: the column; it has no gaps.
        table: its table.
        name: its name.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return CodedTexts(*table.coded(name))
    if not pa.types.is_string(column.type):
        return table.array(name).data
    found = _buffers(column)
    return to_list(column) if found is None else PackedTexts(*found)


def _buffers(column: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns the bytes and bounds of a column of plain texts in one piece, None for another."""
    import numpy as np
    import pyarrow as pa

    if isinstance(column, list) or column.num_chunks != 1 or not pa.types.is_string(column.type):
        return None
    chunk = column.chunk(0)
    _, ends, data = chunk.buffers()
    places = np.frombuffer(ends, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    return np.frombuffer(data or b"", np.uint8), places.astype(np.int64)
