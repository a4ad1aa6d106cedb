"""The words of all passages on disk: for each field, which passages have a term, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np

WHOLE, HEADING = "whole", "heading"
"""Fields: the words of titles and text, identifiers split; and those of titles alone."""
FIELDS = (WHOLE, HEADING)


class StoredField(msgspec.Struct, frozen=True):
    """The postings of a field.

    `terms` are sorted; those of term n are `rows` and `counts` (uint32 and uint16, as bytes) from
    `starts[n]` to `starts[n + 1]` (uint32, as bytes).
    """

    terms: list[str]
    starts: bytes
    rows: bytes
    counts: bytes


def make_field(counted: Iterable[Mapping[str, int]]) -> StoredField:
    """Returns the postings of a field.

    Args:
        counted: how often each passage has each term.
    """
    import numpy as np

    numbers: dict[str, int] = {}
    ids: list[int] = []
    counts: list[int] = []
    sizes: list[int] = []
    for terms in counted:
        sizes.append(len(terms))
        ids += [numbers.setdefault(term, len(numbers)) for term in terms]
        counts += terms.values()
    names = sorted(numbers)
    rank = np.empty(len(names), np.int64)
    rank[[numbers[name] for name in names]] = np.arange(len(names))
    keys = rank[ids] if ids else np.empty(0, np.int64)
    order = np.argsort(keys, kind="stable")
    rows = np.repeat(np.arange(len(sizes)), sizes)[order]
    starts = np.r_[0, np.cumsum(np.bincount(keys, minlength=len(names)))]
    return StoredField(
        names,
        starts.astype("<u4").tobytes(),
        rows.astype("<u4").tobytes(),
        np.minimum(np.asarray(counts, np.int64), 65_535)[order].astype("<u2").tobytes(),
    )


class Postings:
    """A field that is searched.

    Args:
        stored: as it stands on disk.
        passages: how many there are.

    Raises:
        ValueError: a number in it leads nowhere.
    """

    def __init__(self, stored: StoredField, passages: int) -> None:
        import numpy as np

        self.terms = {term: n for n, term in enumerate(stored.terms)}
        self.starts: np.ndarray = np.frombuffer(stored.starts, "<u4").astype(np.int64)
        self.rows: np.ndarray = np.frombuffer(stored.rows, "<u4").astype(np.int64)
        self.counts: np.ndarray = np.frombuffer(stored.counts, "<u2").astype(np.float32)
        self.passages = passages
        fits = (
            len(self.starts) == len(stored.terms) + 1
            and len(self.rows) == len(self.counts) == int(self.starts[-1])
            and not (np.diff(self.starts) < 0).any()
            and (not len(self.rows) or int(self.rows.max()) < passages)
        )
        if not fits:
            raise ValueError("postings that lead nowhere")

    def of(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns (passages that have a term, how often)."""
        number = self.terms.get(term)
        if number is None:
            return self.rows[:0], self.counts[:0]
        start, end = self.starts[number], self.starts[number + 1]
        return self.rows[start:end], self.counts[start:end]


def count(terms: Sequence[str]) -> dict[str, int]:
    """Returns how often each term is there."""
    return Counter(terms)
