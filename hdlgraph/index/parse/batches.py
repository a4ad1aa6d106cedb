"""What workers are told once, and the batches of files that they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse.worker import Setup, Task
from hdlgraph.parsers import limits
from hdlgraph.parsers.macros.table import Borrowed
from hdlgraph.parsers.registry import added_readers

if TYPE_CHECKING:
    from hdlgraph.settings.records import Settings

_BATCH_BYTES = 200_000
_BATCH_FILES = 12


def setup_of(
    root: Path,
    sources: Sequence[SourceFile],
    *,
    all_paths: Sequence[str] | None,
    incdirs: Sequence[str],
    defines: Sequence[str],
    memory_mb: int,
    settings: Settings | None,
    borrowed: Mapping[str, Sequence[Borrowed]] | None,
) -> Setup:
    """Returns what each worker is told before its first file; see `parse_all`."""
    paths = tuple(all_paths) if all_paths is not None else tuple(s.path for s in sources)
    return Setup(
        root=str(root.resolve()),
        paths=paths,
        incdirs=tuple(incdirs),
        defines=tuple(defines),
        memory_mb=memory_mb,
        deep_bytes=settings.files.max_bytes if settings else limits.DEEP_BYTES,
        witness=settings.parse.pyverilog if settings else True,
        readers=added_readers(),
        **_numbered(borrowed or {}, sources),
    )


def _numbered(
    borrowed: Mapping[str, Sequence[Borrowed]], sources: Sequence[SourceFile]
) -> dict[str, Any]:
    """Returns `macros` and `borrowed` of a worker's setup, each macro once."""
    places: dict[Borrowed, int] = {}
    by_path = {
        source.path: tuple(places.setdefault(one, len(places)) for one in borrowed[source.path])
        for source in sources
        if source.path in borrowed
    }
    return {"macros": tuple(places), "borrowed": by_path}


def batches_of(sources: Sequence[SourceFile]) -> list[list[Task]]:
    """Returns batches of about equal bytes, the largest files first so that none ends late."""
    batches: list[list[Task]] = []
    batch: list[Task] = []
    held = 0
    for source in sorted(sources, key=lambda s: (-s.size, s.path)):
        if batch and (held + source.size > _BATCH_BYTES or len(batch) >= _BATCH_FILES):
            batches.append(batch)
            batch, held = [], 0
        batch.append(Task(source.path, source.sha256, source.role))
        held += source.size
    if batch:
        batches.append(batch)
    return batches
