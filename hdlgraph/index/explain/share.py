"""Imports explanations that a team shares into the index folder, and forgets them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.index.explain.by_model.kept import FIRST, SECOND, read_kept
from hdlgraph.model import Explanation
from hdlgraph.safety.safe_files import write_atomic
from hdlgraph.store.explanations import OWN, read_imported, read_jsonl, usable
from hdlgraph.store.folder import Store, make_folder
from hdlgraph.store.full_disk import full_disk_explained
from hdlgraph.store.lock import index_lock

IMPORTED = "imported"
"""Who wrote imported explanations, as reports name it."""
NAMES = 10
"""Names of models that an error lists."""
NONE = "all explanations are hdlgraph's own"
"""What an error says where no model wrote any."""


def take_over(folder: Path, source: Path) -> dict[str, int]:
    """Adds the explanations of `source` to those imported before (the newer one of a path wins).

    Those that hdlgraph wrote itself are refused: they would count before a model's for good.

    Returns:
        {"read", "matching" (written for the indexed content of a file), "refused" (hdlgraph's
        own), "imported" (in all)}.

    Raises:
        UsageError: `source` cannot be read, a line is not an explanation, or all are hdlgraph's
            own; nothing changes.
        IndexLockedError: a run is writing the index.
    """
    read = read_jsonl(source)
    found = {path: item for path, item in read.items() if item.model != OWN}
    if read and not found:
        raise UsageError(
            f"{source}: all {len(read)} explanations are hdlgraph's own (`model: {OWN}`), which it "
            "writes anew by itself; nothing was imported. Give those that you changed another "
            "`model`, such as your team's name"
        )
    store = Store(folder)
    with full_disk_explained(folder):
        make_folder(folder)
        with index_lock(folder):
            merged = {**read_imported(store.imported), **found}
            _write(store.imported, merged)
    try:
        entries = store.manifest().files
    except UsageError:
        entries = {}  # before the first index
    matching = sum(
        1 for name, entry in entries.items() if usable(found, name, entry.sha256) is not None
    )
    return {
        "read": len(read),
        "matching": matching,
        "refused": len(read) - len(found),
        "imported": len(merged),
    }


def forget(folder: Path, model: str = "", paths: Sequence[str] = ()) -> dict[str, Any]:
    """Removes explanations that were imported or that models wrote; the next run replaces them.

    Args:
        folder: the index folder.
        model: only those by this model; all imported ones are by "imported".
        paths: only those of these files, and of the files in these folders.

    Returns:
        {"forgotten" (how many, by who wrote them), "files" (how many lose one), "left" (how many
        explanations are not hdlgraph's own afterwards)}.

    Raises:
        UsageError: no explanation is by that model or of such a path.
        IndexLockedError: a run is writing the index.
    """
    store = Store(folder)
    store.manifest()
    wanted = tuple(path.strip("/").removeprefix("./") for path in paths)
    forgotten: Counter[str] = Counter()
    files: set[str] = set()
    left = 0
    with full_disk_explained(folder), index_lock(folder):
        kept: dict[Path, Mapping[str, Explanation]] = {
            store.imported: read_imported(store.imported),
            folder / FIRST: read_kept(folder / FIRST),
            folder / SECOND: read_kept(folder / SECOND),
        }
        shared = kept[store.imported]
        _check(
            [item for one in kept.values() for item in one.values()], bool(shared), model, wanted
        )
        for place, items in kept.items():
            every = items is shared and model == IMPORTED
            gone = {p for p, one in items.items() if _is_meant(one, "" if every else model, wanted)}
            forgotten.update(IMPORTED if items is shared else items[path].model for path in gone)
            files |= gone
            left += len(items) - len(gone)
            if gone:
                _write(place, {p: item for p, item in items.items() if p not in gone})
    return {"forgotten": dict(sorted(forgotten.items())), "files": len(files), "left": left}


def _is_meant(item: Explanation, model: str, paths: Sequence[str]) -> bool:
    if model and item.model != model:
        return False
    return not paths or any(_is_below(item.path, path) for path in paths)


def _is_below(path: str, place: str) -> bool:
    return place in ("", ".", path) or path.startswith(place + "/")


def _check(items: Sequence[Explanation], imported: bool, model: str, paths: Sequence[str]) -> None:
    """Raises UsageError where a wish fits no explanation."""
    models = sorted({*(item.model for item in items), *([IMPORTED] if imported else [])})
    if model and model not in models:
        there = f"there are those of {', '.join(models[:NAMES])}" if models else NONE
        raise UsageError(f"model {model}: wrote no explanation here; {there}")
    for path in paths:
        if not any(_is_below(item.path, path) for item in items):
            raise UsageError(
                f"{path}: no explanation of it was imported or written by a model; name a file or "
                "a folder relative to the repository"
            )


def _write(place: Path, items: dict[str, Any]) -> None:
    """Writes explanations; a file of none is removed."""
    if not items:
        place.unlink(missing_ok=True)
        return
    write_atomic(
        place, b"".join(msgspec.json.encode(items[path]) + b"\n" for path in sorted(items))
    )
