"""Stands for the cache in a process of its own, and takes over what that process derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from hdlgraph.index.kept.derived import NONE, Keeper, Values, contents_of
from hdlgraph.store.cache import Cache

_Batch = tuple[str, dict[str, bytes]]
_SIZE = 8
"""Bytes that tell how long a batch of new entries is."""


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

    def __init__(self, known: Mapping[str, Values], file: Path | None = None) -> None:
        self._known, self._file = known, file
        self._returned = Returned({}, {})

    def views(self, namespace: str, keys: Iterable[str]) -> Values:
        """Returns the values of a namespace, of which those of the keys will be asked for."""
        self._returned.used.setdefault(namespace, set()).update(keys)
        return self._known.get(namespace, NONE)

    def use(self, namespace: str, keys: Iterable[str]) -> None:
        """Records that entries are used which need not be read."""
        self._returned.used.setdefault(namespace, set()).update(keys)

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
    contents = contents_of(namespace)
    listed = cache.get_many(contents, [_LIST]).get(_LIST, b"").decode().split()
    known = {namespace: cache.views(namespace, keys), contents: cache.views(contents, listed)}
    return Handed(known, file)


def take_back(cache: Cache, namespace: str, found: Returned) -> None:
    """Writes what the other process left into the cache."""
    contents = contents_of(namespace)
    text = " ".join(sorted(found.used.get(contents, ()))).encode()
    if cache.get_many(contents, [_LIST]).get(_LIST) != text:
        cache.put_many(contents, {_LIST: text})

    def values() -> Iterator[tuple[str, bytes]]:
        for name, batch in found.batches():
            if name == namespace:
                yield from batch.items()
            else:
                cache.put_many(name, batch)

    for name, used in found.used.items():
        cache.use(name, used)
    cache.fill(namespace, values())
    if found.file is not None:  # of which a full disk may have left a part
        found.file.unlink(missing_ok=True)


def keep(cache: Keeper, found: Returned) -> None:
    """Writes new entries into the cache, and records which ones are used."""
    for name, used in found.used.items():
        cache.use(name, used)
    for name, values in found.batches():
        cache.put_many(name, values)


_LIST = "list"
"""The entry that lists the contents which the last run asked for."""
