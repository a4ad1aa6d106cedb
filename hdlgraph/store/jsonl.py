"""Writes and reads records of files, one JSON object a line; lines that are damaged are skipped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hdlgraph.safety.safe_files import open_regular, write_atomic

T = TypeVar("T")
LINE_BYTES = 64_000_000


def read_lines(source: Path, kind: type[T]) -> dict[str, T]:
    """Returns the records of a file by path; lines that cannot be read are left out.

    They cost nothing: the answers behind them are stored, and the next run makes them anew.
    """
    decoder = msgspec.json.Decoder(kind)
    found: dict[str, T] = {}
    try:
        with open_regular(source, follow=False) as stream:
            while line := stream.readline(LINE_BYTES):
                try:
                    item: Any = decoder.decode(line)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    continue
                found[item.path] = item
    except OSError:
        return {}
    return found


def write_lines(target: Path, records: Mapping[str, object]) -> None:
    """Writes records sorted by path, by atomic rename."""
    lines = (msgspec.json.encode(records[path]) + b"\n" for path in sorted(records))
    write_atomic(target, b"".join(lines))
