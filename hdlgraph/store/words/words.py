"""Reads several segments as one: files and positions are counted over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hdlgraph.store.checksums import at_once
from hdlgraph.store.words.chosen import Part, Stands, in_segment, joined
from hdlgraph.store.words.kept_arrays import KeptArrays
from hdlgraph.store.words.segment import TEXT, Place, Segment
from hdlgraph.store.words.some_files import SomeFiles
from hdlgraph.store.words.vocabulary import keys_of

KEPT_TERMS = 4096
"""Terms whose numbers are kept, and
KEPT_BYTES of positions, and of halves, so that the words of one question are found once."""
KEPT_BYTES = 64_000_000

KEPT_LISTS = 8
"""Lists of terms of which it is kept which segments have them: those of one question."""

Rows = dict[int, int]
"""The segments that have a term, in order, each with the term's number in it."""


class Wanted(NamedTuple):
    """The terms of a list that a segment has: the place of each in the list, its number there."""

    segment: int
    places: np.ndarray
    numbers: np.ndarray


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
        self._lists: dict[tuple[str, ...], list[Wanted]] = {}
        self._files: dict[tuple[str, str], int] = {}
        self._positions = KeptArrays(KEPT_BYTES)
        self._halves = KeptArrays(KEPT_BYTES)

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

    def know(self, terms: Iterable[str]) -> None:
        """Looks terms up together, which is less work than one by one."""
        new = [term for term in dict.fromkeys(terms) if term not in self._known]
        if new:
            self._keep(self._found(new))

    def _rows(self, term: str) -> Rows:
        found = self._known.get(term)
        if found is None:
            new = self._found([term])
            self._keep(new)
            found = new[term]
        return found

    def _keep(self, found: dict[str, Rows]) -> None:
        if len(self._known) + len(found) > KEPT_TERMS:
            self._known = {}
        self._known.update(found)

    def _found(self, terms: Sequence[str]) -> dict[str, Rows]:
        """Returns in which segments each of some terms is, and its number there."""
        coded = [term.encode(errors="surrogateescape") for term in terms]
        keys = keys_of(coded)
        rows: list[Rows] = [{} for _ in terms]
        for at, one in enumerate(self._segments):
            for place, number in enumerate(one.vocabulary.numbers(coded, keys)):
                if number >= 0:
                    rows[place][at] = number
        return dict(zip(terms, rows, strict=True))

    def wanted(self, terms: Sequence[str]) -> list[Wanted]:
        """Returns which of some terms each segment has, those in order that have any."""
        key = tuple(terms)
        found = self._lists.get(key)
        if found is None:
            of: dict[int, list[tuple[int, int]]] = {}
            for place, term in enumerate(key):
                for at, number in self._rows(term).items():
                    of.setdefault(at, []).append((place, number))
            arrays = [(at, *np.asarray(pairs).T) for at, pairs in sorted(of.items())]
            found = [Wanted(at, *map(np.ascontiguousarray, both)) for at, *both in arrays]
            if len(key) > 1:
                if len(self._lists) >= KEPT_LISTS:
                    self._lists = {}
                self._lists[key] = found
        return found

    def positions(self, term: str) -> np.ndarray:
        """Returns the sorted positions (uint32) of a term; empty where it is unknown."""
        rows = self._rows(term)
        if len(self._segments) == 1 and rows:
            return self._local(0, rows[0])
        found = self._positions.get(term)
        if found is None:
            parts = [
                self._local(at, number) + np.uint32(self._base[at]) for at, number in rows.items()
            ]
            found = (np.concatenate(parts) if parts else np.zeros(0, np.uint32),)
            self._positions.put(term, found)
        return found[0]

    def _local(self, at: int, number: int) -> np.ndarray:
        found = self._segments[at].occurrences
        return found.positions[int(found.pointers[number]) : int(found.pointers[number + 1])]

    def count(self, term: str) -> int:
        """Returns how many positions a term has."""
        total = 0
        for at, number in self._rows(term).items():
            pointers = self._segments[at].occurrences.pointers
            total += int(pointers[number + 1]) - int(pointers[number])
        return total

    def among(self, term: str, wanted: np.ndarray) -> np.ndarray:
        """Returns those of some sorted positions (uint32) at which a term stands."""
        bounds = wanted.searchsorted(self._base).tolist()
        parts = [wanted[:0]]
        for at, number in self._rows(term).items():
            own = wanted[bounds[at] : bounds[at + 1]]
            places = self._local(at, number) if len(own) else own
            if len(places):  # else the term stands in other fields alone
                local = own - np.uint32(self._base[at])
                found = places.searchsorted(local)
                found[found == len(places)] = 0
                parts.append(own[places[found] == local])
        return np.concatenate(parts)

    @cached_property
    def half_starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns how many halves each file has, and where each half begins (uint32)."""
        per_file, starts = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)]
        for one, base in zip(self._segments, self._base.tolist(), strict=False):
            own, begins = one.half_starts
            per_file.append(own)
            starts.append(begins + np.uint32(base))
        return np.concatenate(per_file), np.concatenate(starts)

    @cached_property
    def _half_bases(self) -> list[int]:
        counts = [len(one.half_starts[1]) for one in self._segments]
        return [0, *np.cumsum(counts).tolist()]

    def halves(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns (halves, sorted, of all files, and how often a term stands in each)."""
        found = self._halves.get(term)
        if found is None:
            own = [(at, *self._segments[at].halves_of(row)) for at, row in self._rows(term).items()]
            if not own:
                return np.zeros(0, np.uint32), np.zeros(0, np.uint16)
            numbers = [found + np.uint32(self._half_bases[at]) for at, found, _ in own]
            found = np.concatenate(numbers), np.concatenate([counts for *_, counts in own])
            self._halves.put(term, found)
        return found[0], found[1]

    def stands(self, terms: Sequence[str], halves: np.ndarray) -> Stands:
        """Returns where terms stand in some halves, which are given by their numbers, sorted.

        Segments are looked at in threads: most of that lets other threads run.
        """
        bases = self._half_bases
        cuts = halves.searchsorted(bases).tolist()

        def part(wanted: Wanted) -> Part:
            at = wanted.segment
            starts = self._segments[at].half_starts[1]
            places = np.full(len(starts), -1, np.int32)
            own = np.arange(cuts[at], cuts[at + 1], dtype=np.int32)
            places[halves[cuts[at] : cuts[at + 1]] - bases[at]] = own
            terms = wanted.places, wanted.numbers
            return in_segment(self._segments[at], *terms, places, starts)

        some = [one for one in self.wanted(terms) if cuts[one.segment] < cuts[one.segment + 1]]
        return joined(at_once(part, some), len(terms))

    def some(self, numbers: Sequence[int] | np.ndarray) -> SomeFiles:
        """Returns the words of some files."""
        files = np.asarray(numbers, np.int64)
        segments = self._first.searchsorted(files, side="right") - 1
        starts = np.stack((self.file_start[files], self.file_start[files + 1]), axis=1)
        groups = []
        for at in sorted(set(segments.tolist())):
            own = np.flatnonzero(segments == at)
            groups.append((at, own, (starts[own] - self._base[at]).astype(np.uint32)))
        return SomeFiles(len(files), groups, segments.tolist(), self)

    def local(self, term: str, wanted: Iterable[int]) -> dict[int, tuple[np.ndarray, int]]:
        """Returns segment -> (a term's positions in it, what is added to them), of some."""
        rows = self._rows(term)
        return {at: (self._local(at, rows[at]), int(self._base[at])) for at in wanted if at in rows}

    def document_frequency(self, term: str, field: str = TEXT) -> int:
        """Returns in how many files' `field` a term occurs."""
        total = self._files.get((term, field))
        if total is None:
            total = 0
            for at, number in self._rows(term).items():
                pointers = self._segments[at].postings(field).pointers
                total += int(pointers[number + 1]) - int(pointers[number])
            if len(self._files) >= KEPT_TERMS:
                self._files = {}
            self._files[term, field] = total
        return total

    def document_frequencies(self, terms: Sequence[str], field: str = TEXT) -> np.ndarray:
        """Returns in how many files' `field` each of some terms occurs, int64 (terms,)."""
        coded = [term.encode(errors="surrogateescape") for term in terms]
        keys = keys_of(coded)
        total = np.zeros(len(terms), np.int64)
        for one in self._segments:
            numbers = np.asarray(one.vocabulary.numbers(coded, keys), np.int64)
            some = np.flatnonzero(numbers >= 0)
            if len(some):
                pointers = one.postings(field).pointers
                total[some] += pointers[numbers[some] + 1] - pointers[numbers[some]]
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
        files, often, places = [], [], []
        for at, own, numbers in self.wanted(terms):
            found, counts, lengths = self._segments[at].postings(field).of_all(numbers)
            files.append(found + np.int32(self._first[at]) if at else found)
            often.append(counts)
            places.append(np.repeat(own, lengths))
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

    def lines_with(self, number: int, term: str) -> np.ndarray:
        """Returns the 1-based lines of a file on which a term stands (0: its path)."""
        at = int(self._first.searchsorted(number, side="right")) - 1
        row = self._rows(term).get(at, -1)
        if row < 0:
            return np.zeros(0, np.int64)
        found, local = self._segments[at].occurrences, number - int(self._first[at])
        places = self._local(at, row)
        # Bounds of the positions' own type: for another type numpy copies all positions of a term.
        bounds = found.file_start[local : local + 2].astype(np.uint32)
        begin, end = places.searchsorted(bounds).tolist()
        first, last = found.line_pointers[local : local + 2].tolist()
        return found.line_starts[first:last].searchsorted(places[begin:end], side="right") - 1

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
