"""Makes the report of a run from the manifest that it left."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.index.changes import Changes
from hdlgraph.index.graphrag.due import describe
from hdlgraph.index.progress import Meter
from hdlgraph.model import Layer
from hdlgraph.results import IndexReport, StageUsage
from hdlgraph.store.manifest import Manifest


def cost_of(usage: Sequence[StageUsage]) -> float | None:
    """Returns USD of all stages, None when one is not known."""
    costs = [one.cost for one in usage]
    return sum(cost for cost in costs if cost is not None) if None not in costs else None


def report_of(manifest: Manifest, changes: Changes, meter: Meter, embedded: int) -> IndexReport:
    """Returns the report of a run from the manifest it left."""
    count = manifest.counts.get
    return IndexReport(
        root=manifest.root,
        files=len(manifest.files),
        added=changes.added,
        changed=changes.changed,
        removed=changes.removed,
        renamed=changes.renamed,
        unchanged=changes.unchanged,
        degraded=manifest.degraded,
        failed=manifest.failed,
        embedded=embedded,
        file_source=manifest.file_source,
        graphrag=describe(manifest.graphrag),
        stages=(*meter.stages, meter.total()),
        peak_memory_mb=meter.peak_mb,
        notes=(*manifest.notes, *manifest.left_out),
        units=count("units", 0),
        nodes=count("nodes", 0),
        edges=count("edges", 0),
        unresolved=count("unresolved", 0),
        surfaces=count("surfaces", 0),
        syntax_errors=count("syntax_errors", 0),
        syntax_error_files=count("syntax_error_files", 0),
        disagreements=count("disputed", 0),
        agreement={name: count(name, 0) for name in ("agreed", "disputed", "single")},
        readers={layer.value: count(f"read by {layer.value}", 0) for layer in Layer},
        writers=manifest.writers,
        trust=manifest.trust,
        options=manifest.options,
    )
