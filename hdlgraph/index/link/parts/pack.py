"""Nodes and edges of one file as bytes: small to keep, and joined with others without a loop.

What of a row is said by many (kind, origin ...) is a shape, which stands once; its numbers are
int32, row by row; its texts UTF-8, one behind the other, with their lengths among the numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.index.link.parts.builder import Row

if TYPE_CHECKING:
    import numpy as np

NODE_SHAPE = ("kind", "origin", "confidence", "condition", "shape")
NODE_TEXTS = ("id", "name", "text", "detail")
LENGTHS = 4
NODE_NUMBERS = LENGTHS + len(NODE_TEXTS)
"""Of a node: its shape, path, line and last line, and the lengths of its texts."""
EDGE_SHAPE = (
    *("kind", "origin", "confidence", "resolved", "witnesses", "trust", "direction", "reason"),
)
EDGE_NUMBERS = 10
"""Of an edge: its shape, path and line, the length of its text; of source, target and instance each
the number of a place and the row from there."""

NodeShape = tuple[str, str, float, str, str]
EdgeShape = tuple[str, str, float, str, str, str, str, str]
NOWHERE = ""
"""The place of a row that is counted from 0: of none (-1), or of one that no file has."""
STUB = "\0"
"""What the place of a stub begins with: "\\0KIND\\0NAME"; the others are paths of files."""


NONE = memoryview(b"")
NO_SHAPES = memoryview(msgspec.msgpack.encode([]))


class NodePart(msgspec.Struct, frozen=True, array_like=True):
    """Nodes of one file, in the order of their rows.

    `shapes` is a MessagePack array of shapes, each MessagePack in bytes: of most it is enough to
    know that it is the same as another one. It, numbers and texts are views: read from a cache they
    are not copied before they are joined.
    """

    shapes: memoryview
    paths: list[str]
    numbers: memoryview
    texts: tuple[memoryview, memoryview, memoryview, memoryview]

    @property
    def count(self) -> int:
        """Returns how many nodes there are."""
        return len(self.numbers) // (4 * NODE_NUMBERS)

    @classmethod
    def none(cls) -> NodePart:
        """Returns a part without nodes."""
        return cls(NO_SHAPES, [], NONE, (NONE, NONE, NONE, NONE))


class EdgePart(msgspec.Struct, frozen=True, array_like=True):
    """Edges that one file states, in order; an end is a row counted from the first of its place."""

    shapes: memoryview = NO_SHAPES
    paths: list[str] = []
    numbers: memoryview = NONE
    texts: memoryview = NONE
    places: list[str] = []

    @property
    def count(self) -> int:
        """Returns how many edges there are."""
        return len(self.numbers) // (4 * EDGE_NUMBERS)


def pack_nodes(rows: Sequence[Row]) -> NodePart:
    """Returns the nodes of a builder as a part."""
    if not rows:
        return NodePart.none()
    ids, kinds, names, paths, lines, ends, texts, origins, sure, details, under, shapes = zip(
        *rows, strict=True
    )
    known, codes = _coded(zip(kinds, origins, sure, under, shapes, strict=True))
    files, places = _coded(paths)
    said = [_joined(one) for one in (ids, names, texts, details)]
    numbers = _numbers(codes, places, lines, ends, *(lengths for _, lengths in said))
    return NodePart(
        _encoded(known), files, numbers, (said[0][0], said[1][0], said[2][0], said[3][0])
    )


def pack_edges(rows: Sequence[Row], place_of: Callable[[int], tuple[str, int]]) -> EdgePart:
    """Returns the edges of a builder as a part.

    Args:
        rows: the edges.
        place_of: gives the place of a row and the row counted from there.
    """
    if not rows:
        return EdgePart()
    (
        sources, targets, kinds, paths, lines, texts, origins, sure, resolved, witnesses, trust,
        instances, ways, reasons,
    ) = zip(*rows, strict=True)  # fmt: skip
    shaped = zip(kinds, origins, sure, resolved, witnesses, trust, ways, reasons, strict=True)
    known, codes = _coded(shaped)
    files, of_file = _coded(paths)
    data, lengths = _joined(texts)
    places: dict[str, int] = {}
    where: dict[int, tuple[int, int]] = {}
    for row in dict.fromkeys((*sources, *targets, *instances)):
        place, rest = place_of(row)
        where[row] = (places.setdefault(place, len(places)), rest)
    ends: list[Iterable[int]] = []
    for column in (sources, targets, instances):
        ends += zip(*map(where.__getitem__, column), strict=True)
    return EdgePart(
        _encoded(known), files, _numbers(codes, of_file, lines, lengths, *ends), data, list(places)
    )


def _coded(values: Iterable[Any]) -> tuple[list[Any], list[int]]:
    """Returns the different values in the order in which they come, and the number of each."""
    known: dict[Any, int] = {}
    codes = [known.setdefault(value, len(known)) for value in values]
    return list(known), codes


def _encoded(shapes: Iterable[NodeShape | EdgeShape]) -> memoryview:
    return memoryview(msgspec.msgpack.encode([msgspec.msgpack.encode(one) for one in shapes]))


def encoded_shapes(part: NodePart | EdgePart) -> list[bytes]:
    """Returns the shapes of a part, each as MessagePack.

    Raises:
        ValueError: they are none.
    """
    try:
        return _SHAPES(part.shapes)
    except msgspec.MsgspecError as error:
        raise ValueError(f"a part has no list of shapes: {error}") from error


_SHAPES = msgspec.msgpack.Decoder(list[bytes]).decode


def shapes_of(found: Iterable[bytes], kind: Any) -> list[Any]:
    """Returns shapes of a kind, `NodeShape` or `EdgeShape`.

    Raises:
        ValueError: one is none.
    """
    decode = msgspec.msgpack.Decoder(kind).decode
    try:
        return [decode(one) for one in found]
    except msgspec.MsgspecError as error:
        raise ValueError(f"a part has a shape that is none: {error}") from error


def _joined(texts: Sequence[str]) -> tuple[memoryview, list[int]]:
    """Returns texts as UTF-8, one behind the other, and the bytes of each."""
    whole = "".join(texts)
    if whole.isascii():  # a letter is a byte, so no text need be encoded by itself
        return memoryview(whole.encode()), list(map(len, texts))
    coded = [text.encode() for text in texts]
    return memoryview(b"".join(coded)), list(map(len, coded))


def _numbers(*columns: Iterable[int]) -> memoryview:
    import numpy as np

    return memoryview(np.array(list(zip(*columns, strict=True)), np.int32).tobytes())


def numbers_of(parts: Iterable[NodePart | EdgePart], width: int) -> np.ndarray:
    """Returns the numbers of parts, int32 (rows, width)."""
    import numpy as np

    return np.frombuffer(b"".join(one.numbers for one in parts), np.int32).reshape(-1, width)


def texts_of(part: NodePart, column: str) -> list[str]:
    """Returns one text of each node of a part."""
    at = NODE_TEXTS.index(column)
    ends = [0, *accumulate(numbers_of((part,), NODE_NUMBERS)[:, LENGTHS + at].tolist())]
    return [str(part.texts[at][begin:end], "utf-8") for begin, end in pairwise(ends)]


def named_nodes(part: NodePart) -> Iterator[tuple[str, str, int]]:
    """Yields (kind, name, line) of each node of a part."""
    numbers = numbers_of((part,), NODE_NUMBERS)[:, :3].tolist()
    kinds = [shape[0] for shape in shapes_of(encoded_shapes(part), NodeShape)]
    for (shape, _, line), name in zip(numbers, texts_of(part, "name"), strict=True):
        yield kinds[shape], name, line


class Places:
    """Says where rows of the whole graph are: in which file, or of which stub.

    Args:
        paths: of the files, in the order of their rows.
        firsts: the first row of each, and the end of the last.
        stubs: the places of the stubs; their rows follow those of the files.
    """

    def __init__(self, paths: Sequence[str], firsts: Sequence[int], stubs: Sequence[str]) -> None:
        self._paths, self._firsts, self._stubs = paths, firsts, stubs

    def of(self, row: int) -> tuple[str, int]:
        """Returns the place of a row, and the row counted from there."""
        if row < 0:
            return NOWHERE, row
        if row >= self._firsts[-1]:
            return self._stubs[row - self._firsts[-1]], 0
        at = bisect_right(self._firsts, row) - 1
        return self._paths[at], row - self._firsts[at]
