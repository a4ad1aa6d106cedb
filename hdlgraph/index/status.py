"""The state of an index, and which files of its repository changed since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.changes import compare
from hdlgraph.index.check import outdated
from hdlgraph.index.discover.files import discover
from hdlgraph.index.discover.find import find_files, known_files
from hdlgraph.index.graphrag.due import describe
from hdlgraph.index.request import Request
from hdlgraph.settings.records import Settings
from hdlgraph.settings.remembered import remembered
from hdlgraph.store.checksums import damaged
from hdlgraph.store.folder import TABLES, Store
from hdlgraph.store.guard import check_readable
from hdlgraph.store.lock import run_state
from hdlgraph.store.manifest import Manifest


def status_of(root: Path, folder: Path, settings: Settings) -> dict[str, Any]:
    """Returns what an index holds, and in `stale` the sorted paths that moved since.

    Raises:
        IndexMissingError: there is no index.
        IndexVersionError: another version of hdlgraph wrote it.
    """
    manifest = Store(folder).hold().manifest
    return {
        "index": str(folder),
        "root": str(root),
        "version": manifest.version,
        "generation": manifest.generation,
        "files": len(manifest.files),
        "roles": manifest.roles,
        **{key: manifest.counts.get(key, 0) for key in ("units", "nodes", "edges", "unresolved")},
        **{key: manifest.counts.get(key, 0) for key in ("syntax_errors", "syntax_error_files")},
        "surfaces": manifest.counts.get("surfaces", 0),
        "writers": manifest.writers,
        "pending": manifest.pending,
        "embedder": manifest.embedder,
        "data_type": manifest.data_type,
        "graphrag": describe(manifest.graphrag),
        "file_source": manifest.file_source,
        "options": remembered(manifest.options, root).to_dict(),
        "degraded": list(manifest.degraded),
        "failed": list(manifest.failed),
        "run": run_state(folder),
        "stale": _stale(root, manifest, settings),
    }


def check_of(request: Request) -> dict[str, Any]:
    """Returns whether a run would make a new generation, and for which files or other reasons.

    Raises:
        UsageError: there is no index, or no Verilog in the repository.
    """
    from hdlgraph.index.embed.embedder import load_embedder

    def can_embed() -> bool:
        try:
            return load_embedder(request.settings) is not None
        except WeightsMissingError:
            return False

    former = Store(request.folder).hold().manifest
    found = find_files(request, former)
    changes = compare(former.files, found.files)
    reasons = outdated(request, former, found, can_embed)
    return {
        "schema": 1,
        "fits": not changes.any and not reasons,
        "added": list(changes.added),
        "changed": list(changes.changed),
        "removed": list(changes.removed),
        "renamed": [list(pair) for pair in changes.renamed],
        "reasons": reasons,
        "notes": list(request.option_notes),
    }


def integrity_of(folder: Path) -> dict[str, Any]:
    """Returns "owner" (name or number), "own" (is it the user's), "files", "bytes", "damaged".

    `damaged` lists "PATH: why" of the files of the valid generation and of GraphRAG's tables.

    Raises:
        IndexMissingError, IndexVersionError, IndexUnsafeError: there is none that can be read.
    """
    store = Store(folder)
    manifest = store.manifest()
    generation = store.generation(manifest)
    check_readable(folder, generation)
    owner = folder.stat().st_uid
    sums = {**manifest.checksums, **manifest.tables}
    return {
        "owner": _name_of(owner),
        "own": owner == os.geteuid(),
        "files": len(sums),
        "bytes": sum(size for size, _ in sums.values()),
        "damaged": damaged(generation, manifest.checksums)
        + damaged(folder / TABLES, manifest.tables),
    }


def _name_of(owner: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return f"user {owner}"


def _stale(root: Path, manifest: Manifest, settings: Settings) -> dict[str, list[Any]]:
    found = discover(
        root,
        include=manifest.include,
        exclude=manifest.exclude,
        filelist=Path(manifest.filelist) if manifest.filelist else None,
        suffixes=settings.files.suffixes,
        known=known_files(manifest),
        secrets={settings.llm.key_env} - {""},
    )
    moved = compare(manifest.files, found.files)
    return {
        "added": list(moved.added),
        "changed": list(moved.changed),
        "removed": list(moved.removed),
        "renamed": [list(pair) for pair in moved.renamed],
    }
