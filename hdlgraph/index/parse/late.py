"""Reads the facts of a file so that a list in them is decoded when somebody first looks at it.

After an edit most stages ask the other files for little: their names, what they instantiate. The
ports, signals and processes of all of them would be most of a run's memory and a good part of its
time. A late record is a `FileRecord` like any other and encodes to the same bytes; what nobody
looked at stays a piece of the bytes that it was read from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.model import FileRecord, Instance, Unit
from hdlgraph.store.packed.values import Blob

T = TypeVar("T", bound=msgspec.Struct)

_EMPTY = msgspec.Raw(msgspec.msgpack.encode(()))


def _late(kind: type[T], inner: dict[str, Any]) -> type[T]:
    """Returns a kind of record whose lists are decoded late.

    Args:
        kind: the records.
        inner: type of those lists that hold late records themselves.
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
        setattr(found, name, _read(kind.__dict__[name], inner.get(name, hints[name])))
    return found  # type: ignore[return-value]


def _defaults(kind: type[msgspec.Struct]) -> list[Any]:
    """Returns the default of each field, None where there is none."""
    known = kind.__struct_defaults__
    return [None] * (len(kind.__struct_fields__) - len(known)) + list(known)


def _read(slot: Any, kind: Any) -> property:
    """Returns a property that decodes what a field holds when it is first read.

    Args:
        slot: the place of the field in a record.
        kind: the type of its value.

    Reading it raises an IndexDamagedError where the bytes are of something else.
    """
    decode = msgspec.msgpack.Decoder(kind).decode
    held, put = slot.__get__, slot.__set__

    def read(one: Any) -> Any:
        value = held(one)
        if type(value) is msgspec.Raw:
            try:
                value = decode(value)
            except msgspec.MsgspecError as error:
                # The cache's checksum fits: somebody wrote this, as the index came with the files.
                raise IndexDamagedError(
                    f"the kept facts of {getattr(one, 'path', '') or one.name} are not as hdlgraph "
                    f"writes them ({error}): run `hdlgraph index --fresh`"
                ) from error
            put(one, value)
        return value

    return property(read)


LateInstance = _late(Instance, {})
LateUnit = _late(Unit, {"instances": tuple[LateInstance, ...]})  # type: ignore[valid-type]
LateFileRecord = _late(FileRecord, {"units": tuple[LateUnit, ...]})  # type: ignore[valid-type]

read_late: Callable[[Blob], FileRecord] = msgspec.msgpack.Decoder(LateFileRecord).decode
"""Returns the facts of a file."""
