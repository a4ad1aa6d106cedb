"""Writes and reads the groups of nearly equal files: `near_copies.json` of a generation.

It is a list of groups, each a sorted list of at least two paths; no path is in two groups.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

NAME = "near_copies.json"


def write_near_copies(generation: Path, groups: Sequence[Sequence[str]]) -> None:
    """Writes the groups into a generation's folder."""
    text = json.dumps(list(map(list, groups)), ensure_ascii=False, indent=0)
    (generation / NAME).write_text(text + "\n", encoding="utf-8")


def read_near_copies(generation: Path) -> list[list[str]]:
    """Returns the groups of a generation; none where it was written before there were any.

    Raises:
        ValueError: the file is damaged.
    """
    path = generation / NAME
    if not path.is_file():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[list[str]])
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: {error}") from error
