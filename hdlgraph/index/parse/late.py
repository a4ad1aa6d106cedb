"""Reads the facts of a file so that a list in them is decoded when somebody first looks at it.

After an edit most stages ask the other files for little: their names, what they instantiate. The
ports, signals and processes of all of them would be most of a run's memory and a good part of its
time. A late record is a `FileRecord` like any other and encodes to the same bytes; what nobody
looked at stays a piece of the bytes that it was read from, and what nobody looked at lately becomes
one again: however large the repository, only so many bytes of it are decoded at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import Any, TypeVar, get_type_hints

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.model import FileRecord, Instance, Unit
from hdlgraph.store.packed.values import Blob

T = TypeVar("T", bound=msgspec.Struct)

_EMPTY = msgspec.Raw(msgspec.msgpack.encode(()))

DECODED = 8_000_000
"""Bytes of lists that are decoded at a time; as Python objects they take about seven times that."""


class _Decoded:
    """The lists that are decoded now, those that were decoded first in front.

    Args:
        most: bytes of them from which on the first ones become bytes again.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self._lists: deque[tuple[Callable[[Any, Any], None], Any, msgspec.Raw, int]] = deque()

    def add(self, put: Callable[[Any, Any], None], one: Any, raw: msgspec.Raw, size: int) -> None:
        """Notes that the list of a record is decoded; the first ones may become bytes again."""
        self._lists.append((put, one, raw, size))
        self.size += size
        self.reduce(self.most)

    def reduce(self, most: int) -> None:
        """Puts the bytes of the first lists back until only so many bytes of lists are decoded."""
        while self._lists and self.size > most:  # another thread may have emptied it
            put, one, raw, size = self._lists.popleft()
            put(one, raw)
            self.size -= size


_decoded = _Decoded(DECODED)


def forget() -> None:
    """Holds no list decoded that can be decoded again, as a stage has looked at all it wants."""
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
                # The cache's checksum fits: somebody wrote this, as the index came with the files.
                raise IndexDamagedError(
                    f"the kept facts of {getattr(one, 'path', '') or one.name} are not as hdlgraph "
                    f"writes them ({error}): run `hdlgraph index --fresh`"
                ) from error
            put(one, value)
            if not lasting and (size := len(raw)) > 1:  # of an empty list nothing is gained
                _decoded.add(put, one, raw, size)
        return value

    return property(read)


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
read_all_late: Callable[[Blob], list[FileRecord]] = msgspec.msgpack.Decoder(
    list[LateFileRecord]  # type: ignore[valid-type]
).decode
"""Returns the facts of many files, as `store/design/facts.py` writes them."""
