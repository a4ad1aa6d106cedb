"""Cuts the files of a repository into segments, and makes only those whose files changed.

Where a segment ends depends on the paths around alone, so that a run after edits cuts as a first
one does, and all other segments stay what they are. A segment that has a file more, less or
otherwise than one of the former generation is made of that one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from hdlgraph.index.lexical import block as blocks
from hdlgraph.index.lexical.block import Block
from hdlgraph.index.lexical.mine_abbreviations import Counts, count
from hdlgraph.index.lexical.tokens import Encoded, Mined
from hdlgraph.knowledge.projects import Projects
from hdlgraph.store.cache import Cache
from hdlgraph.store.lexical import SegmentRow
from hdlgraph.store.words import segment as stored
from hdlgraph.store.words.segment import Segment

LEAST, USUAL, MOST = 1024, 1024, 4096
"""Files of a segment: it has LEAST, then as many as it takes to come to one whose path says that
it is the last, which one in USUAL does; and MOST at most."""
WHOLE = 0.5
"""Share of a segment's files from which on it is made of all its files again."""


STRANGE = (OSError, EOFError, ValueError, LookupError, RecursionError, MemoryError)
"""What reading a segment raises that has fitting checksums and is still none."""


class Former(Protocol):
    """The lexical index of the former generation."""

    rows: Sequence[SegmentRow]

    def folder(self, row: SegmentRow) -> Path:
        """Returns the folder of a segment."""

    def take(self, row: SegmentRow, to: str) -> bool:
        """Makes a segment one of the new generation, in a folder below `lexical/`."""


class Known(msgspec.Struct, array_like=True):
    """What is kept of a segment for the next run.

    `files`: path -> (sha256, key) of each; `counts` of those files.
    """

    files: dict[str, tuple[str, str]]
    counts: Counts


@dataclass(frozen=True)
class Source:
    """Where the words of files come from: each function takes numbers of files."""

    tokens: Callable[[Sequence[int]], Encoded]
    bags: Callable[[Sequence[int]], dict[str, list[list[str]]]]
    earlier: Callable[[Sequence[tuple[str, str]]], list[Mined] | None]
    """Returns what was mined of (path, sha256) in a former run, None where that is not kept."""


def ends(paths: Sequence[str], share: int = 1) -> list[int]:
    """Returns behind which of the sorted paths each segment ends.

    Args:
        paths: the paths.
        share: how many times smaller than those of words the segments are.
    """
    found, first = [], 0
    least, usual, most = (max(size // share, 1) for size in (LEAST, USUAL, MOST))
    for at, path in enumerate(paths, 1):
        size = at - first
        is_last = size >= least and zlib.crc32(path.encode(errors="surrogateescape")) % usual == 0
        if is_last or size >= most or at == len(paths):
            found.append(at)
            first = at
    return found or [0]


class Writer:
    """Writes segments into the folder `lexical/` of a new generation.

    Args:
        folder: that folder.
        source: where words come from.
        cache: keeps what is known of segments for the next run.
        former: the segments of the former generation.
        projects: the project tables in force.
    """

    def __init__(
        self,
        folder: Path,
        source: Source,
        cache: Cache | None,
        former: Former | None,
        projects: Projects = (),
    ) -> None:
        self.folder, self.source, self.cache, self.former = folder, source, cache, former
        self.projects = projects
        self._rows = {row.key: row for row in former.rows} if former else {}
        self._known = self._read(list(self._rows))
        self.counts = Counts()

    def _read(self, keys: Sequence[str]) -> dict[str, Known]:
        found = self.cache.get_many("segments", keys) if self.cache else {}
        decode = msgspec.msgpack.Decoder(Known).decode
        known = {}
        for key, blob in found.items():
            with suppress(msgspec.MsgspecError):
                known[key] = decode(blob)
        return known

    def write(
        self, numbers: range, files: Mapping[str, tuple[str, str]], key: str, name: str
    ) -> bool:
        """Writes the segment of some files into a folder below `lexical/`.

        Returns whether it was made; False where the former one of the same key was taken over.

        Args:
            numbers: of the files.
            files: path -> (sha256, key) of each of them.
            key: of the segment.
            name: of the folder.
        """
        known, row = self._known.get(key), self._rows.get(key)
        if known and row and self.former and self.former.take(row, name):
            self.counts.add(known.counts)
            return False
        block, known = self._made(numbers, files)
        self.counts.add(known.counts)
        if self.cache:
            self.cache.put_many("segments", {key: msgspec.msgpack.encode(known)})
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        write_block(folder, block)
        return True

    def _made(self, numbers: range, files: Mapping[str, tuple[str, str]]) -> tuple[Block, Known]:
        old = self._nearest(files)
        with suppress(*STRANGE):  # of a former segment that is none of ours
            found = self._changed(old, numbers, files) if old else None
            if found is not None:
                return found
        tokens = self.source.tokens(numbers)
        block = blocks.block_of(tokens, self.source.bags(numbers))
        return block, Known(dict(files), count(tokens, self.projects))

    def _nearest(self, files: Mapping[str, tuple[str, str]]) -> str:
        """Returns the key of the former segment that has most of some files, "" if too few."""
        shared = {
            key: sum(known.files.get(path) == one for path, one in files.items())
            for key, known in self._known.items()
        }
        best = max(sorted(shared), key=shared.__getitem__, default="")
        return best if best and shared[best] > WHOLE * len(files) else ""

    def _changed(
        self, key: str, numbers: range, files: Mapping[str, tuple[str, str]]
    ) -> tuple[Block, Known] | None:
        """Returns a segment made of a former one, None where that cannot be."""
        assert self.former is not None
        known = self._known[key]
        stays = [files.get(path) == one for path, one in known.files.items()]
        gone = [
            (path, one[0])
            for (path, one), stay in zip(known.files.items(), stays, strict=True)
            if not stay
        ]
        earlier = self.source.earlier(gone)
        if earlier is None:
            return None
        new = [
            number
            for number, (path, one) in zip(numbers, files.items(), strict=True)
            if known.files.get(path) != one
        ]
        tokens = self.source.tokens(new)
        counts = Counts()
        counts.add(known.counts)
        counts.add(count(earlier, self.projects), -1)
        counts.add(count(tokens, self.projects))
        left = blocks.block_from(Segment(self.former.folder(self._rows[key])))
        left = blocks.kept(left, np.asarray(stays, bool))
        right = blocks.block_of(tokens, self.source.bags(new))
        order = np.empty(len(files), np.int64)
        is_new = np.zeros(len(files), bool)
        is_new[np.asarray(new, np.int64) - numbers.start] = True
        order[~is_new] = np.arange(len(files) - len(new))
        order[is_new] = len(files) - len(new) + np.arange(len(new))
        return blocks.merged(left, right, order), Known(dict(files), counts)


def write_block(folder: Path, block: Block) -> None:
    """Writes the words of a block, all but its names, as a segment."""
    stored.write_vocabulary(folder, block.terms)
    stored.write_occurrences(folder, blocks.occurrences_of(block))
    for field, postings in blocks.postings_of(block).items():
        stored.write_postings(folder, field, postings)
