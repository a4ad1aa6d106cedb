"""Chooses the vector store of an index: by the settings, else by the number of vectors."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.store.vectors import arrays, indexed, lance
from hdlgraph.store.vectors.probing import find_probing
from hdlgraph.store.vectors.protocol import VectorStore, Writer

AUTO = "auto"
WRITERS: dict[str, Writer] = {arrays.NAME: arrays.write, lance.NAME: lance.write}
LINE = 100_000
"""Vectors from which LanceDB is chosen.

Arrays are faster at every size that fits into memory: a further question takes 0.2 ms of 4,000
vectors and 7 ms of 40,000, with LanceDB's exact search 78 and 736 ms, the first one 28 and 22 ms
against 231 and 775 (`python -m hdlgraph.eval.bench.vectors 4000 40000`). A million vectors of 384
numbers are 1.5 GB.
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
