"""What a run of `index`, and a round of `watch`, did."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model.passage import DocumentsReport
from hdlgraph.results.models import ModelReport, WriterTrust


class StageTime(msgspec.Struct, frozen=True):
    """Wall seconds of one stage and how many items it treated."""

    stage: str
    seconds: float
    items: int = 0


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `index` did. Path lists are sorted; `failed` holds "path: reason" lines."""

    root: str
    files: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0
    degraded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    units: int = 0
    nodes: int = 0
    edges: int = 0
    unresolved: int = 0
    syntax_errors: int = 0
    syntax_error_files: int = 0
    surfaces: int = 0
    embedded: int = 0
    disagreements: int = 0
    agreement: dict[str, int] = {}  # facts by whether the readers of the source agree on them
    readers: dict[str, int] = {}  # files by who read them
    file_source: str = ""
    graphrag: str = ""
    stages: tuple[StageTime, ...] = ()
    peak_memory_mb: float = 0.0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # parts of the index that could not be made this time
    writers: dict[str, int] = {}  # explanations by who wrote them
    trust: tuple[WriterTrust, ...] = ()
    models: ModelReport = ModelReport()
    options: dict[str, Any] = {}  # of this call and earlier ones, remembered for the next
    documents: DocumentsReport | None = None  # None where documents are not indexed

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, **msgspec.to_builtins(self)}


DISCOVERED = 2
"""Stages of a run that found nothing to do: the files were looked for; and the total."""


class Round(msgspec.Struct, frozen=True):
    """What one round of `watch` did.

    `files` are the paths whose change began it, `seconds` its wall time. `error` says why there is
    no `report`; `locked` that another process was writing the index, so that it is tried again.
    """

    files: tuple[str, ...] = ()
    seconds: float = 0.0
    report: IndexReport | None = None
    error: str = ""
    locked: bool = False

    @property
    def has_news(self) -> bool:
        """Returns whether there is something to say: a new index, or an error."""
        found = self.report
        moved = found and (found.added or found.changed or found.removed or found.renamed)
        return bool(self.error or moved or (found and len(found.stages) > DISCOVERED))

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {
            "schema": 1,
            "files": list(self.files),
            "seconds": self.seconds,
            "error": self.error,
            "report": self.report.to_dict() if self.report else None,
        }
