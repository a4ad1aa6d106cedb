"""Chooses the vector store of an index: by the settings, else by the number of vectors."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.store.vectors import arrays, indexed, lance
from hdlgraph.store.vectors.probing import find_probing
from hdlgraph.store.vectors.protocol import VectorStore, Writer

AUTO = "auto"
WRITERS: dict[str, Writer] = {arrays.NAME: arrays.write, lance.NAME: lance.write}
LINE = 250_000
"""Vectors from which LanceDB is chosen.

Of so many its index needs about the CPU of the exact arrays, 40 ms, to find .99 of the 50 nearest
(docs/scale.md): of fewer vectors arrays are faster and miss nothing.
"""


def chosen(setting: str, count: int) -> str:
    """Returns the name of the store for so many vectors; "auto" looks at the number alone."""
    if setting != AUTO:
        return setting
    return lance.NAME if count >= LINE else arrays.NAME


def find_store(folder: Path) -> VectorStore | None:
    """Returns the store that a folder holds, or None where it has no vectors."""
    if (folder / lance.FOLDER).is_dir():  # a large one has an array beside it
        probing = find_probing(folder)
        return indexed.Indexed(folder, probing) if probing else lance.Lance(folder)
    return arrays.Arrays(folder) if (folder / arrays.FILE).is_file() else None
