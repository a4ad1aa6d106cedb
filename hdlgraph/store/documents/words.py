"""The words of all passages on disk: for each field, which passages have a term, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np

CODE, HEADING, PLAIN = "code", "heading", "plain"
"""Fields: identifiers split into words, of title and text; of titles alone; and whole words."""
FIELDS = (CODE, HEADING, PLAIN)


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

    rows: dict[str, list[int]] = {}
    counts: dict[str, list[int]] = {}
    for number, terms in enumerate(counted):
        for term, count in terms.items():
            rows.setdefault(term, []).append(number)
            counts.setdefault(term, []).append(min(count, 65_535))
    terms = sorted(rows)
    starts = np.cumsum([0, *(len(rows[term]) for term in terms)])
    return StoredField(
        terms,
        starts.astype("<u4").tobytes(),
        np.asarray([n for term in terms for n in rows[term]], "<u4").tobytes(),
        np.asarray([n for term in terms for n in counts[term]], "<u2").tobytes(),
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
    out: dict[str, int] = {}
    for term in terms:
        out[term] = out.get(term, 0) + 1
    return out
