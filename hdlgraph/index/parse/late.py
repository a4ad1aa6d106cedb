"""Reads the facts of a file so that a list in them is decoded when somebody first looks at it.

After an edit most stages ask the other files for little: their names, what they instantiate. The
ports, signals and processes of all of them would be most of a run's memory and a good part of its
time. A late record is a `FileRecord` like any other and encodes to the same bytes; what nobody
looked at stays a piece of the bytes that it was read from, and what nobody looked at lately becomes
one again: however large the repository, only so many bytes of it are decoded at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, TypeVar, get_type_hints, overload

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.model import FileRecord, Instance, Unit
from hdlgraph.store.packed.values import Blob

T = TypeVar("T", bound=msgspec.Struct)

_EMPTY = msgspec.Raw(msgspec.msgpack.encode(()))

DECODED = 8_000_000
"""Bytes of lists that are decoded at a time; as Python objects they take about seven times that."""
FILLED, AT_LEAST = 8_000_000, 256
"""Bytes of the facts of files that are taken apart at a time, and files that are in any case: who
works on one file looks into few others, and its units stay the same objects meanwhile."""


class _Decoded:
    """The lists that are decoded now, those that were decoded first in front.

    Args:
        most: bytes of them from which on the first ones become bytes again.
        least: how many of them stay, however large they are.
    """

    def __init__(self, most: int, least: int = 0) -> None:
        self.most, self.least, self.size = most, least, 0
        self._lists: deque[tuple[Callable[[Any, Any], None], Any, Any, int]] = deque()

    def add(self, put: Callable[[Any, Any], None], one: Any, raw: Any, size: int) -> None:
        """Notes that the list of a record is decoded; the first ones may become bytes again."""
        self._lists.append((put, one, raw, size))
        self.size += size
        self.reduce(self.most, self.least)

    def reduce(self, most: int, least: int = 0) -> None:
        """Puts the bytes of the first lists back until only so many bytes of lists are decoded."""
        # Another thread may have emptied it.
        while self.size > most and len(self._lists) > least:
            put, one, raw, size = self._lists.popleft()
            put(one, raw)
            self.size -= size


_decoded = _Decoded(DECODED)
_filled = _Decoded(FILLED, AT_LEAST)
"""The records whose facts are taken apart now."""


def forget() -> None:
    """Holds no list decoded that can be decoded again, as a stage has looked at all it wants."""
    _filled.reduce(0)
    _decoded.reduce(0)


def _late(kind: type[T], inner: dict[str, Any], lasting: Collection[str] = ()) -> type[T]:
    """Returns a kind of record whose lists are decoded late.

    Args:
        kind: the records.
        inner: type of those lists that hold late records themselves.
        lasting: the lists that stay decoded.
    """
    hints = get_type_hints(kind)
    fields = zip(kind.__struct_fields__, _defaults(kind), strict=True)
    lists = [name for name, default in fields if default == ()]
    found = msgspec.defstruct(
        f"Late{kind.__name__}",
        [(name, msgspec.Raw, _EMPTY) for name in lists],
        bases=(kind,), module=__name__, frozen=True, array_like=True, gc=False,
    )  # fmt: skip
    for name in lists:
        setattr(
            found, name, _read(kind.__dict__[name], inner.get(name, hints[name]), name in lasting)
        )
    return found  # type: ignore[return-value]


def _defaults(kind: type[msgspec.Struct]) -> list[Any]:
    """Returns the default of each field, None where there is none."""
    known = kind.__struct_defaults__
    return [None] * (len(kind.__struct_fields__) - len(known)) + list(known)


def _read(slot: Any, kind: Any, lasting: bool) -> property:
    """Returns a property that decodes what a field holds when it is read, and for a while keeps it.

    Args:
        slot: the place of the field in a record.
        kind: the type of its value.
        lasting: whether it stays decoded.

    Reading it raises an IndexDamagedError where the bytes are of something else.
    """
    decode = msgspec.msgpack.Decoder(kind).decode
    held, put = slot.__get__, slot.__set__

    def read(one: Any) -> Any:
        value = held(one)
        if type(value) is msgspec.Raw:
            raw = value
            try:
                value = decode(raw)
            except msgspec.MsgspecError as error:
                raise _foreign(getattr(one, "path", "") or one.name, error) from error
            put(one, value)
            if not lasting and (size := len(raw)) > 1:  # of an empty list nothing is gained
                _decoded.add(back, one, raw, size)
        return value

    def back(one: Any, raw: msgspec.Raw) -> None:
        if type(held(one)) is not Unread:  # else the facts of the whole file went back
            put(one, raw)

    return property(read)


def _foreign(name: str, error: msgspec.MsgspecError) -> IndexDamagedError:
    """Returns the error of facts that are others than they must be.

    The cache's checksum fits: somebody wrote this, as the index came with the files.
    """
    return IndexDamagedError(
        f"the kept facts of {name} are not as hdlgraph writes them ({error}): "
        "run `hdlgraph index --fresh`"
    )


LateInstance = _late(Instance, {})
LateUnit = _late(Unit, {"instances": tuple[LateInstance, ...]})  # type: ignore[valid-type]
# Stages hold units, which have little but such lists.
LateFileRecord = _late(
    FileRecord,
    {"units": tuple[LateUnit, ...]},  # type: ignore[valid-type]
    {"units"},
)

read_late: Callable[[Blob], FileRecord] = msgspec.msgpack.Decoder(LateFileRecord).decode
"""Returns the facts of a file."""


class Unread:
    """Stands in the fields of a record of which nobody looks at more than its outline.

    Args:
        held: the facts of the file, or what reads them.
        units: how many units they have.
        errors: how many syntax errors.
    """

    __slots__ = ("_held", "errors", "units")

    def __init__(self, held: Blob | Callable[[], Blob], units: int, errors: int) -> None:
        self._held, self.units, self.errors = held, units, errors

    @property
    def blob(self) -> Blob:
        """Returns the facts of the file."""
        return self._held() if callable(self._held) else self._held

    def __reduce__(self) -> tuple[type[Unread], tuple[bytes, int, int]]:
        return Unread, (bytes(self.blob), self.units, self.errors)


OUTLINE = ("path", "sha256", "role", "size", "n_lines", "degraded")
"""The fields of a record that are told without its facts being decoded."""
_SLOTS = {name: FileRecord.__dict__[name] for name in FileRecord.__struct_fields__}
_PLACES = {name: at for at, name in enumerate(FileRecord.__struct_fields__)}
_UNTOLD = [(slot.__get__, slot.__set__) for name, slot in _SLOTS.items() if name not in OUTLINE]
"""What reads and what writes each of the other fields."""
_OUTLINE_AT = [_PLACES[name] for name in OUTLINE]


def _fill(one: Any, unread: Unread) -> None:
    """Decodes the facts of a record into the fields that nobody has looked at or replaced.

    They stay there for a while: see `FILLED`.
    """
    blob = unread.blob
    try:
        found = read_late(blob)
    except msgspec.MsgspecError as error:
        raise _foreign(one.path, error) from error
    empty = tuple([at for at, (held, _) in enumerate(_UNTOLD) if type(held(one)) is Unread])
    for at in empty:
        held, put = _UNTOLD[at]
        put(one, held(found))
    _filled.add(_emptied(empty), one, unread, len(blob))


@lru_cache(maxsize=64)
def _emptied(places: tuple[int, ...]) -> Callable[[Any, Any], None]:
    """Returns what puts the facts that stand in some of `_UNTOLD` back where they are."""
    puts = [_UNTOLD[at][1] for at in places]

    def back(one: Any, unread: Unread) -> None:
        for put in puts:
            put(one, unread)

    return back


def _first_read(slot: Any, inner: Callable[[Any], Any]) -> property:
    """Returns a property that decodes the facts of a record when the field is first read.

    Args:
        slot: the place of the field in a record.
        inner: reads the field of a record whose facts are decoded.
    """
    held = slot.__get__

    def read(one: Any) -> Any:
        value = held(one)
        if type(value) is Unread:
            _fill(one, value)
        return inner(one)

    return property(read)


UnreadFileRecord = msgspec.defstruct(
    "UnreadFileRecord", [], bases=(LateFileRecord,),
    module=__name__, frozen=True, array_like=True, gc=False,
)  # fmt: skip
for _name in set(_PLACES).difference(OUTLINE):
    _late_read: Any = getattr(LateFileRecord.__dict__.get(_name), "fget", None)
    _inner = _late_read or _SLOTS[_name].__get__
    setattr(UnreadFileRecord, _name, _first_read(_SLOTS[_name], _inner))
_made: Any = UnreadFileRecord


def unread(
    blob: Blob | Callable[[], Blob], outline: Sequence[object], units: int, errors: int
) -> FileRecord:
    """Returns a late record whose facts are decoded when more is asked than its `OUTLINE`.

    Args:
        blob: the facts, or what reads them.
        outline: what they say in the fields of `OUTLINE`, in that order.
        units: how many units they have.
        errors: how many syntax errors.
    """
    fields: list[Any] = [Unread(blob, units, errors)] * len(_PLACES)
    for at, value in zip(_OUTLINE_AT, outline, strict=True):
        fields[at] = value
    record: FileRecord = _made(*fields)
    return record


def held_in(record: FileRecord, name: str) -> Any:
    """Returns what stands in a field of a record: its value, the bytes of one, or an `Unread`."""
    return _SLOTS[name].__get__(record)


def noted(record: FileRecord) -> Unread | None:
    """Returns what is known of a record that nobody has looked into, None of any other."""
    held = held_in(record, "units")
    return held if type(held) is Unread else None


def whole(record: FileRecord) -> FileRecord:
    """Returns a record with its facts decoded, as who encodes or compares it needs it."""
    if (held := noted(record)) is not None:
        _fill(record, held)
    return record


class Opened(Sequence[FileRecord]):
    """Records of which each that is taken out has its facts decoded."""

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> FileRecord: ...

    @overload
    def __getitem__(self, at: slice) -> list[FileRecord]: ...

    def __getitem__(self, at: int | slice) -> FileRecord | list[FileRecord]:
        if isinstance(at, slice):
            return list(map(whole, self._records[at]))
        return whole(self._records[at])
