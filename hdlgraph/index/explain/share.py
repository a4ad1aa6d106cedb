"""Imports explanations that a team shares into the index folder; the next run uses them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.safety.safe_files import write_atomic
from hdlgraph.store.explanations import read_jsonl, usable
from hdlgraph.store.folder import Store, full_disk_explained, make_folder
from hdlgraph.store.lock import index_lock


def take_over(folder: Path, source: Path) -> dict[str, int]:
    """Adds the explanations of `source` to those imported before (the newer one of a path wins).

    Returns:
        {"read", "matching" (written for the indexed content of a file), "imported" (in all)}.

    Raises:
        UsageError: `source` cannot be read or a line is not an explanation; nothing changes.
        IndexLockedError: a run is writing the index.
    """
    found = read_jsonl(source)
    store = Store(folder)
    with full_disk_explained(folder):
        make_folder(folder)
        with index_lock(folder):
            path = store.imported
            known = read_jsonl(path) if path.is_file() else {}
            merged = {**known, **found}
            lines = (msgspec.json.encode(merged[name]) + b"\n" for name in sorted(merged))
            write_atomic(path, b"".join(lines))
    try:
        entries = store.manifest().files
    except UsageError:
        entries = {}  # before the first index
    matching = sum(
        1 for name, entry in entries.items() if usable(found, name, entry.sha256) is not None
    )
    return {"read": len(found), "matching": matching, "imported": len(merged)}
