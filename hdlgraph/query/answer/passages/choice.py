"""Puts the lines of a file that are quoted into groups that belong together."""

from __future__ import annotations

from collections.abc import Collection

from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import FileView

NEAR = 3  # lines between two pieces that are quoted together


def grouped(view: FileView, fresh: Collection[int]) -> list[list[int]]:
    """Returns lines with the conditions around them, in groups of the same block or near together.

    Args:
        view: the file.
        fresh: numbers of the lines.
    """
    numbers = sorted(set(fresh) | guards(view, fresh))
    found: list[list[int]] = []
    block = None
    for number in numbers:
        around = [s for s in view.outline.enclosing(number) if s.kind not in ("unit", "generate")]
        outer = around[0] if around else None
        near = found and number - found[-1][-1] <= NEAR
        if near or (found and outer is not None and outer is block):
            found[-1].append(number)
        else:
            found.append([number])
        block = outer
    return found
