"""Indexing documents beside the design: what `Project.index` does with them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.errors import HdlgraphError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.index.documents.request import DocumentsRequest
    from hdlgraph.index.progress import Progress
    from hdlgraph.results import IndexReport
    from hdlgraph.settings.records import Settings
    from hdlgraph.store.documents.folder import DocumentsManifest


class DocumentsIndexing(Repository):
    """The part of a project that indexes its documents."""

    def wants_documents(self, docs: Sequence[Path], documents: bool | None, fresh: bool) -> bool:
        """Returns whether a call of `index` is to index documents as well.

        Args:
            docs: folders of --docs.
            documents: whether they were asked for, None where nothing was said.
            fresh: whether what earlier calls left counts for nothing.
        """
        if docs or documents is not None:
            return bool(docs) or bool(documents)
        enabled = self.settings.documents.enabled
        if enabled != "auto":
            return enabled == "always"
        return not fresh and self._former_documents() is not None

    def check_roots(self, docs: Sequence[Path]) -> None:
        """Raises UsageError where a folder of --docs is none."""
        from hdlgraph.index.documents.find import named_roots

        named_roots(docs, {})

    def with_documents(
        self,
        report: IndexReport,
        settings: Settings,
        docs: Sequence[Path],
        fresh: bool,
        progress: Progress,
    ) -> IndexReport:
        """Indexes the documents and returns the report of the design with theirs in it.

        Args:
            report: of the design, whose index is there.
            settings: in force for this call.
            docs: folders of --docs; those of earlier calls stay as they were read then.
            fresh: whether what earlier calls left counts for nothing.
            progress: told of the stages.
        """
        import msgspec

        from hdlgraph.index.documents.run import run_documents
        from hdlgraph.index.progress import Meter
        from hdlgraph.store.folder import Store
        from hdlgraph.store.full_disk import full_disk_explained
        from hdlgraph.store.lock import index_lock

        now_ns = time.time_ns()
        store = Store(self.folder)
        with full_disk_explained(self.folder), index_lock(self.folder), Meter(progress) as meter:
            request = self._documents_request(settings, docs, fresh)
            found = run_documents(request, store.hold(), meter, now_ns)
        *stages, total = report.stages
        spent = sum(one.seconds for one in meter.stages)
        total = msgspec.structs.replace(total, seconds=round(total.seconds + spent, 3))
        return msgspec.structs.replace(
            report,
            stages=(*stages, *meter.stages, total),
            peak_memory_mb=max(report.peak_memory_mb, meter.peak_mb),
            documents=found,
        )

    def _documents_request(
        self, settings: Settings, docs: Sequence[Path], fresh: bool
    ) -> DocumentsRequest:
        from hdlgraph.index.documents.find import named_roots
        from hdlgraph.index.documents.request import DocumentsRequest

        former = None if fresh else self._former_documents()
        known = dict(former.roots) if former else {}
        roots = named_roots(docs, known)
        kept = {name: place for name, place in known.items() if name not in roots}
        return DocumentsRequest(self.root, self.folder, settings, roots, kept, fresh)

    def _former_documents(self) -> DocumentsManifest | None:
        """Returns the manifest of the documents that are indexed, None without any."""
        from hdlgraph.store.documents.folder import read_manifest

        try:
            return read_manifest(self.folder)
        except HdlgraphError:  # made anew by the next run
            return None
