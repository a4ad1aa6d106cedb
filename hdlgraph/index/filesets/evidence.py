"""Measures how closely the project files of a repository join two of its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.model.paths import shared_folders

SET, OWNER, DEPENDENCY, NONE = range(4)
"""Two files are in one set, of one owner, the second is of a dependency, or nothing joins them."""
REASONS = ("same fileset", "same core or package", "fileset of a dependency", "")
MOST_SETS = 64
"""Sets of a file that are looked at."""


class Evidence:
    """What the filesets of a repository say of its files.

    Args:
        filesets: all of them.
    """

    def __init__(self, filesets: Sequence[Fileset] = ()) -> None:
        self._sets = filesets
        self._of_file: dict[str, list[int]] = defaultdict(list)
        self._places: dict[str, list[str]] = defaultdict(list)
        self._needs: dict[str, dict[str, None]] = defaultdict(dict)
        for number, one in enumerate(filesets):
            for path in one.files:
                if len(self._of_file[path]) < MOST_SETS:
                    self._of_file[path].append(number)
            if one.place not in self._places[one.owner]:
                self._places[one.owner].append(one.place)
            self._needs[one.place] |= dict.fromkeys(one.depends)
        self._closed: dict[str, frozenset[str]] = {}

    def sets_of(self, path: str) -> tuple[int, ...]:
        """Returns the numbers of the sets that list a file."""
        return tuple(self._of_file.get(path, ()))

    def level(self, user: Sequence[int], path: str) -> int:
        """Returns how closely a file is joined to the sets of its user, from SET to NONE."""
        sets = self._of_file.get(path, ())
        if not sets or not user:
            return NONE
        if any(number in user for number in sets):
            return SET
        places = {self._sets[number].place for number in sets}
        homes = {self._sets[number].place for number in user}
        if places & homes:
            return OWNER
        return DEPENDENCY if any(places & self._needed(home) for home in homes) else NONE

    def _needed(self, place: str) -> frozenset[str]:
        """Returns the project files of what one of them needs, directly or not."""
        found = self._closed.get(place)
        if found is None:
            seen = {place}
            waiting = [place]
            while waiting:
                one = waiting.pop()
                for owner in self._needs.get(one, ()):
                    near = self._nearest(one, owner)
                    if near and near not in seen:
                        seen.add(near)
                        waiting.append(near)
            found = self._closed[place] = frozenset(seen)
        return found

    def _nearest(self, place: str, owner: str) -> str:
        """Returns the project file of an owner, of several the nearest one; "" of none."""
        places = self._places.get(owner, ())
        return min(places, key=lambda one: (*_distance(place, one), one)) if places else ""


def _distance(one: str, other: str) -> tuple[int, int]:
    common = shared_folders(one, other)
    return one.count("/") - common, other.count("/") - common
