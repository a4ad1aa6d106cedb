"""The explanations of all files, of which those of earlier runs are decoded when looked at.

After an edit a run asks the explanations of most files for nothing but whether they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
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
        self._kept: dict[str, bytes] = {}
        """The digests of those that earlier runs wrote."""
        self._read: Callable[[str], Blob | None] = lambda path: None
        self._again: Callable[[str], Explanation]
        self._items: dict[str, Explanation] = {}
        self._digests: dict[str, tuple[bytes, bytes]] = {}
        """What stands for those that are no kept ones, once somebody asked."""
        self._joined: tuple[list[str], bytes] | None = None
        """The paths of which `digests` was asked last, and what it said."""

    def keep(
        self,
        digests: Mapping[str, bytes],
        read: Callable[[str], Blob | None],
        again: Callable[[str], Explanation],
    ) -> None:
        """Takes the explanations that the cache keeps, of which only digests are looked at now.

        Args:
            digests: of each file's explanation by path, see `packed`.
            read: gives the explanation as the cache keeps it, None where it is gone.
            again: explains a file once more.
        """
        self._kept, self._read, self._again = dict(digests), read, again
        self._joined = None

    def __getitem__(self, path: str) -> Explanation:
        found = self._items.get(path)
        return self._decoded(path, _DECODE) if found is None else found

    def _decoded(self, path: str, decode: Callable[[Blob], Explanation | T]) -> Explanation | T:
        """Returns what is decoded of the kept explanation of a file, or a new one in its place."""
        if path not in self._kept:
            raise KeyError(path)
        blob = self._read(path)
        if blob is None:
            found = self._items[path] = self._again(path)
            return found
        try:
            return decode(blob[2 * DIGEST :])
        except msgspec.MsgspecError as error:
            # The cache's checksum fits: somebody wrote this, as the index came with the files.
            raise IndexDamagedError(
                f"the kept explanation of {path} is not as hdlgraph writes it ({error}): "
                "run `hdlgraph index --fresh`"
            ) from error

    def __setitem__(self, path: str, item: Explanation) -> None:
        self._order.setdefault(path)
        self._digests.pop(path, None)
        self._joined = None
        self._items[path] = item

    def __delitem__(self, path: str) -> None:
        del self._order[path]
        self._items.pop(path, None)
        self._digests.pop(path, None)
        self._kept.pop(path, None)
        self._joined = None

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
            both = self._kept[path]
            return both[:DIGEST], both[DIGEST:]
        found = self._digests.get(path)
        if found is None:
            found = self._digests[path] = _whole(item), _searched(item)
        return found

    def digests(self, paths: Sequence[str]) -> bytes:
        """Returns what stands for each file's explanation, zeros where it has none."""
        if self._joined is None or self._joined[0] != paths:
            none = bytes(DIGEST)
            found = (self.digest(path) if path in self else none for path in paths)
            self._joined = list(paths), b"".join(found)
        return self._joined[1]

    def brief(self, path: str) -> Brief:
        """Returns what the graph holds of a file's explanation."""
        given = self._items.get(path)
        found = self._decoded(path, _BRIEF) if given is None else given
        return Brief(found.purpose, found.concepts, found.model)


class Briefs(Mapping[str, Brief]):
    """What the graph holds of explanations by path, which is sent to another process encoded.

    Args:
        found: what it holds of each.
    """

    def __init__(self, found: dict[str, Brief]) -> None:
        self._found = found

    def __getitem__(self, path: str) -> Brief:
        return self._found[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Callable[[bytes], Briefs], tuple[bytes]]:
        """Lets another process have it at a tenth of what pickling each would take."""
        return _read_briefs, (_ENCODE(self._found),)


def _read_briefs(encoded: bytes) -> Briefs:
    return Briefs(msgspec.msgpack.decode(encoded, type=dict[str, Brief]))


def as_texts(explanations: Mapping[str, Explanation]) -> Texts:
    """Returns explanations by path as `Texts`."""
    if isinstance(explanations, Texts):
        return explanations
    found = Texts(explanations)
    found.update(explanations)
    return found
