"""Writes corpora of any number of distinct HDL files, made of copies of real designs.

A copy is all designs with their own names in one folder. Copy 0 keeps names and comments; every
further one is renamed (`renaming.py`) and reworded (`rewording.py`). The same size and seed give
the same bytes, and a smaller corpus is the beginning of a larger one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from hdlgraph.errors import UsageError
from hdlgraph.eval.bench_scale.renaming import Renaming, renamings
from hdlgraph.eval.bench_scale.rewording import Rewording
from hdlgraph.eval.bench_scale.sources import Designs, Source

FACTS = ".corpus.json"
"""File of a corpus that says what it was made of; written last: a corpus without is not whole."""
SEED = 16


def write_corpus(designs: Designs, size: int, folder: Path, seed: int = SEED) -> dict[str, int]:
    """Writes `size` HDL files, with the documents and filelists beside them; returns counts.

    A folder that holds the same corpus already is left alone.

    Raises:
        UsageError: the folder holds something else.
    """
    facts = folder / FACTS
    wanted = {"size": size, "seed": seed, "files_of_a_copy": designs.n_hdl}
    if facts.is_file():
        known: dict[str, int] = json.loads(facts.read_text(encoding="utf-8"))
        if all(known.get(key) == value for key, value in wanted.items()):
            return known
        raise UsageError(f"{folder}: holds another corpus ({facts.name}); name another folder")
    if folder.exists() and any(folder.iterdir()) and not (folder / ".unfinished").is_file():
        raise UsageError(f"{folder}: is not empty; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / ".unfinished").touch()
    counts = {"hdl": 0, "bytes": 0, "others": 0, "copies": 0}
    for copy, source, path, data in copies_of(designs, seed):
        if counts["hdl"] == size:
            break
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        counts["hdl" if source.is_hdl else "others"] += 1
        counts["bytes"] += len(data) if source.is_hdl else 0
        counts["copies"] = copy + 1
    facts.write_text(json.dumps({**wanted, **counts}, sort_keys=True), encoding="utf-8")
    (folder / ".unfinished").unlink()
    return {**wanted, **counts}


def copies_of(designs: Designs, seed: int) -> Iterator[tuple[int, Source, str, bytes]]:
    """Yields (copy, source, path, bytes) of all files of copy 0, then of copy 1 and so on."""
    names = renamings(designs.words, len({s.design for s in designs.sources}), designs.n_hdl, seed)
    for copy, renaming in zip(count(), names, strict=False):
        rewording = Rewording(renaming, f"{seed} {copy}")
        folder = f"copy{copy:03d}"
        for source in designs.sources:
            path = f"{folder}/{source.design}/{renaming.path(source.path)}"
            yield copy, source, path, _rewritten(source, renaming, rewording)


def _rewritten(source: Source, renaming: Renaming, rewording: Rewording) -> bytes:
    if renaming.is_original:
        return source.file.read_bytes()
    text = source.text()
    new = rewording.code(text) if source.is_hdl else rewording.prose(text)
    return new.encode("utf-8")
