"""The lines of a file that the search points to."""

from __future__ import annotations

from hdlgraph.results import Hit

POINTING = frozenset(["identifier", "printed", "verbatim", "dense", "passage"])
"""Kinds of evidence that name a line because of what stands there."""


def anchors_of(hit: Hit) -> list[int]:
    """Returns the lines of a hit's own file that its evidence names, the best first."""
    return [
        e.line for e in hit.evidence if e.path == hit.path and e.line > 1 and e.kind in POINTING
    ]
