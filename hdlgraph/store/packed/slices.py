"""Files of a generation that hold a slice for each source file, made from those of the former one.

After an edit the slices of all other files are what they were: each row of neighbouring ones is
copied as one piece, and none of them is made, or even looked at.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import msgspec

from hdlgraph.store.cache import Cache
from hdlgraph.store.manifest import Manifest

if TYPE_CHECKING:
    import numpy as np

    _Places = tuple[np.ndarray, np.ndarray]

NAMESPACE, KEY = "slices", "last"
"""Where the cache keeps the places of the last run's slices."""
ARRAY = 5
"""Bytes of the MessagePack header of an array, which is written in its longest form."""


class _Group(msgspec.Struct, array_like=True, frozen=True):
    """What is kept of some files of a generation: see `Former`.

    `paths` are those of the source files, NUL between them; `keys` those of each, which are equally
    long; `sizes` are, by file, uint32 pairs (items, bytes) of each source file.
    """

    paths: bytes
    keys: bytes
    sizes: dict[str, bytes]


class _Noted(msgspec.Struct, array_like=True, frozen=True):
    """What is kept of a run.

    `generation` stands for the generation's bytes; `paths` are those of the groups, of which most
    have the same, each once, and a group names the place of its own there.
    """

    generation: str
    paths: list[bytes]
    groups: dict[str, tuple[int, bytes, dict[str, bytes]]]


class Former:
    """The slices of the former generation.

    Args:
        folder: of that generation.
        noted: the places of its slices.

    Raises:
        ValueError: they do not fit each other.
    """

    def __init__(self, folder: Path, noted: _Group) -> None:
        self.folder, self._sizes = folder, noted.sizes
        self._paths, self._keys = noted.paths, noted.keys
        self._count = _count_of(noted.paths)
        if len(noted.keys) % max(self._count, 1):
            raise ValueError("keys of slices do not fit")

    def rows(self, paths: bytes, keys: bytes) -> np.ndarray:
        """Returns the number of each file in the former run; -1 where its facts were others."""
        import numpy as np

        count = _count_of(paths)
        width = len(keys) // max(count, 1)
        if not self._count or not width or len(self._keys) != width * self._count:
            return np.full(count, -1, np.int64)
        now = np.frombuffer(keys, np.uint8).reshape(count, width)
        was = np.frombuffer(self._keys, np.uint8).reshape(self._count, width)
        at = self._numbers(paths, count)
        is_same = (was[at] == now).all(axis=1) & now.any(axis=1) & (at >= 0)
        return np.where(is_same, at, -1)

    def _numbers(self, paths: bytes, count: int) -> np.ndarray:
        """Returns the number of each path in the former run, -1 where it was not there."""
        import numpy as np

        if paths == self._paths:
            return np.arange(count)
        known = {path: at for at, path in enumerate(self._paths.split(b"\0"))}
        return np.asarray([known.get(path, -1) for path in paths.split(b"\0")], np.int64)

    def places(self, name: str) -> _Places | None:
        """Returns where the slices of a file begin, in items and in bytes; None where unknown."""
        import numpy as np

        told = self._sizes.get(name, b"")
        if len(told) != 8 * self._count:
            return None
        sizes = np.frombuffer(told, np.uint32).reshape(-1, 2)
        begins = np.zeros((self._count + 1, 2), np.int64)
        np.cumsum(sizes, axis=0, out=begins[1:])
        return begins[:, 0], begins[:, 1]

    def data(self, name: str) -> memoryview:
        """Returns the bytes of a file of the former generation, mapped.

        Raises:
            OSError: it cannot be read.
        """
        path = self.folder / name
        with path.open("rb") as stream:
            if not path.stat().st_size:
                return memoryview(b"")
            return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


class Piece(NamedTuple):
    """What was written of a stretch of source files.

    `lengths` are the bytes of each item that was made, int64; of one that was taken they are
    empty, and it is the former items `first` to `end`.
    """

    lengths: np.ndarray
    first: int = 0
    end: int = 0


class Slices:
    """The slices of some files of a new generation, which depend on the same.

    Args:
        folder: of the generation.
        paths: of the source files, in their order.
        keys: what stands for all that the slices of each path depend on, one behind the other and
            equally long; those of zeros are made.
        former: the slices of the generation before.
    """

    def __init__(
        self,
        folder: Path,
        paths: Sequence[str],
        keys: bytes = b"",
        former: Former | None = None,
    ) -> None:
        import numpy as np  # loaded where there is something to write

        self.folder, self.former = folder, former
        self._count = len(paths)
        self._paths = "\0".join(paths).encode(errors="surrogateescape")
        if len(keys) % max(self._count, 1):
            raise ValueError("keys of slices are not equally long")
        self._keys = keys
        self._sizes: dict[str, bytes] = {}
        self._none = np.full(self._count, -1, np.int64)
        self._rows = former.rows(self._paths, keys) if former else self._none

    def write(
        self, name: str, make: Callable[[int], Iterable[bytes]], is_array: bool = True
    ) -> list[Piece]:
        """Writes a file; returns what was written of it, in order.

        Args:
            name: of the file.
            make: gives the items of the source file of a number.
            is_array: whether they are those of one array as MessagePack; they follow each other
                without anything else where not.
        """
        import numpy as np

        head = ARRAY if is_array else 0
        places, data = self._taken(name, head)
        sizes = np.zeros((self._count, 2), np.int64)
        pieces = []
        with (self.folder / name).open("wb") as stream:
            stream.write(bytes(head))
            for first, end, former in _stretches(self._rows if places else self._none):
                if places is None or former < 0:
                    lengths = [_written(stream, make(number)) for number in range(first, end)]
                    sizes[first:end] = [(len(one), sum(one)) for one in lengths]
                    pieces.append(Piece(np.array([*chain(*lengths)], np.int64)))
                    continue
                items, begins = (of[former : former + end - first + 1] for of in places)
                stream.write(data[head + int(begins[0]) : head + int(begins[-1])])
                sizes[first:end, 0], sizes[first:end, 1] = np.diff(items), np.diff(begins)
                pieces.append(Piece(np.zeros(0, np.int64), int(items[0]), int(items[-1])))
            if is_array:
                stream.seek(0)
                stream.write(b"\xdd" + int(sizes[:, 0].sum()).to_bytes(4, "big"))
        self._sizes[name] = sizes.astype(np.uint32).tobytes()
        return pieces

    def _taken(self, name: str, head: int) -> tuple[_Places | None, memoryview]:
        """Returns where the former slices of a file begin and its bytes; None where unknown."""
        found = self.former and self.former.places(name)
        if self.former and found:
            with suppress(OSError, ValueError):
                data = self.former.data(name)
                if len(data) == head + int(found[1][-1]):
                    return found, data
        return None, memoryview(b"")

    def counts(self, name: str) -> np.ndarray:
        """Returns how many items of a file that was written each source file has, int64."""
        import numpy as np

        return np.frombuffer(self._sizes[name], np.uint32).reshape(-1, 2)[:, 0].astype(np.int64)

    @property
    def noted(self) -> _Group:
        """Returns what is kept for the run after this one."""
        return _Group(self._paths, self._keys, self._sizes)


class Slicing:
    """The slices of a new generation, by groups of files.

    Args:
        folder: of the generation.
        cache: keeps where the slices of a run are.
        former: the folder and the manifest of the generation before, if there is one.
    """

    def __init__(
        self,
        folder: Path,
        cache: Cache | None = None,
        former: tuple[Path, Manifest] | None = None,
    ) -> None:
        self.folder, self._cache = folder, cache
        self._groups: dict[str, Slices] = {}
        self._former: tuple[Path, _Noted] | None = None
        blob = cache.get_many(NAMESPACE, [KEY]).get(KEY) if cache and former else None
        if former is not None and blob is not None:
            with suppress(msgspec.MsgspecError):
                noted = msgspec.msgpack.decode(blob, type=_Noted)
                if noted.generation == _stamp(former[1]):
                    self._former = former[0], noted

    def group(self, name: str, paths: Sequence[str], keys: bytes) -> Slices:
        """Returns the slices of a group of files; see `Slices`."""
        former = None
        if self._former and name in self._former[1].groups:
            folder, noted = self._former
            place, told, sizes = noted.groups[name]
            with suppress(ValueError, LookupError):
                former = Former(folder, _Group(noted.paths[place], told, sizes))
        found = self._groups[name] = Slices(self.folder, paths, keys, former)
        return found

    def written(self) -> list[str]:
        """Returns the files that were written."""
        return [name for one in self._groups.values() for name in one.noted.sizes]

    def note(self, manifest: Manifest) -> None:
        """Keeps where the slices are for the run after this one, whose generation is valid now."""
        if self._cache is None:
            return
        paths: dict[bytes, int] = {}
        groups = {}
        for name, slices in sorted(self._groups.items()):
            one = slices.noted
            groups[name] = paths.setdefault(one.paths, len(paths)), one.keys, one.sizes
        noted = _Noted(_stamp(manifest), list(paths), groups)
        self._cache.put_many(NAMESPACE, {KEY: msgspec.msgpack.encode(noted)})


def _count_of(paths: bytes) -> int:
    """Returns how many paths there are, NUL between them."""
    return paths.count(b"\0") + 1 if paths else 0


def _stamp(manifest: Manifest) -> str:
    """Returns what stands for the bytes of a generation."""
    return hashlib.sha256(msgspec.json.encode(sorted(manifest.checksums.items()))).hexdigest()


def _written(stream: IO[bytes], items: Iterable[bytes]) -> list[int]:
    """Writes items; returns how long each is."""
    return [stream.write(item) for item in items]


def _stretches(rows: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yields (first, end, former number of the first) of files that are neighbours in both runs.

    The former number is -1 of files whose slices are to be made.
    """
    import numpy as np

    if not len(rows):
        return
    follows = np.where(rows[:-1] < 0, -1, rows[:-1] + 1)
    begins = [0, *(np.flatnonzero(rows[1:] != follows) + 1).tolist()]
    for first, end in zip(begins, [*begins[1:], len(rows)], strict=True):
        yield first, end, int(rows[first])
