"""Reads what files print out of the facts on disk: messages and named checks, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import GenericAlias
from typing import Any, NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.model.file import FileRecord, Message
from hdlgraph.model.unit import Assertion, Fact, Unit
from hdlgraph.store.design.facts import FILE


def _only(kind: type[Fact], wanted: Mapping[str, Any]) -> type[Any]:
    """Returns a record with the fields of `kind`, of which all but the wanted ones stay bytes."""
    names = kind.__struct_fields__
    last = max(map(names.index, wanted))
    fields = [(name, wanted.get(name, msgspec.Raw)) for name in names[: last + 1]]
    return msgspec.defstruct(f"Only{kind.__name__}", fields, array_like=True, frozen=True)


_UNIT = _only(Unit, {"assertions": tuple[Assertion, ...]})
_FILE = _only(
    FileRecord,
    {"path": str, "units": GenericAlias(tuple, (_UNIT, ...)), "messages": tuple[Message, ...]},
)
_FILES = msgspec.msgpack.Decoder(GenericAlias(list, (_FILE,)))


class FilePrinted(NamedTuple):
    """What a file prints: its messages, and its checks, whose names a run prints."""

    path: str
    messages: tuple[Message, ...]
    checks: tuple[Assertion, ...]


def read_printed(folder: Path) -> Iterator[FilePrinted]:
    """Yields what the files of a generation print, sorted by path.

    Raises:
        IndexVersionError: the facts are missing or damaged.
    """
    path = folder / FILE
    try:
        records = _FILES.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        remedy = "run `hdlgraph index` again"
        raise IndexVersionError(f"{path}: cannot be read ({error}): {remedy}") from error
    for one in records:
        checks = tuple(check for unit in one.units for check in unit.assertions)
        yield FilePrinted(one.path, one.messages, checks)
