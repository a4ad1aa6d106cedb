"""The parts of many names as arrays: which parts a name has, and which names have a part.

Half a million names of nets take some 25 MB so, a sixth of what a tuple for each and lists take.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from hdlgraph.words import PART, stem

_BREAK = "\n"
"""Stands between names, and in none."""
_PARTS = f"{PART}|{_BREAK}"


def run_together(parts: Iterable[str]) -> str:
    """Returns the stem of some parts written as one word, as a name without a break has it."""
    return stem("".join(parts))


class NameParts:
    """The stemmed parts of some names, each part once a name, in their order.

    Names are numbered from 0 as they were given. A name of several parts is known by them joined as
    well, such as `regfile` for `reg_file`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        codes, of = self._read(list(names))
        self._start = np.searchsorted(of, np.arange(self.count + 1)).astype(np.int32)
        self._codes = codes.astype(np.int32)
        order = np.argsort(codes, kind="stable")
        self._names = of[order].astype(np.int32)
        self._first = np.searchsorted(codes[order], np.arange(len(self.known) + 1)).astype(np.int32)
        self._number = {part: number for number, part in enumerate(self.known)}
        joined = self._joined()
        self._by_hash = np.argsort(joined, kind="stable").astype(np.int32)
        self._hashes = joined[self._by_hash]

    def _read(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Returns numbers of parts and the name that has each, by name, and notes all parts."""
        self.count = len(names)
        whole = _BREAK.join(names)
        if whole.count(_BREAK) >= max(self.count, 1):
            whole = _BREAK.join(name.replace(_BREAK, " ") for name in names)
        found = re.findall(_PARTS, whole)
        written = {part: stem(part.lower()) for part in dict.fromkeys(found) if part != _BREAK}
        self.known = sorted(set(written.values()))
        number = {part: at for at, part in enumerate(self.known)}
        numbers = {part: number[stemmed] for part, stemmed in written.items()} | {_BREAK: -1}
        codes = np.fromiter(map(numbers.__getitem__, found), np.int64, len(found))
        of = np.cumsum(codes < 0)[codes >= 0]
        codes = codes[codes >= 0]
        _, once = np.unique(of * max(len(self.known), 1) + codes, return_index=True)
        once.sort()
        return codes[once], of[once]

    def _joined(self) -> np.ndarray:
        """Returns a hash of the joined parts of each name, 0 for a name of fewer than two.

        Most are in no other name, and as texts they would take more memory than all else.
        """
        parts, start = [self.known[code] for code in self._codes.tolist()], self._start.tolist()
        hashes = (
            hash(run_together(parts[begin:end])) if end > begin + 1 else 0
            for begin, end in pairwise(start)
        )
        return np.fromiter(hashes, np.int64, self.count)

    def of(self, name: int) -> tuple[str, ...]:
        """Returns the parts of a name."""
        codes = self._codes[self._start[name] : self._start[name + 1]]
        return tuple(map(self.known.__getitem__, codes.tolist()))

    def having(self, part: str) -> np.ndarray:
        """Returns the names, sorted, that have a part, or that are it when joined."""
        number = self._number.get(part)
        whole = self._whole(part)
        if number is None:
            return whole
        found = self._names[self._first[number] : self._first[number + 1]]
        return np.union1d(found, whole) if len(whole) else found

    def __contains__(self, part: str) -> bool:
        return part in self._number or len(self._whole(part)) > 0

    def _whole(self, text: str) -> np.ndarray:
        """Returns the names whose parts joined are a text."""
        key = hash(text)
        begin, end = np.searchsorted(self._hashes, key), np.searchsorted(self._hashes, key, "right")
        found = [
            name
            for name in sorted(self._by_hash[begin:end].tolist())
            if len(parts := self.of(name)) > 1 and run_together(parts) == text
        ]
        return np.array(found, np.int32)
