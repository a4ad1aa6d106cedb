"""What files print on disk: messages and named checks, of all files that have some.

    printed.msgpack    `[path, messages, checks]` of each such file, sorted by path; a message is
                       `[text, line]`, a check `[name, line]`

A search looks at all of it, and at nothing else of the facts, which are a hundred times as large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.model.file import FileRecord, Message
from hdlgraph.model.unit import Assertion, Fact, Unit
from hdlgraph.store.design.facts import FILE

if TYPE_CHECKING:
    from hdlgraph.store.packed.slices import Slices

NAME = "printed.msgpack"


class Line(NamedTuple):
    """A text and the line, 1-based, where it stands."""

    text: str
    line: int


class FilePrinted(NamedTuple):
    """What a file prints: its messages, and the names of its checks, which a run prints."""

    path: str
    messages: tuple[Line, ...]
    checks: tuple[Line, ...]


def printed_by(record: FileRecord) -> FilePrinted:
    """Returns what a file prints."""
    checks = (check for unit in record.units for check in unit.assertions)
    return _printed(record.path, record.messages, checks)


def _printed(path: str, messages: Iterable[Message], checks: Iterable[Assertion]) -> FilePrinted:
    return FilePrinted(
        path,
        tuple(Line(one.text, one.line) for one in messages),
        tuple(Line(one.name, one.line) for one in checks),
    )


def write_printed(slices: Slices, printed: Callable[[int], FilePrinted]) -> None:
    """Writes what files print, sorted by path; nothing of those that print nothing.

    Args:
        slices: of the generation.
        printed: gives what the file of a number prints.
    """

    def made(number: int) -> tuple[bytes, ...]:
        one = printed(number)
        return (msgspec.msgpack.encode(one),) if one.messages or one.checks else ()

    slices.write(NAME, made)


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
_PRINTED = msgspec.msgpack.Decoder(list[FilePrinted])


def file_of(folder: Path) -> str:
    """Returns the file of a generation that says what is printed: an earlier version has facts."""
    return NAME if (folder / NAME).is_file() else FILE


def read_printed(folder: Path) -> list[FilePrinted]:
    """Returns what the files of a generation print, sorted by path.

    Raises:
        IndexVersionError: the file is missing or damaged.
    """
    path = folder / file_of(folder)
    try:
        data = path.read_bytes()
        return _PRINTED.decode(data) if path.name == NAME else list(_of_facts(data))
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        remedy = "run `hdlgraph index` again"
        raise IndexVersionError(f"{path}: cannot be read ({error}): {remedy}") from error


def _of_facts(data: bytes) -> Iterator[FilePrinted]:
    for one in _FILES.decode(data):
        checks = (check for unit in one.units for check in unit.assertions)
        yield _printed(one.path, one.messages, checks)
