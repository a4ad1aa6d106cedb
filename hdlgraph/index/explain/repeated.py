"""Which comments many files of a repository hold: those are boilerplate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from hdlgraph.index.kept.columns import Columns
from hdlgraph.index.kept.derived import digest
from hdlgraph.index.kept.functions import kept
from hdlgraph.model import FileRecord


@kept
def _comments(record: FileRecord) -> tuple[bytes, bytes]:
    """Returns a digest of each comment, uint64, and its line, int64."""
    digests = b"".join(
        hashlib.blake2b(one.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for one in record.comments
    )
    return digests, np.asarray([one.line for one in record.comments], np.int64).tobytes()


class RepeatedComments:
    """Which comments of each file many files hold.

    Args:
        records: facts of all files.
        least: how many files are many, the one at hand among them.
    """

    def __init__(self, records: Sequence[FileRecord], least: int) -> None:
        self._records, self._least = records, least
        self._columns = Columns("comments", records, _comments)
        self._found = self._of_last_run() or self._all()
        self._columns.note(msgspec.msgpack.encode(self._found))

    @property
    def stamp(self) -> bytes:
        """Returns what stands for the lines of all files."""
        return b"".join(self._found[1])

    def lines(self) -> dict[str, tuple[int, ...]]:
        """Returns path -> lines of such comments; files without any are left out."""
        whole = self._columns.whole
        chosen = np.flatnonzero(_among(whole.numbers, np.frombuffer(self._found[0], np.uint64)))
        where = zip(whole.owners[chosen].tolist(), whole.beside[chosen].tolist(), strict=True)
        found: dict[str, list[int]] = {}
        for number, line in where:
            found.setdefault(self._records[number].path, []).append(line)
        return {path: tuple(of_file) for path, of_file in found.items()}

    def _of_last_run(self) -> _Many | None:
        """Returns what the last run found but for what was touched since, None where unknown."""
        since = self._columns.since()
        if since is None:
            return None
        try:
            told, stamps = msgspec.msgpack.decode(since.noted, type=_Many)
            many = np.frombuffer(told, np.uint64)
        except (msgspec.MsgspecError, ValueError):
            return None
        for number in since.numbers:
            was = bool(_among(np.asarray([number], np.uint64), many)[0])
            if was != (self._holders(number) >= self._least):
                return None  # of the files that hold it all lines are others
        if len(stamps) != len(self._columns.cuts):
            return None
        for at in since.segments:
            stamps[at] = self._stamp(at, many)
        return told, stamps

    def _holders(self, number: int) -> int:
        """Returns how many files hold a comment."""
        whole = self._columns.whole
        rows = np.flatnonzero(whole.numbers == number)
        return len(set(np.cumsum(whole.lengths).searchsorted(rows, "right").tolist()))

    def _all(self) -> _Many:
        """Returns what is found in all files."""
        whole = self._columns.whole
        order = np.argsort(whole.numbers, kind="stable")  # files come in order
        known, owners = whole.numbers[order], whole.owners[order]
        begins = np.ones(len(known), bool)
        begins[1:] = known[1:] != known[:-1]
        is_new = begins.copy()
        is_new[1:] |= owners[1:] != owners[:-1]
        first = np.flatnonzero(begins)
        counts = np.add.reduceat(is_new.astype(np.int64), first) if len(first) else first
        many = known[first[counts >= self._least]]
        stamps = [self._stamp(at, many) for at in range(len(self._columns.cuts))]
        return many.tobytes(), stamps

    def _stamp(self, at: int, many: np.ndarray) -> bytes:
        """Returns what stands for the lines of the files of a segment."""
        part = self._columns.part(at)
        chosen = np.flatnonzero(_among(part.numbers, many))
        return digest(part.owners[chosen].tobytes() + part.beside[chosen].tobytes())


def _among(numbers: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Returns which of some numbers are among others, which are sorted.

    Not np.isin: its first call loads numpy.ma, 0.05 s of each run.
    """
    if not len(some):
        return np.zeros(len(numbers), bool)
    return some[np.minimum(some.searchsorted(numbers), len(some) - 1)] == numbers


_Many = tuple[bytes, list[bytes]]
"""The comments that many files hold, uint64, sorted; what stands for the lines of each segment."""


def repeated_comments(records: Sequence[FileRecord], least: int) -> dict[str, tuple[int, ...]]:
    """Returns path -> lines of comments that many files hold; files without any are left out.

    Args:
        records: facts of all files.
        least: how many files are many, the one at hand among them.
    """
    return RepeatedComments(records, least).lines()
