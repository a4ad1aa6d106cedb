"""Keeps in the cache what is derived of each file's facts alone, for runs of other processes.

Most of what a run computes of an unchanged file is what the run before computed. `kept` makes a
function of one record take its value from there; `keeping` says which records those are:

    with keeping(Derived(cache, "derived", records, keys)):
        ...                       # kept functions
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property, lru_cache, wraps
from typing import Any, Protocol, TypeVar, get_type_hints

import msgspec

from hdlgraph.index.memory import once, recall, remember
from hdlgraph.index.request import program_digest
from hdlgraph.model import FileRecord
from hdlgraph.store.packed.values import Blob

T = TypeVar("T")

_Values = dict[str, tuple[str, bytes | memoryview]]
"""What is kept of a file: name of a function -> (its other arguments, its value as MessagePack).

A value is bytes in bytes, as passing over it is then one step, however long it is."""
_DECODE = msgspec.msgpack.Decoder(dict[str, tuple[str, memoryview]]).decode
_MISSING = object()
_BATCH = 256
"""Files whose values are written at once."""
DIGEST = 12
"""Bytes of what stands for a value, or for a file."""


def names_of(facts: Mapping[str, str]) -> dict[str, str]:
    """Returns the key under which each file's values are kept, from the keys of its facts."""
    how = _program()
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
        self._done: dict[str, bytes] = {}
        """What is new of finished records, until there is a batch of it."""
        self._contents: dict[str, bytes] = {}
        self._stamps: dict[str, bytes] = {}

    def has(self, record: object) -> bool:
        """Returns whether the values of a record are kept."""
        return id(record) in self._keys

    def get(self, record: object, name: str, more: str, kind: msgspec.msgpack.Decoder[Any]) -> Any:
        """Returns the value of a function of a record and others, `_MISSING` where none is kept."""
        found = self._of(self._keys[id(record)][1]).get(name)
        if found is None or found[0] != more:
            return _MISSING
        try:
            return kind.decode(found[1])
        except msgspec.MsgspecError:
            return _MISSING

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
        return encoded

    def _of(self, key: str) -> _Values:
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = {}
            with suppress(msgspec.MsgspecError):
                if blob := self._blobs.get(key):
                    found = self._open[key] = _DECODE(blob)  # type: ignore[assignment]
        return found

    def key_of(self, record: object) -> str:
        """Returns the key of a record's values, "" where none are kept."""
        found = self._keys.get(id(record))
        return found[1] if found else ""

    def digests(
        self,
        name: str,
        records: Sequence[FileRecord],
        value: Callable[[FileRecord], bytes | memoryview],
    ) -> bytes:
        """Returns a digest of the value of each record, one behind the other.

        Those of files that are what they were in the last run are kept in one piece: no value of
        theirs is looked up.

        Args:
            name: of the values.
            records: the files.
            value: gives the value of one as bytes.
        """
        title = _titled(f"digests {name}")
        keys = [self.stands_for(record) for record in records]
        told = self.content(title, tuple[bytes, bytes]) or (b"", b"")
        known = dict(zip(cut(told[0]), cut(told[1]), strict=False))
        found = []
        for record, key in zip(records, keys, strict=True):
            one = known.get(key) if key else None
            found.append(digest(value(record)) if one is None else one)
        now = b"".join(key or bytes(DIGEST) for key in keys), b"".join(found)
        if now != told:
            self.put_content(title, now)
        return now[1]

    def stands_for(self, record: FileRecord) -> bytes:
        """Returns what stands for all that is kept of a record, b"" where nothing is."""
        found = self._keys.get(id(record))
        if found is None:
            return b""
        stamp = self._stamps.get(found[1])
        if stamp is None:
            stamp = self._stamps[found[1]] = digest(found[1])
        return stamp

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
        self._contents[key] = msgspec.msgpack.encode(value)

    def finish(self, record: object) -> None:
        """Writes what is new of a record, sooner or later, and holds nothing more of it.

        No kept function of it is called any more; one that is would not be kept.
        """
        _, key = self._keys.pop(id(record), (None, ""))
        values = self._open.pop(key, None)
        if key not in self._new or values is None:
            return
        self._new.remove(key)
        self._done[key] = msgspec.msgpack.encode(values)
        if len(self._done) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._done:
            self._cache.put_many(self._namespace, self._done)
        self._done = {}

    def save(self) -> None:
        """Writes what is new into the cache."""
        self._flush()
        keys = sorted(self._new)
        for at in range(0, len(keys), _BATCH):
            batch = {key: msgspec.msgpack.encode(self._open[key]) for key in keys[at : at + _BATCH]}
            self._cache.put_many(self._namespace, batch)
        if self._contents:
            self._cache.put_many(contents_of(self._namespace), self._contents)
        self._new, self._contents = set(), {}

    def settle(self) -> None:
        """Writes what is new and holds nothing more; what is asked for later is not kept."""
        self.save()
        self._keys, self._blobs, self._open = {}, NONE, {}


def contents_of(namespace: str) -> str:
    """Returns the namespace of what a namespace's run derives of contents and notes."""
    return f"{namespace} contents"


_derived: Derived | None = None


@contextmanager
def keeping(derived: Derived) -> Iterator[Derived]:
    """Makes kept functions take and leave their values there, and saves them at the end."""
    global _derived
    before, _derived = _derived, derived
    try:
        yield derived
        derived.save()
    finally:
        _derived = before


def finish(record: object) -> None:
    """Says that no kept function of a file's record is called any more: see `Derived`."""
    if _derived is not None:
        _derived.finish(record)


def settle() -> None:
    """Says that no kept function of this process's files is called any more: see `Derived`."""
    if _derived is not None:
        _derived.settle()


@contextmanager
def keeping_nothing() -> Iterator[None]:
    """Makes kept functions compute everything anew."""
    global _derived
    before, _derived = _derived, None
    try:
        yield
    finally:
        _derived = before


def is_keeping() -> bool:
    """Returns whether kept functions may take their values from an earlier run."""
    return _derived is not None


def of_content(name: str, key: bytes, kind: Any, make: Callable[[], T]) -> T:
    """Returns what `make` makes of a content, as kept where it is.

    Args:
        name: of what is made.
        key: all that the value depends on, besides the code.
        kind: the type of the value.
        make: makes it.
    """
    digest = hashlib.blake2b(key, digest_size=16).hexdigest()
    value: T | None = recall(name, digest)
    if value is None and _derived is not None:
        value = _derived.of_content(f"{_titled(name)}:{digest}", kind, make)
    return remember(name, digest, make() if value is None else value)


def last(name: str, kind: Any) -> Any:
    """Returns what the last run noted under a name, None where that cannot be told."""
    return _derived and _derived.content(_titled(name), kind)


def note(name: str, value: object) -> None:
    """Notes something for the next run, in place of what the last one noted."""
    if _derived is not None:
        _derived.put_content(_titled(name), value)


def _titled(name: str) -> str:
    return f"{_program()}:{name.replace(' ', '-')}"


def key_of(record: FileRecord) -> str:
    """Returns what stands for the facts of a file, "" where nothing is kept of it."""
    return _derived.key_of(record) if _derived else ""


def stands_for(record: FileRecord) -> bytes:
    """Returns DIGEST bytes that stand for the facts of a file, b"" where nothing is kept of it."""
    return _derived.stands_for(record) if _derived else b""


def cut(digests: bytes) -> list[bytes]:
    """Returns digests that stand one behind the other."""
    return [digests[at : at + DIGEST] for at in range(0, len(digests), DIGEST)]


@cache
def _program() -> str:
    return program_digest()


class _Kept:
    """A function of a record: how its values are written and read."""

    def __init__(self, function: Callable[..., Any], views: bool) -> None:
        self.function, self.views = function, views
        self.name = _name_of(function)

    @cached_property
    def decoder(self) -> msgspec.msgpack.Decoder[Any]:
        return msgspec.msgpack.Decoder(get_type_hints(self.function)["return"])


def kept(function: Callable[..., T], views: bool = False) -> Callable[..., T]:
    """Makes a function of one record keep its value for the runs to come.

    For what depends on the record, on the text of its file, and on further arguments that can be
    hashed; of those it keeps the value for the last ones. Arguments by keyword are no part of
    that. Without `keeping` it is `once`.

    Args:
        function: the function.
        views: whether its value is mostly views, which then lead into what is kept: there is
            no second copy of what they show.
    """
    how, inner = _Kept(function, views), once(function)

    @wraps(function)
    def found(one: Any, *more: Hashable, **others: Any) -> T:
        derived = _derived
        if derived is None or not derived.has(one):
            return inner(one, *more, **others)
        said = _said(more)
        value = derived.get(one, how.name, said, how.decoder)
        if value is _MISSING:
            value = inner(one, *more, **others)
            encoded = derived.put(one, how.name, said, value)
            value = how.decoder.decode(encoded) if how.views else value
        result: T = value
        return result

    return found


def stamp_of(
    function: Callable[..., object],
    records: Iterable[FileRecord],
    *more: Hashable,
    **others: Any,
) -> bytes:
    """Returns what stands for the values of a kept function for all records, in their order."""

    def value(record: FileRecord) -> bytes | memoryview:
        raw = _derived.raw(record, name, said) if _derived else None
        if raw is None:
            found = function(record, *more, **others)
            raw = _derived.raw(record, name, said) if _derived else None
            raw = msgspec.msgpack.encode(found) if raw is None else raw
        return raw

    name, said = _name_of(function), _said(more)
    listed = list(records)
    if _derived is not None:
        stamps = _derived.digests(f"{name}({said})", listed, value)
    else:
        stamps = b"".join(digest(value(record)) for record in listed)
    return hashlib.blake2b(stamps, digest_size=16).digest()


def digest(value: bytes | memoryview | str) -> bytes:
    """Returns DIGEST bytes that stand for a value."""
    data = value.encode() if isinstance(value, str) else value
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


def _name_of(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def while_it_holds(
    record: FileRecord,
    name: str,
    more: str,
    kind: msgspec.msgpack.Decoder[T],
    holds: Callable[[T], bool],
    make: Callable[[], T],
) -> T:
    """Returns the value that is kept of a record where it still holds, else makes and keeps one.

    Args:
        record: the facts of a file.
        name: of the value.
        more: what the value depends on besides the record, the code and what `holds` looks at.
        kind: reads a value.
        holds: tells whether a kept value is still true.
        make: makes a value.
    """
    derived = _derived
    if derived is None or not derived.has(record):
        return make()
    value = derived.get(record, name, more, kind)
    if value is _MISSING or not holds(value):
        value = make()
        derived.put(record, name, more, value)
    found: T = value
    return found


@lru_cache(maxsize=256)
def _said(more: tuple[Hashable, ...]) -> str:
    """Returns what stands for further arguments, "" for none."""
    if not more:
        return ""
    plain = [sorted(one) if isinstance(one, frozenset) else one for one in more]
    return hashlib.sha256(repr(plain).encode()).hexdigest()[:16]
