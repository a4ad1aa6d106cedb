"""The parts of many names as arrays: which parts a name has, and which names have a part.

Half a million names of nets take some 25 MB so, a sixth of what a tuple for each and lists take.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from hdlgraph.store.tables import grouped
from hdlgraph.words import PART, stem, stems

_BREAK = "\n"
"""Stands between names, and in none."""
_PARTS = f"{PART}|{_BREAK}"


def run_together(parts: Iterable[str]) -> str:
    """Returns the stem of some parts written as one word, as a name without a break has it."""
    return stem("".join(parts))


class NameParts:
    """The stemmed parts of some names, each part once a name, in their order.

    A name of several parts is known by them joined as well, such as `regfile` for `reg_file`. Of
    names that are spelt alike one is looked at: of the nets of a large design three in four are.

    Args:
        names: the different names.
        spelt: which of them stands in each row, int (rows,); rows are what is found.
    """

    def __init__(self, names: Sequence[str], spelt: np.ndarray) -> None:
        own = spelt.astype(np.int32)
        self._spelling = own.data
        self._rows, self._bounds = grouped(own, len(names))
        self._rows = self._rows.astype(np.int32)
        codes, of = self._read(names)
        self._start = np.searchsorted(of, np.arange(self.count + 1)).astype(np.int32)
        self._codes = codes.astype(np.int32)
        order, first = grouped(codes, len(self.known))
        self._names, self._first = of[order].astype(np.int32), first.astype(np.int32)
        self._number = {part: number for number, part in enumerate(self.known)}
        joined = self._joined(of)
        self._by_hash = np.argsort(joined, kind="stable").astype(np.int32)
        self._hashes = joined[self._by_hash]
        self._counts: dict[str, int] = {}

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

    def _joined(self, of: np.ndarray) -> np.ndarray:
        """Returns a hash of the joined parts of each name, 0 for a name of fewer than two.

        Most are in no other name, and as texts they would take more memory than all else.

        Args:
            of: the name of each of its parts, by name.
        """
        several = np.diff(self._start) > 1
        kept = several[of]
        # All are joined at once: a slice and a text for each name would take twice the time.
        ends = np.cumsum(several)[of[kept]] - 1 + np.arange(np.count_nonzero(kept))
        codes = np.full(len(ends) + np.count_nonzero(several), len(self.known))
        codes[ends] = self._codes[kept]
        texts = "".join(map([*self.known, _BREAK].__getitem__, codes.tolist())).split(_BREAK)
        hashes = np.zeros(self.count, np.int64)
        hashes[several] = np.fromiter(map(hash, stems(texts[:-1])), np.int64, len(texts) - 1)
        return hashes

    def spelling(self, name: int) -> int:
        """Returns the number of what a name is spelt like."""
        spelt: int = self._spelling[name]
        return spelt

    def of(self, name: int) -> tuple[str, ...]:
        """Returns the parts of a name."""
        return self.parts(self.spelling(name))

    def parts(self, spelt: int) -> tuple[str, ...]:
        """Returns the parts of a spelling."""
        codes = self._codes[self._start[spelt] : self._start[spelt + 1]]
        return tuple(map(self.known.__getitem__, codes.tolist()))

    def having(self, part: str) -> np.ndarray:
        """Returns the names, sorted, that have a part, or that are it when joined."""
        spans = [
            self._rows[self._bounds[one] : self._bounds[one + 1]]
            for one in self._having(part).tolist()
        ]
        return np.sort(np.concatenate(spans)) if spans else np.zeros(0, np.int32)

    def _having(self, part: str) -> np.ndarray:
        """Returns the spellings, sorted, that have a part, or that are it when joined."""
        number = self._number.get(part)
        whole = self._whole(part)
        if number is None:
            return whole
        found = self._names[self._first[number] : self._first[number + 1]]
        return np.union1d(found, whole) if len(whole) else found

    def count_of(self, part: str) -> int:
        """Returns how many names have a part, or are it when joined."""
        found = self._counts.get(part)
        if found is None:
            spelt = self._having(part)
            rows = self._bounds[spelt + 1] - self._bounds[spelt]
            found = self._counts[part] = int(rows.sum())
        return found

    def __contains__(self, part: str) -> bool:
        return part in self._number or len(self._whole(part)) > 0

    def _whole(self, text: str) -> np.ndarray:
        """Returns the spellings whose parts joined are a text."""
        key = hash(text)
        begin, end = np.searchsorted(self._hashes, key), np.searchsorted(self._hashes, key, "right")
        found = [
            spelt
            for spelt in sorted(self._by_hash[begin:end].tolist())
            if len(parts := self.parts(spelt)) > 1 and run_together(parts) == text
        ]
        return np.array(found, np.int32)
