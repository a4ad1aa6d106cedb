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
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from hdlgraph.index.fork import trim
from hdlgraph.index.kept.derived import NONE, Keeper, digest
from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.handed import Handed, Returned, keep
from hdlgraph.index.lexical.block import Block, block_from, block_of, occurrences_of, postings_of
from hdlgraph.index.lexical.leave_out import kept
from hdlgraph.index.lexical.merge import merged
from hdlgraph.index.lexical.mine_abbreviations import Counts, count
from hdlgraph.index.lexical.tokens import Encoded, Mined
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.knowledge.projects import Projects
from hdlgraph.store.lexical import SegmentRow
from hdlgraph.store.words import segment as stored
from hdlgraph.store.words.segment import Segment

LEAST, USUAL, MOST = 512, 512, 2048
"""Files of a segment: it has LEAST, then as many as it takes to come to one whose path says that
it is the last, which one in USUAL does; and MOST at most."""
WHOLE = 0.5
"""Share of a segment's files from which on it is made of all its files again."""


EVEN = 1.25
"""Times an even share that one process may have where processes make whole segments."""
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


class Total(NamedTuple):
    """The counts of files, and the keys of the segments in which these are."""

    keys: frozenset[str]
    counts: Counts


_Noted = tuple[list[str], bytes, bytes]
"""The keys of all segments, the counts of all files as MessagePack, and a digest of these."""
_COUNTS = msgspec.msgpack.Decoder(Counts).decode


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


class Planned(NamedTuple):
    """A segment to write.

    `files`: path -> (sha256, key) of each of its files, whose `numbers` those are; `key` is that
    of the segment, `name` that of its folder below `lexical/`.
    """

    numbers: range
    files: Mapping[str, tuple[str, str]]
    key: str
    name: str


class _Part(NamedTuple):
    """The segments that one process makes; number 0 is this one."""

    number: int
    planned: list[Planned]


SourceOf = Callable[[Keeper | None, Shares], Source]
"""Returns where words come from, given what keeps them, and who shares the work."""


class Writer:
    """Writes segments into the folder `lexical/` of a new generation.

    Args:
        folder: that folder.
        source_of: where words come from.
        cache: keeps what is known of segments for the next run.
        former: the segments of the former generation.
        projects: the project tables in force.
        shares: who makes segments, or reads the words of one.
    """

    def __init__(
        self,
        folder: Path,
        source_of: SourceOf,
        cache: Keeper | None,
        former: Former | None,
        projects: Projects = (),
        shares: Shares = ALONE,
    ) -> None:
        self.folder, self.cache, self.former = folder, cache, former
        self.projects, self._shares, self._source_of = projects, shares, source_of
        self.source = source_of(cache, shares)
        self._planned: set[str] = set()
        self._rows = {row.key: row for row in former.rows} if former else {}
        if cache is not None:  # what is not asked for now may be after the next edit
            cache.use("segments", self._rows)
        self._opened: dict[str, Known | None] = {}
        self.counts = Counts()

    def _known(self, key: str) -> Known | None:
        """Returns what is known of a former segment, None where that is gone."""
        if key not in self._opened:
            self._opened[key] = None
            blobs = self.cache.views("segments", [key]) if self.cache else NONE
            with suppress(msgspec.MsgspecError):
                if (blob := blobs.get(key)) is not None:
                    self._opened[key] = msgspec.msgpack.decode(blob, type=Known)
        return self._opened[key]

    def write(self, planned: Sequence[Planned]) -> list[Planned]:
        """Writes segments; returns those that were made, not taken over from the former run."""
        self._planned = {one.key for one in planned}
        total = self._total()
        taken = {one.key for one in planned if self._is_taken(one, total)}
        made = [one for one in planned if one.key not in taken]
        counts = self._all_made(made)
        self.counts = total.counts if total else Counts()
        for one in planned:
            if total is None or one.key not in total.keys:
                known = self._known(one.key) if one.key in taken else None
                self.counts.add(known.counts if known else _COUNTS(counts[one.key]))
        encoded = msgspec.msgpack.encode(self.counts)
        note("counts of words", (sorted(self._planned), encoded, digest(encoded)))
        return made

    def _total(self) -> Total | None:
        """Returns the counts of those segments that were in the last run, None where unknown."""
        keys, encoded, stamp = last("counts of words", _Noted) or ([], b"", b"")
        if not keys or digest(encoded) != stamp:
            return None
        try:
            counts = _COUNTS(encoded)
        except msgspec.MsgspecError:
            return None
        gone = set(keys) - self._planned
        for key in gone:
            known = self._known(key)
            if known is None:
                return None
            counts.add(known.counts, -1)
        return Total(frozenset(set(keys) - gone), counts)

    def _is_taken(self, one: Planned, total: Total | None) -> bool:
        """Takes a segment over where the former one has its key; returns whether it did."""
        row = self._rows.get(one.key)
        is_counted = (total and one.key in total.keys) or self._known(one.key)
        return bool(row and is_counted and self.former and self.former.take(row, one.name))

    def _all_made(self, planned: Sequence[Planned]) -> dict[str, bytes]:
        """Makes segments and returns the counts of each by key: side by side where that pays.

        They are encoded: those of all segments would take ten times as much.
        """
        parts = [] if self._rows else self._parts(planned)
        found = self._shares.spread("words", self._part, parts) if parts else None
        if found is None:
            return self._alone(planned)
        counts: dict[str, bytes] = {}
        for own, returned in found:
            counts |= own
            if self.cache is not None and returned is not None:
                keep(self.cache, returned)
        return counts

    def _parts(self, planned: Sequence[Planned]) -> list[_Part]:
        """Returns the segments of each process, [] where one would have most of the work."""
        whole = sum(len(one.numbers) for one in planned)
        count = self._shares.processes(whole)
        if count < 2:
            return []
        parts = [_Part(number, []) for number in range(count)]
        loads = [0] * count
        for one in sorted(planned, key=lambda one: -len(one.numbers)):
            least = loads.index(min(loads))
            loads[least] += len(one.numbers)
            parts[least].planned.append(one)
        return parts if max(loads) * count <= EVEN * whole else []

    def _part(self, part: _Part) -> tuple[dict[str, bytes], Returned | None]:
        """Makes the segments of one process; a copy of this one has no cache to read or write."""
        handed = None
        if part.number:
            handed = Handed({}, self.folder / f"words-{part.number}.new")
        # Without shares: the other processes have enough to do.
        writer = Writer(self.folder, self._source_of, handed or self.cache, None, self.projects)
        return writer._alone(part.planned), handed.to_return() if handed else None

    def _alone(self, planned: Sequence[Planned]) -> dict[str, bytes]:
        """Makes segments one after the other; returns the counts of each by key."""
        return {one.key: self._write(one) for one in planned}

    def _write(self, one: Planned) -> bytes:
        block, known = self._made(one.numbers, one.files)
        if self.cache:
            self.cache.put_many("segments", {one.key: msgspec.msgpack.encode(known)})
        folder = self.folder / one.name
        folder.mkdir(exist_ok=True)
        write_block(folder, block)
        encoded = msgspec.msgpack.encode(known.counts)
        del block, known
        trim()  # the arrays of a segment are large and of many sizes
        return encoded

    def _made(self, numbers: range, files: Mapping[str, tuple[str, str]]) -> tuple[Block, Known]:
        old = self._nearest(files)
        with suppress(*STRANGE):  # of a former segment that is none of ours
            found = self._changed(old, numbers, files) if old else None
            if found is not None:
                return found
        tokens = self.source.tokens(numbers)
        block = block_of(tokens, self.source.bags(numbers))
        return block, Known(dict(files), count(tokens, self.projects))

    def _nearest(self, files: Mapping[str, tuple[str, str]]) -> str:
        """Returns the key of the former segment that has most of some files, "" if too few."""
        # One that stays as it is has no file of another one.
        former = {key: self._known(key) for key in self._rows if key not in self._planned}
        shared = {
            key: sum(known.files.get(path) == one for path, one in files.items())
            for key, known in former.items()
            if known
        }
        best = max(sorted(shared), key=shared.__getitem__, default="")
        return best if best and shared[best] > WHOLE * len(files) else ""

    def _changed(
        self, key: str, numbers: range, files: Mapping[str, tuple[str, str]]
    ) -> tuple[Block, Known] | None:
        """Returns a segment made of a former one, None where that cannot be."""
        assert self.former is not None
        known = self._known(key)
        assert known is not None
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
        left = block_from(Segment(self.former.folder(self._rows[key])))
        left = kept(left, np.asarray(stays, bool))
        right = block_of(tokens, self.source.bags(new))
        order = np.empty(len(files), np.int64)
        is_new = np.zeros(len(files), bool)
        is_new[np.asarray(new, np.int64) - numbers.start] = True
        order[~is_new] = np.arange(len(files) - len(new))
        order[is_new] = len(files) - len(new) + np.arange(len(new))
        return merged(left, right, order), Known(dict(files), counts)


def write_block(folder: Path, block: Block) -> None:
    """Writes the words of a block, all but its names, as a segment."""
    stored.write_vocabulary(folder, block.terms)
    stored.write_occurrences(folder, occurrences_of(block))
    for field, postings in postings_of(block).items():
        stored.write_postings(folder, field, postings)
