"""Which messages have which words, as arrays: some messages of a large index have any word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hdlgraph.store.tables import coded_texts, grouped

WORD = re.compile(r"[A-Za-z_]\w*|[0-9]+")
HOLE = re.compile(r"%[-+ ]?\d*(?:\.\d+)?[a-zA-Z]|\\[ntrf]")
_END = "\0"
_WORDS = re.compile(f"{WORD.pattern}|{_END}")
ROUNDING = 1e-6
"""Share by which sums of the same numbers in another order may differ, and far more."""


class MessageWords:
    """The words of messages, which go by their place among them.

    Messages of the same text are looked at once: of those of a large index two in three are.

    Args:
        texts: the messages as they are written.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        texts, spelt = coded_texts(texts)
        self._same, self._first_same = grouped(spelt, len(texts))
        whole = _END.join(texts)
        if whole.count(_END) >= max(len(texts), 1):
            whole = _END.join(text.replace(_END, " ") for text in texts)
        # All texts at once: one by one that takes three times as long. No hole goes over an end.
        found = _WORDS.findall(HOLE.sub(" ", whole).lower() + _END)
        known = {word: number for number, word in enumerate(dict.fromkeys((_END, *found)))}
        codes = np.fromiter(map(known.__getitem__, found), np.int64, len(found))
        ends = codes == 0
        of = (np.cumsum(ends) - ends)[~ends]
        self._words = list(known)
        self._number = known
        self._codes = codes[~ends]
        self._start = np.searchsorted(of, np.arange(len(texts) + 1))
        order, self._first = grouped(self._codes, len(known))
        self._messages = of[order].astype(np.int32)
        self._idf = np.full(len(known), np.nan)

    def having(
        self, words: Iterable[str], idfs: Callable[[list[str]], list[float]], least: float
    ) -> np.ndarray:
        """Returns the messages of which some words, counted by idf, are at least a share, sorted.

        Args:
            words: those of a text, each once.
            idfs: gives the idf of each of some words.
            least: the share; of 0 a word is enough.
        """
        own = [number for word in words if (number := self._number.get(word))]
        spans = [self._messages[self._first[one] : self._first[one + 1]] for one in own]
        if not spans:
            return np.zeros(0, np.int64)
        near = np.bincount(np.concatenate(spans), minlength=len(self._start) - 1)
        # A word alone is a share of two words at most: one that says more stands twice.
        some = np.flatnonzero(near > 1)
        length = self._start[some + 1] - self._start[some]
        rows = np.repeat(self._start[some] - np.cumsum(length) + length, length)
        codes = self._codes[rows + np.arange(len(rows))]
        has = np.zeros(len(self._words), bool)
        has[codes] = True
        new = np.flatnonzero(has & np.isnan(self._idf))
        self._idf[new] = idfs([self._words[one] for one in new.tolist()])
        weight = self._idf[codes]
        asked = np.zeros(len(self._words), bool)
        asked[own] = True
        begins = np.cumsum(length) - length
        if not len(some):
            return some
        whole = np.add.reduceat(weight, begins)
        had = np.add.reduceat(np.where(asked[codes], weight, 0.0), begins)
        return self._all_of(some[had >= (least - ROUNDING) * whole])

    def _all_of(self, texts: np.ndarray) -> np.ndarray:
        """Returns the messages of some texts, sorted."""
        first, end = self._first_same[texts], self._first_same[texts + 1]
        spans = [self._same[a:b] for a, b in zip(first.tolist(), end.tolist(), strict=True)]
        return np.sort(np.concatenate(spans)) if spans else np.zeros(0, np.int64)
