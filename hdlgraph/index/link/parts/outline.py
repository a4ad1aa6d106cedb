"""What names are made of: the units, macros and aliases of a file, in short."""

from __future__ import annotations

import msgspec


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """What linking others asks of a file first: it is kept of many files together.

    `count` is the number of its nodes, `units` are (row, kind, name) of its units, `macros` the
    names of its macros; see `Declared` for the others.
    """

    count: int
    face: bytes
    units: list[tuple[int, str, str]]
    aliases: list[tuple[str, int, str]]
    macros: list[str]
