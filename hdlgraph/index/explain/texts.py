"""The explanations of all files, of which those of earlier runs are decoded when looked at.

After an edit a run asks the explanations of most files for nothing but whether they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import TypeVar

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.index.kept.derived import DIGEST, digest
from hdlgraph.model import Explanation
from hdlgraph.store.packed.values import Blob

T = TypeVar("T")

_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(Explanation).decode


class Brief(msgspec.Struct, frozen=True):
    """What the graph holds of an explanation."""

    purpose: str
    concepts: tuple[str, ...] = ()
    model: str = Explanation(path="", purpose="").model


_BRIEF = msgspec.msgpack.Decoder(Brief).decode


def packed(item: Explanation) -> bytes:
    """Returns an explanation as the cache keeps it: its digests (see `Texts`), then itself."""
    return _whole(item) + _searched(item) + _ENCODE(item)


def _whole(item: Explanation) -> bytes:
    return digest(_ENCODE(item))


def _searched(item: Explanation) -> bytes:
    return digest(item.for_search().to_text())


class Texts(MutableMapping[str, Explanation]):
    """The explanations of files by path, in a fixed order.

    Args:
        paths: of all files that are explained, now or in a moment, in that order.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._order = dict.fromkeys(paths)
        self._kept: dict[str, Blob] = {}
        self._items: dict[str, Explanation] = {}
        self._digests: dict[str, tuple[bytes, bytes]] = {}
        """What stands for those that are no kept ones, once somebody asked."""

    def keep(self, path: str, blob: Blob) -> None:
        """Takes the explanation that the cache keeps of a file, see `packed`."""
        self._kept[path] = blob

    def __getitem__(self, path: str) -> Explanation:
        found = self._items.get(path)
        return self._decoded(path, _DECODE) if found is None else found

    def _decoded(self, path: str, decode: Callable[[Blob], T]) -> T:
        try:
            return decode(self._kept[path][2 * DIGEST :])
        except msgspec.MsgspecError as error:
            # The cache's checksum fits: somebody wrote this, as the index came with the files.
            raise IndexDamagedError(
                f"the kept explanation of {path} is not as hdlgraph writes it ({error}): "
                "run `hdlgraph index --fresh`"
            ) from error

    def __setitem__(self, path: str, item: Explanation) -> None:
        self._order.setdefault(path)
        self._digests.pop(path, None)
        self._items[path] = item

    def __delitem__(self, path: str) -> None:
        del self._order[path]
        self._items.pop(path, None)
        self._digests.pop(path, None)
        self._kept.pop(path, None)

    def __contains__(self, path: object) -> bool:
        return path in self._items or path in self._kept

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._order if path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def told(self) -> dict[str, Explanation]:
        """Returns those that are no kept ones: given, or written now."""
        return self._items

    def digest(self, path: str) -> bytes:
        """Returns what stands for the explanation of a file."""
        return self._stamps(path)[0]

    def searched(self, path: str) -> bytes:
        """Returns what stands for the texts of a file's explanation that are searched."""
        return self._stamps(path)[1] if path in self else b""

    def _stamps(self, path: str) -> tuple[bytes, bytes]:
        item = self._items.get(path)
        if item is None:
            blob = self._kept[path]
            return bytes(blob[:DIGEST]), bytes(blob[DIGEST : 2 * DIGEST])
        found = self._digests.get(path)
        if found is None:
            found = self._digests[path] = _whole(item), _searched(item)
        return found

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        """Returns what stands for each file's explanation by path, "" where it has none."""
        return {path: self.digest(path).hex() if path in self else "" for path in paths}

    def brief(self, path: str) -> Brief:
        """Returns what the graph holds of a file's explanation."""
        found = self._items.get(path)
        if found is None:
            return self._decoded(path, _BRIEF)
        return Brief(found.purpose, found.concepts, found.model)


def as_texts(explanations: Mapping[str, Explanation]) -> Texts:
    """Returns explanations by path as `Texts`."""
    if isinstance(explanations, Texts):
        return explanations
    found = Texts(explanations)
    found.update(explanations)
    return found
