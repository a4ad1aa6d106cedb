"""The state of an index, and how far its repository has moved since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hdlgraph.index.changes import compare
from hdlgraph.index.discover import discover
from hdlgraph.index.graphrag_tables import describe
from hdlgraph.index.manifest import Manifest
from hdlgraph.index.run import known_files
from hdlgraph.index.store import Store
from hdlgraph.settings import Settings


def status_of(root: Path, folder: Path, settings: Settings) -> dict[str, Any]:
    """Returns what an index holds, and in `stale` the sorted paths that moved since.

    Raises:
        IndexMissingError: there is no index.
        IndexVersionError: another version of hdlgraph wrote it.
    """
    store = Store(folder)
    manifest = store.manifest()
    store.current()
    return {
        "index": str(folder),
        "root": str(root),
        "version": manifest.version,
        "generation": manifest.generation,
        "files": len(manifest.files),
        "roles": manifest.roles,
        **{key: manifest.counts.get(key, 0) for key in ("units", "nodes", "edges", "unresolved")},
        "surfaces": manifest.counts.get("surfaces", 0),
        "writers": manifest.writers,
        "pending": manifest.pending,
        "embedder": manifest.embedder,
        "data_type": manifest.data_type,
        "graphrag": describe(manifest.graphrag),
        "file_source": manifest.file_source,
        "degraded": list(manifest.degraded),
        "failed": list(manifest.failed),
        "stale": _stale(root, manifest, settings),
    }


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
