"""Files that are nearly the same, by path; a group is put together when a file of it is a hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np


class NearCopies(Mapping[str, tuple[str, ...]]):
    """Path -> all files that are nearly the same, sorted; only of those with a copy.

    A path is in one group at most: the first that names it.

    Args:
        groups: the numbers of the files of each.
        paths: of all files, by number.
        number: gives the number of a path; raises KeyError for none.
    """

    def __init__(
        self, groups: Sequence[Sequence[int]], paths: Sequence[str], number: Callable[[str], int]
    ) -> None:
        self._paths, self._number = paths, number
        most = len(paths)
        every = (one if 0 <= one < most else -1 for one in chain.from_iterable(groups))
        flat = np.fromiter(every, np.int64)
        self._bounds = np.append(0, np.cumsum([len(group) for group in groups])).astype(np.int64)
        owner = np.repeat(np.arange(len(groups)), np.diff(self._bounds))
        known = flat >= 0
        self._group = np.full(most, -1)
        self._group[flat[known][::-1]] = owner[known][::-1]  # the first one is written last
        self._flat = flat

    def __getitem__(self, path: str) -> tuple[str, ...]:
        """Returns the group of a path."""
        group = int(self._group[self._number(path)])
        if group < 0:
            raise KeyError(path)
        own = self._flat[self._bounds[group] : self._bounds[group + 1]]
        numbers = {one for one in own.tolist() if one >= 0 and self._group[one] == group}
        return tuple(sorted(self._paths[one] for one in numbers))

    def __iter__(self) -> Iterator[str]:
        return (self._paths[number] for number in np.flatnonzero(self._group >= 0).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self._group >= 0))
