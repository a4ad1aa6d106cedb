"""Arrays in files of NumPy's format .npy, read without Python's own parser.

`numpy.load` reads the head of a file with `ast.literal_eval`. Up to Python 3.11.7 two threads that
do so at the same time can fail with `SystemError: AST constructor recursion depth mismatch`
(python/cpython#106905), so that two clients of one server could break each other's first search.
The head that `numpy.save` writes has one form, which a pattern reads.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

_MAGIC = b"\x93NUMPY"
_LONGEST = 10_000
"""Bytes of a head, as numpy's own limit."""

_HEAD = re.compile(
    rb"\{'descr': '([<>|=]?[biufU]\d{1,4})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n?"
)


def map_array(file: Path) -> np.ndarray:
    """Returns the array of a file mapped into memory, read-only, as a plain ndarray.

    numpy.memmap's own slicing is slow, hence the plain one.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no array of numbers or text, or shorter than its head says.
    """
    with file.open("rb") as stream:
        kind, shape, order = _read_head(stream, file)
        start = stream.tell()
        return np.memmap(stream, kind, "r", start, shape, order).view(np.ndarray)


def read_array(file: Path) -> np.ndarray:
    """Returns the array of a file, read into memory.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no array of numbers or text, or shorter than its head says.
    """
    with file.open("rb") as stream:
        kind, shape, order = _read_head(stream, file)
        return np.fromfile(stream, kind, math.prod(shape)).reshape(shape, order=order)


def _read_head(stream: BinaryIO, file: Path) -> tuple[np.dtype, tuple[int, ...], Literal["C", "F"]]:
    """Returns type, shape and order; the stream stands at the first element then."""
    start = stream.read(8)
    if start[:6] != _MAGIC or start[6:] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise ValueError(f"{file}: not an array of numpy's format")
    length = int.from_bytes(stream.read(2 if start[6] == 1 else 4), "little")
    if length > _LONGEST:
        raise ValueError(f"{file}: the head has {length} bytes, more than {_LONGEST}")
    found = _HEAD.fullmatch(stream.read(length))
    if not found:
        raise ValueError(f"{file}: its head is not that of an array of numbers or text")
    name, fortran, sizes = (part.decode("ascii") for part in found.groups())
    kind, shape = np.dtype(name), tuple(int(size) for size in sizes.split(",") if size.strip())
    if stream.tell() + math.prod(shape) * kind.itemsize > file.stat().st_size:
        raise ValueError(f"{file}: shorter than its head says")
    return kind, shape, "F" if fortran == "True" else "C"
