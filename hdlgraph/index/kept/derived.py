"""Keeps in the cache what is derived of each file's facts alone, for runs of other processes.

Most of what a run computes of an unchanged file is what the run before computed; `functions.py`
makes functions of a record take their values from here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

import msgspec

from hdlgraph.index.request import program_digest
from hdlgraph.model import FileRecord
from hdlgraph.store.packed.spilled import Spilled
from hdlgraph.store.packed.values import Blob

T = TypeVar("T")

_Values = dict[str, tuple[str, bytes | memoryview]]
"""What is kept of a file: name of a function -> (its other arguments, its value as MessagePack).

A value is bytes in bytes, as passing over it is then one step, however long it is."""
_DECODE = msgspec.msgpack.Decoder(dict[str, tuple[str, memoryview]]).decode
MISSING = object()
_BATCH = 256
"""Files whose values are written at once."""
OPEN = 2048
"""Files whose values are held in memory; those of others are put aside, or read again."""
CONTENTS = 8_000_000
"""Bytes of new values of contents that are written at once."""
CHANGED = 256
"""Edited files up to which it is asked, file by file, whether the last run's result still holds."""
DIGEST = 12
"""Bytes of what stands for a value, or for a file."""


def names_of(facts: Mapping[str, str]) -> dict[str, str]:
    """Returns the key under which each file's values are kept, from the keys of its facts."""
    how = program_digest()
    return {path: f"{how}:{key}" for path, key in facts.items()}


class Values(Protocol):
    """What is kept, by key."""

    def get(self, key: str, /) -> Blob | None:
        """Returns a value, None where there is none."""


NONE: Values = {}


class Keeper(Protocol):
    """Keeps values: the cache, or what stands for it in another process."""

    def views(self, namespace: str, keys: Iterable[str]) -> Values:
        """Returns the values of those keys that are known."""

    def use(self, namespace: str, keys: Iterable[str]) -> None:
        """Records that entries are used which need not be read."""

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Keeps values."""


class Derived:
    """Values of the files of one run: those of earlier runs, and new ones.

    Args:
        cache: where they are kept.
        namespace: of the cache.
        records: the facts of the files.
        keys: the key of each path's values, see `names_of`; nothing is kept of other files.
    """

    def __init__(
        self,
        cache: Keeper,
        namespace: str,
        records: Sequence[FileRecord],
        keys: Mapping[str, str],
    ) -> None:
        self._cache, self._namespace = cache, namespace
        # With the record: no other one gets its identity.
        self._keys = {id(one): (one, keys[one.path]) for one in records if one.path in keys}
        self._blobs = cache.views(namespace, [key for _, key in self._keys.values()])
        self._open: dict[str, _Values] = {}
        self._new: set[str] = set()
        self._aside: Spilled[str] = Spilled()
        """What is new of files that are not open."""
        self._changed: set[str] = set()
        """Open files of which more is new than was put aside."""
        self._done: dict[str, bytes] = {}
        """What is new of finished records, until there is a batch of it."""
        self._contents: dict[str, bytes] = {}
        self._size = 0
        """Bytes of these."""
        # With the list: no other one gets its identity.
        self._made: dict[tuple[str, int], tuple[Sequence[FileRecord], Any]] = {}

    def has(self, record: object) -> bool:
        """Returns whether the values of a record are kept."""
        return id(record) in self._keys

    def get(self, record: object, name: str, more: str, kind: msgspec.msgpack.Decoder[Any]) -> Any:
        """Returns the value of a function of a record and others, `MISSING` where none is kept."""
        found = self._of(self._keys[id(record)][1]).get(name)
        if found is None or found[0] != more:
            return MISSING
        try:
            return kind.decode(found[1])
        except msgspec.MsgspecError:
            return MISSING

    def raw(self, record: object, name: str, more: str) -> bytes | memoryview | None:
        """Returns the value that `get` decodes, None where none is kept."""
        found = self._of(self._keys[id(record)][1]).get(name) if self.has(record) else None
        return found[1] if found is not None and found[0] == more else None

    def put(self, record: object, name: str, more: str, value: object) -> bytes:
        """Keeps the value of a function of a record and others; returns it encoded."""
        key = self._keys[id(record)][1]
        encoded = msgspec.msgpack.encode(value)
        self._of(key)[name] = (more, encoded)
        self._new.add(key)
        self._changed.add(key)
        return encoded

    def _of(self, key: str) -> _Values:
        found = self._open.get(key)
        if found is None:
            if len(self._open) >= 2 * OPEN:
                self._put_aside()
            found = self._open[key] = self._read(key)
        return found

    def _read(self, key: str) -> _Values:
        """Returns the values of a file that were put aside, or are kept."""
        with suppress(msgspec.MsgspecError):
            if blob := self._aside.get(key) or self._blobs.get(key):
                return _DECODE(blob)  # type: ignore[return-value]
        return {}

    def _put_aside(self) -> None:
        """Holds the values of the files that were opened first no longer."""
        for key in list(self._open)[:OPEN]:
            values = self._open.pop(key)
            if key in self._changed:
                self._changed.remove(key)
                self._aside.put(key, msgspec.msgpack.encode(values))

    def key_of(self, record: object) -> str:
        """Returns the key of a record's values, "" where none are kept."""
        found = self._keys.get(id(record))
        return found[1] if found else ""

    def keys_of(self, records: Iterable[object]) -> list[str]:
        """Returns the key of each record's values, "" where none are kept."""
        none = (None, "")
        known = self._keys
        return [known.get(id(one), none)[1] for one in records]

    def once(self, name: str, records: Sequence[FileRecord], make: Callable[[], T]) -> T:
        """Returns what is made of a list of records; it is made once for that very list."""
        found = self._made.get((name, id(records)))
        if found is None or found[0] is not records:
            found = self._made[name, id(records)] = records, make()
        value: T = found[1]
        return value

    def use_contents(self, keys: Iterable[str]) -> None:
        """Records that values are used which are not asked for in this run."""
        self._cache.use(contents_of(self._namespace), keys)

    def of_content(self, key: str, kind: Any, make: Callable[[], Any]) -> Any:
        """Returns the value of a key, made where none of its type is kept."""
        value = self.content(key, kind)
        if value is None:
            value = make()
            self.put_content(key, value)
        return value

    def content(self, key: str, kind: Any) -> Any:
        """Returns the value of a key, None where none of its type is kept."""
        blob = self._cache.views(contents_of(self._namespace), [key]).get(key)
        if blob is not None:
            with suppress(msgspec.MsgspecError):
                return msgspec.msgpack.decode(blob, type=kind)
        return None

    def put_content(self, key: str, value: object) -> None:
        """Keeps the value of a key."""
        encoded = self._contents[key] = msgspec.msgpack.encode(value)
        self._size += len(encoded)
        if self._size > CONTENTS:
            self._save_contents()

    def finish(self, record: object) -> None:
        """Writes what is new of a record, sooner or later, and holds nothing more of it.

        No kept function of it is called any more; one that is would not be kept.
        """
        _, key = self._keys.pop(id(record), (None, ""))
        found = self._new_of(key)
        self._open.pop(key, None)
        self._aside.drop(key)
        self._new.discard(key)
        self._changed.discard(key)
        if found is None:
            return
        self._done[key] = found
        if len(self._done) >= _BATCH:
            self._flush()

    def _new_of(self, key: str) -> bytes | None:
        """Returns the values of a file, encoded, None where none of them is new."""
        if key not in self._new:
            return None
        values = self._open.get(key)
        return self._aside.get(key) if values is None else msgspec.msgpack.encode(values)

    def _flush(self) -> None:
        if self._done:
            self._cache.put_many(self._namespace, self._done)
        self._done = {}

    def save(self) -> None:
        """Writes what is new into the cache."""
        self._flush()
        keys = sorted(self._new)
        for at in range(0, len(keys), _BATCH):
            found = ((key, self._new_of(key)) for key in keys[at : at + _BATCH])
            batch = {key: value for key, value in found if value is not None}
            self._cache.put_many(self._namespace, batch)
        self._save_contents()
        self._new = set()

    def _save_contents(self) -> None:
        if self._contents:
            self._cache.put_many(contents_of(self._namespace), self._contents)
        self._contents, self._size = {}, 0

    def settle(self) -> None:
        """Writes what is new and holds nothing more; what is asked for later is not kept."""
        self.save()
        self._keys, self._blobs, self._open, self._aside = {}, NONE, {}, Spilled()
        self._made = {}


def contents_of(namespace: str) -> str:
    """Returns the namespace of what a namespace's run derives of contents and notes."""
    return f"{namespace} contents"


def titled(name: str) -> str:
    """Returns the key of what is kept under a name, by this code."""
    return f"{program_digest()}:{name.replace(' ', '-')}"


def cut(digests: bytes) -> list[bytes]:
    """Returns digests that stand one behind the other."""
    return [digests[at : at + DIGEST] for at in range(0, len(digests), DIGEST)]


def digest(value: bytes | memoryview | str) -> bytes:
    """Returns DIGEST bytes that stand for a value."""
    data = value.encode() if isinstance(value, str) else value
    return hashlib.blake2b(data, digest_size=DIGEST).digest()
