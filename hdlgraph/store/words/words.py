"""Reads several segments as one: files and positions are counted over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hdlgraph.store.words.segment import TEXT, Place, Segment

KEPT_TERMS = 4096
"""Terms whose numbers are kept, and
KEPT_BYTES of positions, so that the words of one question are found once."""
KEPT_BYTES = 64_000_000

Rows = tuple[tuple[int, int], ...]
"""The segments that have a term, each with the term's number in it."""


class Words:
    """The words of all files of a generation.

    `file_start` (int64, n + 1) has the first position of each file, and the end of the last.

    Args:
        segments: in the order of their files.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = list(segments)
        starts = [one.occurrences.file_start for one in self._segments]
        counts = [max(len(one) - 1, 0) for one in starts]
        ends = [int(one[-1]) if len(one) else 0 for one in starts]
        self._first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        self._base = np.concatenate(([0], np.cumsum(ends))).astype(np.int64)
        parts = [one[:-1] + base for one, base in zip(starts, self._base.tolist(), strict=False)]
        self.file_start = np.concatenate((*parts, self._base[-1:]))
        self._known: dict[str, Rows] = {}
        self._positions: dict[str, np.ndarray] = {}
        self._bytes = 0

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and bool(self._rows(term))

    def having(self, text: str) -> list[str]:
        """Returns the terms in which a text stands, sorted."""
        found = (one.vocabulary.having(text) for one in self._segments)
        return sorted({term for terms in found for term in terms})

    def lettered(self, term: str, changes: int) -> list[str]:
        """Returns the terms of nearly the letters of a term (`Vocabulary.lettered`), sorted."""
        found = (one.vocabulary.lettered(term, changes) for one in self._segments)
        return sorted({near for terms in found for near in terms})

    def _rows(self, term: str) -> Rows:
        found = self._known.get(term)
        if found is None:
            numbers = ((at, one.vocabulary.number(term)) for at, one in enumerate(self._segments))
            found = tuple((at, number) for at, number in numbers if number >= 0)
            if len(self._known) >= KEPT_TERMS:
                self._known.clear()
            self._known[term] = found
        return found

    def positions(self, term: str) -> np.ndarray:
        """Returns the sorted positions (uint32) of a term; empty where it is unknown."""
        rows = self._rows(term)
        if len(self._segments) == 1 and rows:
            return self._local(*rows[0])
        found = self._positions.get(term)
        if found is None:
            parts = [self._local(at, number) + np.uint32(self._base[at]) for at, number in rows]
            found = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
            if self._bytes + found.nbytes > KEPT_BYTES:
                self._positions, self._bytes = {}, 0
            self._positions[term] = found
            self._bytes += found.nbytes
        return found

    def _local(self, at: int, number: int) -> np.ndarray:
        found = self._segments[at].occurrences
        return found.positions[int(found.pointers[number]) : int(found.pointers[number + 1])]

    def document_frequency(self, term: str, field: str = TEXT) -> int:
        """Returns in how many files' `field` a term occurs."""
        total = 0
        for at, number in self._rows(term):
            pointers = self._segments[at].postings(field).pointers
            total += int(pointers[number + 1]) - int(pointers[number])
        return total

    def postings(self, term: str, field: str = TEXT) -> tuple[np.ndarray, np.ndarray]:
        """Returns (files int32, frequencies uint16) of a term in a field."""
        files, often, _ = self.postings_of_all([term], field)
        return files, often

    def postings_of_all(
        self, terms: Sequence[str], field: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns (files, frequencies) of terms, and to which term, by its place, each belongs.

        Those of a file stand in the order of the terms; files of one segment stand together.
        """
        wanted: dict[int, list[tuple[int, int]]] = {}
        for place, term in enumerate(terms):
            for at, number in self._rows(term):
                wanted.setdefault(at, []).append((place, number))
        files, often, places = [], [], []
        for at, pairs in sorted(wanted.items()):
            found, counts, lengths = (
                self._segments[at].postings(field).of_all([number for _, number in pairs])
            )
            files.append(found + np.int32(self._first[at]) if at else found)
            often.append(counts)
            places.append(np.repeat(np.asarray([place for place, _ in pairs]), lengths))
        if len(files) == 1:
            return files[0], often[0], places[0]
        if not files:
            return np.zeros(0, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.int64)
        return np.concatenate(files), np.concatenate(often), np.concatenate(places)

    def lengths(self, field: str) -> np.ndarray:
        """Returns the terms of each file in a field, float32 (n,)."""
        parts = [one.postings(field).lengths for one in self._segments]
        return np.concatenate(parts).astype(np.float32) if parts else np.zeros(0, np.float32)

    def lines_of(self, number: int) -> np.ndarray:
        """Returns the position at which each line of a file begins; the first is its path."""
        at = int(self._first.searchsorted(number, side="right")) - 1
        found, local = self._segments[at].occurrences, number - int(self._first[at])
        first, last = found.line_pointers[local : local + 2].tolist()
        lines = found.line_starts[first:last]
        return lines + np.uint32(self._base[at]) if at else lines

    @cached_property
    def line_starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns (first row of each file, int64 (n + 1,), position of each line, uint32)."""
        pointers, starts, rows = [], [], 0
        for at, one in enumerate(self._segments):
            found = one.occurrences
            pointers.append(found.line_pointers[:-1] + rows)
            starts.append(found.line_starts + np.uint32(self._base[at]))
            rows += len(found.line_starts)
        return np.concatenate((*pointers, np.asarray([rows]))), np.concatenate(starts)

    def places(self, name: str) -> list[Place]:
        """Returns the places that declare a lower-case name."""
        found: list[Place] = []
        for at, one in enumerate(self._segments):
            first = int(self._first[at])
            found += [(place[0] + first, *place[1:]) for place in one.places(name)]
        return found
