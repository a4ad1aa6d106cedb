"""Finds the directives around a line: what must hold for it to be compiled at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from hdlgraph.parsers.text.directives import Region

DEPTH = 3  # regions around a line of which the directives are shown, the innermost
BRANCHES = 3  # before and after it in the same chain


class Conditions:
    """The `ifdef regions of a file.

    Args:
        regions: of the file, without its include guard.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        self.regions = sorted(regions, key=lambda one: (one.line, -one.end_line))
        self._ends = {one.end_line: one for one in self.regions}
        self._starts = {one.line: one for one in self.regions}
        self._known: dict[int, frozenset[int]] = {}

    def around(self, numbers: Iterable[int]) -> frozenset[int]:
        """Returns the directives that open, part and close the regions around lines."""
        if not self.regions:
            return frozenset()
        return frozenset().union(*map(self._of, numbers))

    def _of(self, number: int) -> frozenset[int]:
        """Returns the directives around one line; a file asks for most of its lines often."""
        if number not in self._known:
            found: set[int] = set()
            for region in self._within[number] if number < len(self._within) else ():
                found |= {region.line, region.end_line, *self._chain(region)}
            self._known[number] = frozenset(found)
        return self._known[number]

    @cached_property
    def _within(self) -> list[list[Region]]:
        """Returns the innermost regions around each line, without those that begin or end on it."""
        last = max((one.end_line for one in self.regions), default=0)
        found: list[list[Region]] = []
        open_: list[Region] = []
        coming = iter([*self.regions, None])
        next_ = next(coming)
        for number in range(last + 1):
            open_ = [one for one in open_ if one.end_line > number]
            found.append(open_[-DEPTH:])
            while next_ is not None and next_.line <= number:
                open_.append(next_)
                next_ = next(coming)
        return found

    def _chain(self, region: Region) -> set[int]:
        """Returns the directives of the branches before and after a region, the nearest."""
        found: set[int] = set()
        earlier, later = self._ends.get(region.line), self._starts.get(region.end_line)
        for _ in range(BRANCHES):
            if earlier is not None:
                found.add(earlier.line)
                earlier = self._ends.get(earlier.line)
            if later is not None:
                found.add(later.end_line)
                later = self._starts.get(later.end_line)
        return found
