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
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from hdlgraph.index.memory import once, recall, remember
from hdlgraph.index.request import program_digest
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache

T = TypeVar("T")

_Values = dict[str, tuple[str, msgspec.Raw]]
"""What is kept of a file: name of a function -> (its other arguments, its value)."""
_DECODE = msgspec.msgpack.Decoder(_Values).decode
_MISSING = object()
_Batch = tuple[str, dict[str, bytes]]
_SIZE, _BATCH = 8, 256
"""Bytes that tell how long a batch of new entries is, and files whose values are one."""


def names_of(facts: Mapping[str, str]) -> dict[str, str]:
    """Returns the key under which each file's values are kept, from the keys of its facts."""
    how = _program()
    return {path: f"{how}:{key}" for path, key in facts.items()}


class Returned(NamedTuple):
    """What a process without the cache leaves: new entries by namespace, and all that it used."""

    new: dict[str, dict[str, bytes]]
    used: dict[str, set[str]]
    file: Path | None = None
    """Holds further new entries, a batch after the other."""

    def batches(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yields (namespace, new entries), those of the file first; removes the file."""
        if self.file is not None:
            with self.file.open("rb") as stream:
                while size := int.from_bytes(stream.read(_SIZE), "little"):
                    yield msgspec.msgpack.decode(stream.read(size), type=_Batch)
            self.file.unlink()
        yield from self.new.items()


class Handed:
    """Stands for the cache in another process, which must not open it: what it may ask for.

    Args:
        known: namespace -> key -> value.
        file: takes new entries as they come; without it they are held until all is done.
    """

    def __init__(self, known: dict[str, dict[str, bytes]], file: Path | None = None) -> None:
        self._known, self._file = known, file
        self._returned = Returned({}, {})

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Returns the values of those keys that are known."""
        wanted, known = list(keys), self._known.get(namespace, {})
        self._returned.used.setdefault(namespace, set()).update(wanted)
        return {key: known[key] for key in wanted if key in known}

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Keeps values for whoever has the cache."""
        self._returned.used.setdefault(namespace, set()).update(values)
        if self._file is None:
            self._returned.new.setdefault(namespace, {}).update(values)
            return
        batch = msgspec.msgpack.encode((namespace, values))
        with self._file.open("ab" if self._returned.file else "wb") as stream:
            stream.write(len(batch).to_bytes(_SIZE, "little") + batch)
        self._returned = self._returned._replace(file=self._file)

    def to_return(self) -> Returned:
        """Returns what is new and what was used."""
        return self._returned


def hand_over(
    cache: Cache, namespace: str, keys: Iterable[str], file: Path | None = None
) -> Handed:
    """Returns what another process may ask for in a namespace; see `Derived` and `Handed`."""
    contents = _contents(namespace)
    listed = cache.get_many(contents, [_LIST]).get(_LIST, b"").decode().split()
    known = {namespace: cache.get_many(namespace, keys), contents: cache.get_many(contents, listed)}
    return Handed(known, file)


def take_back(cache: Cache, namespace: str, found: Returned) -> None:
    """Writes what the other process left into the cache."""
    contents = _contents(namespace)
    for name, used in found.used.items():
        cache.use(name, used)
    text = " ".join(sorted(found.used.get(contents, ()))).encode()
    if cache.get_many(contents, [_LIST]).get(_LIST) != text:
        cache.put_many(contents, {_LIST: text})
    for name, values in found.batches():
        cache.put_many(name, values)


_LIST = "list"
"""The entry that lists the contents which the last run asked for."""


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
        cache: Cache | Handed,
        namespace: str,
        records: Sequence[FileRecord],
        keys: Mapping[str, str],
    ) -> None:
        self._cache, self._namespace = cache, namespace
        # With the record: no other one gets its identity.
        self._keys = {id(one): (one, keys[one.path]) for one in records if one.path in keys}
        self._blobs = cache.get_many(namespace, [key for _, key in self._keys.values()])
        self._open: dict[str, _Values] = {}
        self._new: set[str] = set()
        self._done: dict[str, bytes] = {}
        """What is new of finished records, until there is a batch of it."""
        self._contents: dict[str, bytes] = {}

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

    def put(self, record: object, name: str, more: str, value: object) -> None:
        """Keeps the value of a function of a record and others."""
        key = self._keys[id(record)][1]
        self._of(key)[name] = (more, msgspec.Raw(msgspec.msgpack.encode(value)))
        self._new.add(key)

    def _of(self, key: str) -> _Values:
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = {}
            with suppress(msgspec.MsgspecError):
                if blob := self._blobs.get(key):
                    found = self._open[key] = _DECODE(blob)
        return found

    def of_content(self, key: str, kind: Any, make: Callable[[], Any]) -> Any:
        """Returns the value of a key, made where none of its type is kept."""
        blob = self._cache.get_many(_contents(self._namespace), [key]).get(key)
        if blob is not None:
            with suppress(msgspec.MsgspecError):
                return msgspec.msgpack.decode(blob, type=kind)
        value = make()
        self._contents[key] = msgspec.msgpack.encode(value)
        return value

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
            self._cache.put_many(_contents(self._namespace), self._contents)
        self._new, self._contents = set(), {}

    def settle(self) -> None:
        """Writes what is new and holds nothing more; what is asked for later is not kept."""
        self.save()
        self._keys, self._blobs, self._open = {}, {}, {}


def _contents(namespace: str) -> str:
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
        value = _derived.of_content(f"{_program()}:{name.replace(' ', '-')}:{digest}", kind, make)
    return remember(name, digest, make() if value is None else value)


@cache
def _program() -> str:
    return program_digest()


class _Kept:
    """A function of a record: how its values are written and read."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"

    @cached_property
    def decoder(self) -> msgspec.msgpack.Decoder[Any]:
        return msgspec.msgpack.Decoder(get_type_hints(self.function)["return"])


def kept(function: Callable[..., T]) -> Callable[..., T]:
    """Makes a function of one record keep its value for the runs to come.

    For what depends on the record, on the text of its file, and on further arguments that can be
    hashed; of those it keeps the value for the last ones. Arguments by keyword are no part of
    that. Without `keeping` it is `once`.
    """
    how, inner = _Kept(function), once(function)

    @wraps(function)
    def found(one: Any, *more: Hashable, **others: Any) -> T:
        derived = _derived
        if derived is None or not derived.has(one):
            return inner(one, *more, **others)
        said = _said(more)
        value = derived.get(one, how.name, said, how.decoder)
        if value is _MISSING:
            value = inner(one, *more, **others)
            derived.put(one, how.name, said, value)
        result: T = value
        return result

    return found


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
