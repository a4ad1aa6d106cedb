"""Finds the directives around a line: what must hold for it to be compiled at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

    def around(self, numbers: Iterable[int]) -> frozenset[int]:
        """Returns the directives that open, part and close the regions around lines."""
        if not self.regions:
            return frozenset()
        found: set[int] = set()
        for number in numbers:
            within = [one for one in self.regions if one.line < number < one.end_line]
            for region in within[-DEPTH:]:
                found |= {region.line, region.end_line}
                found |= self._chain(region)
        return frozenset(found)

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
