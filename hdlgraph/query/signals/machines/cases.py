"""The arms of the case statements of a unit, found once for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.model.flow import Guard

Head = tuple[int, str, int]
"""What tells a case from others: the guard around it, its text, and the guard of its head."""


class Cases:
    """The case statements among some guards."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        self._heads: dict[int, Head] = {}
        self._arms: dict[Head, list[int]] = {}
        latest: dict[tuple[int, str], int] = {}
        for at, one in enumerate(guards):
            key = (one.outer, one.text)
            if one.kind == "over":
                latest[key] = at
            elif one.kind in ("case", "default"):
                head = self._heads[at] = (*key, latest.get(key, -1))
                if one.kind == "case":
                    self._arms.setdefault(head, []).append(at)

    def head(self, at: int) -> Head:
        """Returns the case that an arm is of."""
        return self._heads[at]

    def arms(self, at: int) -> Sequence[int]:
        """Returns the arms of the case that an arm is of, without its default, by line."""
        return self._arms.get(self._heads[at], ())
