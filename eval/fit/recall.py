"""Recall of several ways to rank as lines of text, by index and by kind of question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np


class Judged(Protocol):
    """A question whose right files are known."""

    @property
    def index(self) -> str:
        """Returns the name of its index."""
        ...

    @property
    def kind(self) -> str:
        """Returns its kind."""
        ...


def table(questions: Sequence[Judged], columns: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Yields recall@1, @5 and @20 by index and by kind as lines of text."""
    keys: tuple[Callable[[Judged], str], ...] = (
        lambda one: one.index, lambda one: one.kind, lambda _: "all",
    )  # fmt: skip
    for key in keys:
        for group in sorted({key(one) for one in questions}):
            mine = np.asarray([key(one) == group for one in questions])
            cells = [
                f"{name} " + " ".join(f"{(found[mine] <= k).mean():.3f}" for k in (1, 5, 20))
                for name, found in columns.items()
            ]
            yield f"{group:24} {mine.sum():5}  {' | '.join(cells)}"
