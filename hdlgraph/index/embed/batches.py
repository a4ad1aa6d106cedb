"""Cuts texts into batches and has each embedded: here, or by an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def in_batches(texts: Sequence[Any], model: Any, size: int) -> list[Sequence[Any]]:
    """Returns the texts in batches of the size that the model or its engine wants."""
    size = getattr(model, "batch", size)
    return [texts[at : at + size] for at in range(0, len(texts), size)]


def away(work: Any, embed: Any, batches: Sequence[Sequence[str]]) -> Iterator[tuple[int, Any]]:
    """Yields (place, result) of each batch: from the engine of `work`, else by calling `embed`."""
    each = getattr(work, "each", None)
    if each is not None:
        # The last ones are the longest, and nobody is to wait for them at the end.
        last = len(batches) - 1
        yield from ((last - at, found) for at, found in each(batches[::-1]))
        return
    for at, batch in enumerate(batches):
        yield at, embed(batch)
