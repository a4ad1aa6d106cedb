"""Folds files that are nearly the same into one hit, so that ten hits are ten different things."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")
Groups = Mapping[str, tuple[str, ...]]
"""Path -> all files that are nearly the same, itself included; only paths that have a copy."""


def folded(
    ranked: Iterable[tuple[T, str]], groups: Groups, among: Collection[str] | None = None
) -> Iterator[tuple[T, tuple[str, ...]]]:
    """Yields what is ranked, the best of each group alone, with the other paths of the group.

    Args:
        ranked: (anything, its path), best first.
        groups: the nearly equal files.
        among: the paths that may be named as copies; None allows all.
    """
    seen: set[str] = set()
    for item, path in ranked:
        group = groups.get(path, ())
        if group:
            if group[0] in seen:
                continue
            seen.add(group[0])
        others = (other for other in group if other != path)
        yield item, tuple(other for other in others if among is None or other in among)
