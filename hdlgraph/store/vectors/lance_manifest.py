"""Checks that a table of LanceDB lies in its own folder: its files, and nothing elsewhere.

A manifest of Lance may name other places that hold its data ("base paths"): a folder of this
machine, a bucket, a host. An index that came from a stranger must not make hdlgraph read or connect
to one, and LanceDB does so unasked, so that the manifests are read here before LanceDB is.

A manifest file ends with the place of its record, two version numbers and "LANC"; at that place
stands the length of the record, a message of protobuf (protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from hdlgraph.safety.safe_files import read_regular

ENDING = ".manifest"
LIMIT = 64_000_000
"""Bytes of the largest manifest that is read; that of a million vectors has a thousand."""
BASE_PATHS = 18
"""Number of the field of a manifest that names other places."""
_TAIL = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
_FIXED = {1: 8, 5: 4}
"""Bytes of a value by its wire type; 0 is a number of any length, 2 has its length before it."""


def check_alone(folder: Path) -> None:
    """Checks that all manifests below a folder name no place but their own.

    Raises:
        ValueError: one does, or is no manifest.
        OSError: one cannot be read.
    """
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(ENDING))
    if not found:
        raise ValueError("its table has no manifest")
    for path in found:
        if BASE_PATHS in _fields(_record(read_regular(path, LIMIT, follow=False))):
            raise ValueError(f"{path.name} names data outside of the index")


def _record(data: bytes) -> bytes:
    """Returns the record in a manifest file."""
    try:
        start, _, _, magic = _TAIL.unpack(data[-_TAIL.size :])
        (length,) = _LENGTH.unpack_from(data, start)
    except (struct.error, OverflowError) as error:
        raise ValueError("its table has a damaged manifest") from error
    record = data[start + _LENGTH.size :][:length]
    if magic != b"LANC" or len(record) != length:
        raise ValueError("its table has a damaged manifest")
    return record


def _fields(record: bytes) -> Iterator[int]:
    """Yields the numbers of the fields of a message of protobuf."""
    at = 0
    while at < len(record):
        key, at = _number(record, at)
        yield key >> 3
        kind = key & 7
        if kind == 0:
            _, at = _number(record, at)
        elif kind == 2:
            length, at = _number(record, at)
            at += length
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise ValueError("its table has a damaged manifest")
    if at != len(record):
        raise ValueError("its table has a damaged manifest")


def _number(record: bytes, at: int) -> tuple[int, int]:
    """Returns a number of 7 bits a byte, and the place behind it."""
    found = 0
    for place, byte in enumerate(record[at : at + 10]):
        found |= (byte & 127) << 7 * place
        if byte < 128:
            # As readers of protobuf do, whose numbers have 64 bits.
            return found & (1 << 64) - 1, at + place + 1
    raise ValueError("its table has a damaged manifest")
