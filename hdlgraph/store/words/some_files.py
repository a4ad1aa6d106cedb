"""Where terms stand in some files, such as those of the hits, without looking at all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

Group = tuple[int, np.ndarray, np.ndarray]
"""A segment, which of the files are in it, and the first and last position of each there."""


class _Words(Protocol):
    def local(self, term: str, wanted: Iterable[int]) -> dict[int, tuple[np.ndarray, int]]:
        """Returns segment -> (a term's positions in it, what is added to them), of some."""
        ...


class SomeFiles:
    """The words of some files, which go by their place among these.

    Args:
        count: of the files.
        groups: the files by segment.
        segments: the segment of each file.
        words: those of all files.
    """

    def __init__(
        self, count: int, groups: Sequence[Group], segments: Sequence[int], words: _Words
    ) -> None:
        self._count, self._groups, self._segments = count, groups, segments
        self._words = words
        self._of = sorted(set(segments))
        self._kept: dict[str, dict[int, tuple[np.ndarray, int]]] = {}

    def _local(self, term: str) -> dict[int, tuple[np.ndarray, int]]:
        found = self._kept.get(term)
        if found is None:
            found = self._kept[term] = self._words.local(term, self._of)
        return found

    def spans(self, term: str) -> np.ndarray:
        """Returns [begin, end) of each file among a term's positions in its segment, int64.

        Its shape is (files, 2); `begin` is `end` where the term does not stand in the file.
        """
        found = self._local(term)
        if len(self._groups) == 1:
            at, _, bounds = self._groups[0]
            if at in found:
                return found[at][0].searchsorted(bounds)
        out = np.zeros((self._count, 2), np.int64)
        for at, own, bounds in self._groups:
            if at in found:
                out[own] = found[at][0].searchsorted(bounds)
        return out

    def has(self, term: str) -> np.ndarray:
        """Returns in which files a term stands, bool (files,)."""
        begin, end = self.spans(term).T
        return begin < end

    def positions(self, term: str, place: int, begin: int, end: int) -> np.ndarray:
        """Returns the positions of a term from one to another of what `spans` says of a file."""
        places, base = self._local(term)[self._segments[place]]
        return places[begin:end] + np.uint32(base) if base else places[begin:end]

    def all_positions(self, term: str) -> np.ndarray:
        """Returns the positions of a term in all files, those of a segment one after the other."""
        found = self._local(term)
        parts = [np.zeros(0, np.uint32)]
        for at, _, bounds in self._groups:
            if at in found:
                places, base = found[at]
                begins, ends = places.searchsorted(bounds).T
                length = ends - begins
                rows = np.repeat(begins - np.cumsum(length) + length, length)
                own = places[rows + np.arange(len(rows))]
                parts.append(own + np.uint32(base) if base else own)
        return np.concatenate(parts)
