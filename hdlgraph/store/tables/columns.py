"""Columns of tables as arrow arrays: texts, numbers, and texts stored once with their numbers.

What pyarrow offers for this loads pandas or its compute functions, which takes up to 0.4 s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np

_SPANS = 1 << 17
"""Spans whose bytes are gathered at once."""
MOST_BYTES = 2**31 - 1
"""Bytes of texts that one arrow array holds."""


def number_array(
    values: Sequence[Any] | np.ndarray, kind: Literal["int32", "int64", "float64"]
) -> Any:
    """Returns numbers as an arrow array; `pyarrow.array` would load pandas, which takes 0.4 s."""
    import numpy as np
    import pyarrow as pa

    data = np.asarray(values, kind)
    arrow = {"int32": pa.int32, "int64": pa.int64, "float64": pa.float64}[kind]()
    return pa.Array.from_buffers(arrow, len(data), [None, pa.py_buffer(data)])


def by_number(known: list[str], codes: np.ndarray) -> Any:
    """Returns texts as an arrow array that holds each once, and its number for each row."""
    import pyarrow as pa

    # `dictionary_encode` of an array would load pyarrow.compute, which takes 50 ms.
    return pa.DictionaryArray.from_arrays(number_array(codes, "int32"), texts(known))


def coded_texts(values: Iterable[str]) -> tuple[list[str], np.ndarray]:
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


def packed_texts(data: bytes | np.ndarray, lengths: np.ndarray) -> Any:
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
        values = [bytes(data[a:b]).decode() for a, b in pairwise(places)]
        return pa.chunked_array(pa.array(values, type=pa.string()))
    buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(lengths), buffers)


def picked(column: Any, rows: np.ndarray) -> list[Any]:
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


def coded_spans(
    data: np.ndarray, first: np.ndarray, end: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """Returns the different texts among spans of bytes, and which of them stands in each span.

    Args:
        data: uint8, UTF-8.
        first: where each span begins.
        end: where it ends.
    """
    import numpy as np
    import pyarrow as pa

    parts = []
    for at in range(0, len(first), _SPANS):
        begin = first[at : at + _SPANS]
        lengths = end[at : at + _SPANS] - begin
        places = np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
        places += np.arange(len(places))
        parts.append(packed_texts(data[places], lengths))
    # In one piece: each piece would have a dictionary of its own.
    return coded(pa.chunked_array([pa.concat_arrays(parts)] if parts else [], pa.string()))


def grouped(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the rows by value, in order, and where those of each value from 0 on begin.

    A value and its row are sorted as one number: numpy does that with vector instructions, some
    ten times faster than its stable sort.

    Args:
        values: integers from -1 to `count` - 1; rows of -1 stand first and belong to none.
        count: of the values.
    """
    import numpy as np

    keys = (values.astype(np.int64) + 1) << 32
    keys |= np.arange(len(values))
    keys.sort()
    start = np.searchsorted(keys, np.arange(1, count + 2, dtype=np.int64) << 32)
    keys &= 0xFFFFFFFF
    return keys, start


def numbers(column: Any) -> np.ndarray:
    """Returns an arrow column of numbers as an array, without pandas."""
    import numpy as np

    parts = [np.from_dlpack(part) for part in column.chunks]
    return np.concatenate(parts) if parts else np.zeros(0)
