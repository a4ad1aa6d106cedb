"""The way of a whole repository: discover, parse, explain, link, words, surfaces, tables, store."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hdlgraph import __version__
from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.index.changes import Changes, compare
from hdlgraph.index.discover import Discovery, Known, SourceFile, discover
from hdlgraph.index.graphrag_tables import absent, after, bring_up_to_date, describe
from hdlgraph.index.manifest import FileEntry, Manifest, write_manifest
from hdlgraph.index.meter import Meter, Progress, silent
from hdlgraph.index.request import Request, check_root
from hdlgraph.index.store import Run, Store, write_facts
from hdlgraph.model import Explanation, FileRecord, IndexReport

if TYPE_CHECKING:
    from hdlgraph.index.embed import Embedder

RACY_NS = 2_000_000_000
"""A file touched this shortly before it was last read may have changed without a new time."""


def run_index(request: Request, progress: Progress = silent) -> IndexReport:
    """Brings the index of a repository up to date and returns what was done.

    Raises:
        UsageError: there is no repository at `root`, or no Verilog in it.
        IndexLockedError: another run is writing this index.
        HdlgraphError: the index cannot be written; the former one stays valid.
    """
    check_root(request.root)
    with Store(request.folder).write() as run, Meter(progress) as meter:
        return _Pipeline(request, run, meter).run()


def known_files(former: Manifest | None) -> dict[str, Known]:
    """Returns what a former run knows of each file, without those whose time proves nothing."""
    if former is None:
        return {}
    safe = former.checked_ns - RACY_NS
    return {
        path: Known(entry.size, entry.mtime_ns, entry.sha256, entry.role)
        for path, entry in former.files.items()
        if entry.mtime_ns < safe and entry.sha256
    }


def entries_of(found: Discovery) -> dict[str, FileEntry]:
    """Returns the present files as the manifest records them."""
    return {
        source.path: FileEntry(source.sha256, source.size, source.mtime_ns, source.role)
        for source in found.files
    }


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


class _Pipeline:
    """The stages of one run; each takes plain values and leaves its files in the generation."""

    def __init__(self, request: Request, run: Run, meter: Meter) -> None:
        self.request, self.run_, self.meter = request, run, meter
        self.settings = request.settings
        self.former = None if request.fresh else run.former
        self.counts: dict[str, int] = {}
        self.embedded = 0
        self.notes: list[str] = []
        self.started = time.time_ns()

    def run(self) -> IndexReport:
        """Runs all stages, or none when nothing changed."""
        discovery = self._discover()
        changes = compare(self.former.files if self.former else {}, discovery.files)
        if self.former and not changes.any and self._same_inputs(self.former, discovery):
            manifest = self._touch(self.former, discovery)
            return self._finish(manifest, changes)
        embedder = self.embedder
        folder = self.run_.begin()
        records = self._parse(discovery)
        explanations = self._explain(records, folder)
        self._link(discovery, records, explanations, folder)
        self._words(records, explanations, folder)
        self._surfaces(records, explanations, embedder, folder)
        manifest = self._manifest(discovery, records, embedder, changes)
        self.run_.commit(manifest)
        self.run_.cache.prune()
        return self._finish(manifest, changes)

    def _discover(self) -> Discovery:
        files = self.settings.files
        with self.meter.stage("discover"):
            found = discover(
                self.request.root,
                include=files.include,
                exclude=files.exclude,
                filelist=self.request.filelist,
                suffixes=files.suffixes,
                known=known_files(self.former),
            )
        if not found.files:
            raise UsageError(
                f"repository {self.request.root}: no Verilog or SystemVerilog file in it "
                f"(looked for {' '.join(files.suffixes)}; ignore files, include and exclude "
                "globs were obeyed)"
            )
        return found

    def _same_inputs(self, former: Manifest, found: Discovery) -> bool:
        return (
            former.inputs == self.request.inputs
            and former.incdirs == tuple(found.incdirs)
            and former.defines == tuple(found.defines)
            and self._same_embedder(former)
        )

    def _touch(self, former: Manifest, found: Discovery) -> Manifest:
        """Returns the former manifest with present times, written only when one moved."""
        entries = entries_of(found)
        if entries == former.files:
            return former
        manifest = msgspec.structs.replace(former, files=entries, checked_ns=self.started)
        write_manifest(self.request.folder, manifest)
        return manifest

    def _same_embedder(self, former: Manifest) -> bool:
        """Returns whether an index without vectors must stay so: none wanted, or no weights."""
        wanted = self.settings.embedding.provider != "none"
        return bool(former.embedder) or not wanted or self.embedder is None

    @cached_property
    def embedder(self) -> Embedder | None:
        """Returns the embedder; None without one, then search goes by words and graph."""
        from hdlgraph.index.embed import load_embedder

        try:
            return load_embedder(self.settings)
        except WeightsMissingError as error:
            self.notes.append(f"indexed without embeddings: {error}")
            return None

    def _parse(self, found: Discovery) -> list[FileRecord]:
        from hdlgraph.index.facts import FactKeys, collect_facts, included_names

        request, cache = self.request, self.run_.cache
        with self.meter.stage("parse", len(found.files)) as tick:
            includes = included_names(request.root, found.files, cache)
            how = request.reading(found.defines)
            keys = FactKeys(found.files, includes, found.incdirs, how)
            parse = self._parser(found)
            records, self.counts["parsed"] = collect_facts(keys, cache, parse, tick)
        return records

    def _parser(self, found: Discovery) -> Callable[..., list[FileRecord]]:
        from hdlgraph.index.parse import parse_all

        parse = self.settings.parse
        paths = [source.path for source in found.files]

        def parser(
            sources: Sequence[SourceFile], on_done: Callable[[FileRecord], None]
        ) -> list[FileRecord]:
            return parse_all(
                self.request.root,
                sources,
                all_paths=paths,
                incdirs=found.incdirs,
                defines=found.defines,
                jobs=parse.jobs or usable_cores(),
                deadline_s=parse.deadline_s,
                memory_mb=parse.memory_mb,
                on_done=on_done,
                settings=self.settings,
            )

        return parser

    def _explain(self, records: Sequence[FileRecord], folder: Path) -> dict[str, Explanation]:
        from hdlgraph.index.explain import explain_all
        from hdlgraph.index.explanations import read_jsonl, write_jsonl

        imported = self.run_.store.imported
        with self.meter.stage("explain", len(records)):
            shared = read_jsonl(imported) if imported.is_file() else {}
            explanations = explain_all(records, imported=shared)
            write_jsonl(explanations.values(), folder / "explanations.jsonl")
        return explanations

    def _link(
        self,
        found: Discovery,
        records: Sequence[FileRecord],
        explanations: Mapping[str, Explanation],
        folder: Path,
    ) -> None:
        from hdlgraph.index.link import link

        with self.meter.stage("link", len(records)):
            graph = link(records, explanations, incdirs=found.incdirs)
            graph.save(folder)
        self.counts |= {
            "nodes": len(graph.nodes),
            "edges": len(graph.edges),
            "unresolved": len(graph.unresolved),
        }

    def _words(
        self, records: Sequence[FileRecord], explanations: Mapping[str, Explanation], folder: Path
    ) -> None:
        from hdlgraph.index.lexical import build_lexical
        from hdlgraph.index.texts import TextReader

        with self.meter.stage("words", len(records)):
            write_facts(folder, records)
            reader = TextReader(self.request.root)
            build_lexical(records, explanations, reader, self.run_.cache, folder / "lexical")

    def _surfaces(
        self,
        records: Sequence[FileRecord],
        explanations: Mapping[str, Explanation],
        embedder: Embedder | None,
        folder: Path,
    ) -> None:
        from hdlgraph.index.surfaces import build_surfaces

        progress = self.meter.progress
        with self.meter.stage("embed"):
            count, self.embedded = build_surfaces(
                records,
                explanations,
                embedder,
                self.run_.cache,
                folder / "surfaces",
                lambda done, total: progress("embed", done, total),
            )
        self.counts["surfaces"] = count

    def _manifest(
        self,
        found: Discovery,
        records: Sequence[FileRecord],
        embedder: Embedder | None,
        changes: Changes,
    ) -> Manifest:
        unreadable = {source.path for source in found.files if not source.sha256}
        bad = {
            r.path: r.degraded or "cannot be read"
            for r in records
            if r.degraded or r.path in unreadable
        }
        counts = {
            "files": len(records),
            "units": sum(len(r.units) for r in records),
            "disagreements": sum(len(r.disagreements) for r in records),
        }
        return Manifest(
            generation=self.run_.number,
            version=__version__,
            root=str(self.request.root),
            inputs=self.request.inputs,
            data_type=self.settings.graphrag.data_type,
            embedder=embedder.name if embedder else "",
            settings=self.settings.digest(),
            filelist=str(self.request.filelist or ""),
            file_source=found.source,
            include=self.settings.files.include,
            exclude=self.settings.files.exclude,
            incdirs=tuple(found.incdirs),
            defines=tuple(found.defines),
            files=entries_of(found),
            checked_ns=self.started,
            counts=dict(sorted((self.counts | counts).items())),
            roles=dict(sorted(Counter(str(r.role) for r in records).items())),
            degraded=tuple(f"{p}: {why}" for p, why in bad.items() if p not in unreadable),
            failed=tuple(f"{p}: {why}" for p, why in bad.items() if p in unreadable),
            notes=(*found.notes, *self.notes),
            stages=tuple(self.meter.stages),
            peak_memory_mb=self.meter.peak_mb,
            graphrag=after(self.former.graphrag if self.former else absent(), changes),
        )

    def _finish(self, manifest: Manifest, changes: Changes) -> IndexReport:
        state = bring_up_to_date(self.request, manifest, self.meter)
        if state != manifest.graphrag:
            manifest = msgspec.structs.replace(manifest, graphrag=state)
            write_manifest(self.request.folder, manifest)
        return report_of(manifest, changes, self.meter, self.embedded)


def report_of(manifest: Manifest, changes: Changes, meter: Meter, embedded: int) -> IndexReport:
    """Returns the report of a run from the manifest it left."""
    counts = manifest.counts
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
        units=counts.get("units", 0),
        nodes=counts.get("nodes", 0),
        edges=counts.get("edges", 0),
        unresolved=counts.get("unresolved", 0),
        surfaces=counts.get("surfaces", 0),
        embedded=embedded,
        disagreements=counts.get("disagreements", 0),
        file_source=manifest.file_source,
        graphrag=describe(manifest.graphrag),
        stages=tuple(meter.stages),
        peak_memory_mb=meter.peak_mb,
        notes=manifest.notes,
    )
