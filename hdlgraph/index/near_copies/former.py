"""Tells whether the near copies that the last run found are still those of a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from hdlgraph.index.kept.derived import CHANGED, DIGEST, digest
from hdlgraph.index.kept.derived import cut as digests
from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.unchanged import all_stamps, by_segment, cut, stamp_of
from hdlgraph.index.near_copies.outline import is_readable, outline_of
from hdlgraph.index.near_copies.shape import Shape
from hdlgraph.model import FileRecord


class _Noted(msgspec.Struct, array_like=True):
    """What the last run found, and what that depends on.

    `outlines` stands for all paths, outlines and what may be read, the others are digests of each
    file in turn: of its facts, its content, and its shape.
    """

    outlines: bytes
    facts: bytes
    contents: bytes
    shapes: bytes
    groups: list[list[int]]


class Former:
    """The groups of the last run, which are those of this one where nothing new tells files apart.

    That is so where all outlines are the same, each file that was edited has the shape that it had,
    and none of these has or had the content of another one.

    Args:
        records: facts of all files, sorted by path.
    """

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self._records = records
        self._facts = all_stamps(records)
        kind = tuple[bytes, bytes]
        parts = by_segment("contents", records, cut(records), kind, _said)
        self._contents = b"".join(contents for _, contents in parts)
        self._outlines = digest(b"".join(of for of, _ in parts)) + stamp_of(outline_of, records)

    def groups(
        self, shapes_of: Callable[[Sequence[FileRecord]], Mapping[str, Shape]]
    ) -> list[list[int]] | None:
        """Returns the groups of the last run, None where they may be others now.

        Args:
            shapes_of: gives the shapes of files by path.
        """
        noted = last("near copies", _Noted)
        if noted is None or noted.outlines != self._outlines:
            return None
        facts, was = (_rows(one) for one in (self._facts, noted.facts))
        size = len(self._facts)
        each = (noted.facts, noted.contents, noted.shapes, self._contents)
        fits = all(len(one) == size for one in each)
        if not fits or size != DIGEST * len(self._records) or not facts.any(axis=1).all():
            return None
        contents, shapes, now_contents = map(
            digests, (noted.contents, noted.shapes, self._contents)
        )
        changed = np.flatnonzero((facts != was).any(axis=1)).tolist()
        if len(changed) > CHANGED:
            return None
        seen = Counter(now_contents) + Counter(contents[at] for at in changed)
        lookable = [self._records[at] for at in changed if shapes[at] != bytes(DIGEST)]
        now = shapes_of([one for one in lookable if is_readable(one)])
        for at in changed:
            record, content = self._records[at], now_contents[at]
            if shapes[at] != _digest_of(now.get(record.path)):
                return None
            if content != contents[at] and max(seen[content], seen[contents[at]]) > 1:
                return None
        if changed:
            self._write(noted.groups, noted.shapes)
        return noted.groups

    def note(self, groups: list[list[int]], shapes: Mapping[str, Shape]) -> None:
        """Notes groups and shapes by path for the next run."""
        self._write(groups, b"".join(_digest_of(shapes.get(one.path)) for one in self._records))

    def _write(self, groups: list[list[int]], shapes: bytes) -> None:
        note("near copies", _Noted(self._outlines, self._facts, self._contents, shapes, groups))


def _said(records: Sequence[FileRecord]) -> tuple[bytes, bytes]:
    """Returns what stands for the paths of files and what may be read, and for each content."""
    paths = "\0".join(f"{one.path}\0{is_readable(one)}" for one in records)
    return digest(paths), b"".join(digest(one.sha256 if one.size else "") for one in records)


def _rows(digests: bytes) -> np.ndarray:
    return np.frombuffer(digests[: len(digests) // DIGEST * DIGEST], np.uint8).reshape(-1, DIGEST)


def _digest_of(shape: Shape | None) -> bytes:
    """Returns what stands for a shape; zeros where there is none."""
    return bytes(DIGEST) if shape is None else digest(shape.digest)
