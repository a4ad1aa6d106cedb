"""Tells whether the near copies that the last run found are still those of a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from hdlgraph.index.kept.derived import CHANGED, DIGEST, cut, digest
from hdlgraph.index.kept.functions import last, note, stands_for
from hdlgraph.index.kept.unchanged import stamp_of
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
        self._facts = [stands_for(one) or bytes(DIGEST) for one in records]
        self._contents = [digest(one.sha256 if one.size else "") for one in records]
        paths = "\0".join(f"{one.path}\0{is_readable(one)}" for one in records)
        self._outlines = digest(paths) + stamp_of(outline_of, records)

    def groups(
        self, shapes_of: Callable[[Sequence[FileRecord]], Mapping[str, Shape]]
    ) -> list[list[int]] | None:
        """Returns the groups of the last run, None where they may be others now.

        Args:
            shapes_of: gives the shapes of files by path.
        """
        noted = last("near copies", _Noted)
        if noted is None or noted.outlines != self._outlines or bytes(DIGEST) in self._facts:
            return None
        facts, contents, shapes = map(cut, (noted.facts, noted.contents, noted.shapes))
        if not len(facts) == len(contents) == len(shapes) == len(self._records):
            return None
        changed = [at for at, one in enumerate(self._facts) if one != facts[at]]
        if len(changed) > CHANGED:
            return None
        seen = Counter(self._contents) + Counter(contents[at] for at in changed)
        lookable = [self._records[at] for at in changed if shapes[at] != bytes(DIGEST)]
        now = shapes_of([one for one in lookable if is_readable(one)])
        for at in changed:
            record, content = self._records[at], self._contents[at]
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
        facts, contents = b"".join(self._facts), b"".join(self._contents)
        note("near copies", _Noted(self._outlines, facts, contents, shapes, groups))


def _digest_of(shape: Shape | None) -> bytes:
    """Returns what stands for a shape; zeros where there is none."""
    return bytes(DIGEST) if shape is None else digest(shape.digest)
