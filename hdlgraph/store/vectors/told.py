"""Tells how the vectors of a generation are searched; loads nothing where all are compared."""

from __future__ import annotations

from pathlib import Path

FILE = "vectors.json"
"""File beside the vectors: how a table that is divided into cells is searched, and its recall."""


def vector_notes(generation: Path) -> tuple[str, ...]:
    """Returns a line for the report of an index whose vectors are not all compared, else none.

    Raises:
        IndexDamagedError: the file that says it cannot be read.
    """
    folder = generation / "surfaces"
    if not (folder / FILE).is_file():
        return ()
    from hdlgraph.store.vectors.ann import find_probing

    found = find_probing(folder)
    if found is None:
        return ()
    return (
        f"vectors: a search compares those of {found.probes} of {found.cells} cells, and found "
        f"{found.recall:.1%} of the {found.top} nearest of each of {found.asked} texts",
    )
