"""Makes the manifest of a generation from what its run found and did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hdlgraph import __version__
from hdlgraph.index.changes import Changes
from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.discover.find import entries_of
from hdlgraph.index.graphrag.due import State, absent, after
from hdlgraph.index.parse.syntax import counted
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.index.stages import reading
from hdlgraph.model import FileRecord
from hdlgraph.store.manifest import Manifest, write_manifest

if TYPE_CHECKING:
    from hdlgraph.index.stages.explaining import Explained


class Done(NamedTuple):
    """What a run has done for its generation, besides its files and their explanations.

    `counts` are rows of its tables by name, `embedder` is "" where there are no vectors, `passing`
    tells by path why a file is read again, `options` are those that the next run takes over.
    """

    number: int
    started_ns: int
    counts: Mapping[str, int]
    embedder: str
    passing: Mapping[str, str]
    left_out: tuple[str, ...]
    options: Mapping[str, Any]


def manifest_of(
    request: Request,
    former: Manifest | None,
    meter: Meter,
    found: Discovery,
    records: Sequence[FileRecord],
    changes: Changes,
    explained: Explained,
    done: Done,
) -> Manifest:
    """Returns the manifest of a generation."""
    settings, (degraded, failed) = request.settings, reading.weak(found, records, done.passing)
    counts = {**done.counts, "files": len(records), **counted(records)}
    return Manifest(
        generation=done.number,
        version=__version__,
        root=str(request.root),
        inputs=request.inputs,
        data_type=settings.graphrag.data_type,
        embedder=done.embedder,
        settings=settings.digest(),
        filelist=str(request.filelist or ""),
        file_source=found.source,
        include=settings.files.include,
        exclude=settings.files.exclude,
        incdirs=tuple(found.incdirs),
        defines=tuple(found.defines),
        files=entries_of(found),
        checked_ns=done.started_ns,
        counts=dict(sorted(counts.items())),
        roles=dict(sorted(Counter(str(r.role) for r in records).items())),
        degraded=degraded,
        failed=failed,
        notes=found.notes,
        stages=tuple(meter.stages),
        peak_memory_mb=meter.peak_mb,
        graphrag=_tables(former, changes, explained),
        model_texts=explained.digest,
        writers=explained.writers,
        pending=explained.models.pending,
        trust=explained.trust,
        retry=tuple(sorted(done.passing)),
        left_out=done.left_out,
        options=dict(done.options),
        **_seen(found),
    )


def touched(
    request: Request,
    former: Manifest,
    found: Discovery,
    options: Mapping[str, Any],
    started_ns: int,
) -> Manifest:
    """Returns the former manifest with present times, written only when one moved."""
    state = {
        "files": entries_of(found),
        "notes": found.notes,
        "folders": dict(found.folders),
        "options": dict(options),
    }
    if all(getattr(former, name) == value for name, value in state.items()):
        return former
    manifest = msgspec.structs.replace(former, **state, checked_ns=started_ns)
    write_manifest(request.folder, manifest)
    return manifest


def lasting_options(request: Request, found: Discovery) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns the options that the next run is to take from the index, and notes on others."""
    options = dict(request.options)
    if not found.expanded or "filelist" not in options:
        return options, ()
    # As the list of a repository it would have other files: that expands no variables.
    del options["filelist"]
    names = ", ".join(f"${name}" for name in found.expanded)
    note = (
        f"not remembered for the next index: -f {found.source}, as it takes {names} "
        "from the environment"
    )
    return options, (note,)


def _tables(former: Manifest | None, changes: Changes, explained: Explained) -> State:
    """Returns the state of GraphRAG's tables after changes of files and explanations."""
    if former is None:
        return absent()
    new = sum(explained.models.done.values())
    same = explained.digest == former.model_texts
    changed = 0 if same else new or len(explained.explanations)
    # What was weak and is read again may differ as if its file had changed.
    return after(former.graphrag, max(changes.size, changed, len(former.retry)))


def _seen(found: Discovery) -> dict[str, Any]:
    """Returns what the manifest keeps of the search for files besides these."""
    state = {"folders": dict(found.folders), "projects": dict(found.projects)}
    return {"suffixes": found.suffixes, **state}
