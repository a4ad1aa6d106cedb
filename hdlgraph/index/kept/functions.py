"""Functions of one record that keep their values for the next run, and what stands for them.

`kept` makes a function of one record take its value from the cache; `keeping` says which records
those are:

    with keeping(Derived(cache, "derived", records, keys)):
        ...                       # kept functions
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar, get_type_hints

import msgspec

from hdlgraph.index.kept.derived import MISSING, Derived, titled
from hdlgraph.index.kept.memory import once, recall, remember
from hdlgraph.model import FileRecord

T = TypeVar("T")

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
    place = _content_key(name, key)
    value: T | None = recall(name, place)
    if value is None and _derived is not None:
        value = _derived.of_content(place, kind, make)
    return remember(name, place, make() if value is None else value)


def former_content(name: str, key: bytes, kind: Any) -> Any:
    """Returns what an earlier run made of a content, see `of_content`; None where it is gone."""
    return _derived and _derived.content(_content_key(name, key), kind)


def use_contents(name: str, keys: Iterable[bytes]) -> None:
    """Records that the next run may ask for what is kept of contents: see `of_content`."""
    if _derived is not None:
        _derived.use_contents(_content_key(name, key) for key in keys)


def _content_key(name: str, key: bytes) -> str:
    return f"{titled(name)}:{hashlib.blake2b(key, digest_size=16).hexdigest()}"


def once_of_all(name: str, records: Sequence[FileRecord], make: Callable[[], T]) -> T:
    """Returns what is made of a list of records, once for as long as values are kept of it."""
    return make() if _derived is None else _derived.once(name, records, make)


def last(name: str, kind: Any) -> Any:
    """Returns what the last run noted under a name, None where that cannot be told."""
    return _derived and _derived.content(titled(name), kind)


def note(name: str, value: object) -> None:
    """Notes something for the next run, in place of what the last one noted."""
    if _derived is not None:
        _derived.put_content(titled(name), value)


def key_of(record: FileRecord) -> str:
    """Returns what stands for the facts of a file, "" where nothing is kept of it."""
    return _derived.key_of(record) if _derived else ""


def keys_of(records: Sequence[FileRecord]) -> list[str]:
    """Returns what stands for the facts of each file, "" where nothing is kept of it."""
    return _derived.keys_of(records) if _derived else [""] * len(records)


class _Kept:
    """A function of a record: how its values are written and read."""

    def __init__(self, function: Callable[..., Any], views: bool) -> None:
        self.function, self.views = function, views
        self.name = name_of(function)

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
        if value is MISSING:
            value = inner(one, *more, **others)
            encoded = derived.put(one, how.name, said, value)
            value = how.decoder.decode(encoded) if how.views else value
        result: T = value
        return result

    return found


def encoded(
    function: Callable[..., object], record: FileRecord, *more: Hashable, **others: Any
) -> bytes | memoryview:
    """Returns the value of a kept function as it is kept, without decoding it where it is."""
    name, said = name_of(function), _said(more)
    raw = _derived.raw(record, name, said) if _derived else None
    if raw is None:
        found = function(record, *more, **others)
        raw = _derived.raw(record, name, said) if _derived else None
        raw = msgspec.msgpack.encode(found) if raw is None else raw
    return raw


def called_with(function: Callable[..., object], *more: Hashable) -> str:
    """Returns the name of a function together with what stands for its further arguments."""
    return f"{name_of(function)}({_said(more)})"


def name_of(function: Callable[..., object]) -> str:
    """Returns the name of a function, which no other one has."""
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
    if value is MISSING or not holds(value):
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
