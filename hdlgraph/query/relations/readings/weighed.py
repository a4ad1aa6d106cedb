"""Resolves phrases with what the plain ranking says of the files of the candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from hdlgraph.query.relations.resolve import Candidate, Resolver

SHARE = 0.6
"""Share of a candidate's weight that the plain score of its file gives, unless it is named."""


class Weighed(Resolver):
    """A resolver whose candidates weigh more where the plain ranking finds their files.

    Args:
        base: finds them.
        plain: the plain scores of all files, 0 to 1, float32 (n_files,).
    """

    def __init__(self, base: Resolver, plain: np.ndarray) -> None:
        self._base = base
        self._plain = plain
        self.design = base.design

    def __getattr__(self, name: str) -> Any:
        """Returns what the other resolver keeps."""
        return getattr(self._base, name)

    def units(
        self, text: str, keep: Callable[[int], object] | None = None, packages: bool = False
    ) -> list[Candidate]:
        """Returns the design units that a phrase may mean, the likeliest first."""
        return self._weigh(self._base.units(text, keep, packages))

    def nets(self, text: str, units: Iterable[int] = ()) -> list[Candidate]:
        """Returns the ports and signals that a phrase may mean."""
        return self._weigh(self._base.nets(text, units))

    def classes(self, text: str) -> list[Candidate]:
        """Returns the classes that a phrase may mean."""
        return self._weigh(self._base.classes(text))

    def fit(self, text: str, rows: Iterable[int]) -> dict[int, float]:
        """Returns how well units fit what an answer is called."""
        return self._base.fit(text, rows)

    def _weigh(self, found: list[Candidate]) -> list[Candidate]:
        if any(one.exact for one in found):
            return found
        weighed = []
        for one in found:
            number = self.design.file(one.row)
            plain = float(self._plain[number]) if number >= 0 else 0.0
            weighed.append(one._replace(weight=one.weight * (1 - SHARE + SHARE * plain)))
        return sorted(weighed, key=lambda one: -one.weight)
