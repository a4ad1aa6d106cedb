"""Brings the index of documents up to date: find, read, make passages, link, embed, store."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import WeightsMissingError
from hdlgraph.graph.segments import LIST
from hdlgraph.index.documents.find import Found, domain_of, find_documents
from hdlgraph.index.documents.links import links_of, read_units
from hdlgraph.index.documents.passages import Source, make_contents
from hdlgraph.index.documents.reading import BY_MACHINE, Reading, format_name
from hdlgraph.index.documents.request import DocumentsRequest, program_digest
from hdlgraph.index.documents.terms import fields_of
from hdlgraph.index.documents.worker import Read
from hdlgraph.index.progress import Meter
from hdlgraph.model.passage import DocumentsReport
from hdlgraph.store.cache import Cache
from hdlgraph.store.design.registers import read_registers
from hdlgraph.store.documents.folder import (
    DocumentsManifest,
    StoredVectors,
    is_intact,
    make_folder,
    read_manifest,
    write_documents,
)
from hdlgraph.store.documents.records import Contents, FileState

if TYPE_CHECKING:
    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.store.folder import Generation

PROBLEMS = 100
"""Of single documents, that a report lists."""


def run_documents(
    request: DocumentsRequest, generation: Generation, meter: Meter, now_ns: int
) -> DocumentsReport:
    """Brings the documents of an index up to date and returns what was done.

    The lock of the index is held by the caller.

    Args:
        request: what to read.
        generation: of the design, whose units and registers passages are linked to.
        meter: told of the stages.
        now_ns: the time, in ns since the epoch, before any document was looked at.
    """
    return _Run(request, generation, meter, now_ns).run()


class _Run:
    """One run: its request, and what it knows so far."""

    def __init__(
        self, request: DocumentsRequest, generation: Generation, meter: Meter, now_ns: int
    ) -> None:
        self.request, self.generation, self.meter = request, generation, meter
        self.settings = request.settings
        self.now_ns = now_ns
        self.former = None if request.fresh else read_manifest(request.folder)
        self.problems: list[str] = []
        self.failed: list[str] = []

    def run(self) -> DocumentsReport:
        settings = self.settings
        embedder = self._embedder()
        with self.meter.stage("documents"):
            exclude = (*settings.files.exclude, *settings.documents.exclude)
            found, notes = find_documents(self.request.root, exclude, self.request.roots)
        inputs = self._inputs(embedder)
        if self._is_current(found, inputs):
            assert self.former is not None
            return self._report(self.former, read=0, embedded=0)
        folder = make_folder(self.request.folder) / "cache.sqlite"
        cache = Cache(folder)
        try:
            if self.request.fresh:
                cache.delete()
                cache = Cache(folder)
            reading = Reading(self.request, self.former, self.now_ns, cache)
            now = reading.read(found, self.meter)
            reads, seen = reading.reads, reading.seen
            self.problems += reading.problems
            with self.meter.stage("passages", len(reads)):
                contents = self._contents(reads)
                words = fields_of(contents.passages, cache)
            vectors, embedded = self._vectors(contents, embedder, cache)
            manifest = self._manifest(contents, reads, seen, inputs, notes, embedder)
            done = write_documents(self.request.folder, manifest, contents, words, vectors)
            cache.prune()
        finally:
            cache.close()
        return self._report(done, read=now, embedded=embedded)

    def _embedder(self) -> Embedder | None:
        from hdlgraph.index.documents.vectors import load_passage_embedder

        try:
            return load_passage_embedder(self.settings)
        except WeightsMissingError as error:
            self.problems.append(f"documents indexed without embeddings: {error}")
            return None

    def _inputs(self, embedder: Embedder | None) -> str:
        documents = self.settings.documents
        parts = (
            program_digest(),
            repr((documents.domains, documents.deadline_s, documents.memory_mb)),
            embedder.name if embedder else "",
            *sorted(f"{path} {sums}" for path, sums in _design(self.generation)),
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def _is_current(self, found: Sequence[Found], inputs: str) -> bool:
        """Returns whether documents, program and design are those of the index."""
        former = self.former
        if former is None or former.inputs != inputs or former.roots != self._roots():
            return False
        if any(f": {BY_MACHINE}" in line for line in former.failed):
            return False  # the machine may have been too busy
        there = {one.path: (one.size, one.mtime_ns) for one in found}
        if not is_intact(self.request.folder, former):
            return False
        kept = tuple(f"@{name}/" for name in self.request.kept)
        known = {
            path: (one.size, one.mtime_ns)
            for path, one in former.seen.items()
            if not (kept and path.startswith(kept))
        }
        return there == known

    def _roots(self) -> dict[str, str]:
        named = {name: str(place) for name, place in self.request.roots.items()}
        return dict(sorted({**self.request.kept, **named}.items()))

    def _contents(self, reads: Mapping[str, Read]) -> Contents:
        """Returns documents and passages with their links; notes what could not be read."""
        domains = dict(one.partition("=")[::2] for one in self.settings.documents.domains)
        sources = []
        for path, read in reads.items():
            if read.why:
                self.failed.append(f"{path}: {read.why}")
                continue
            self.problems += [f"{path}: {one}" for one in read.document.problems]
            domain = domain_of(path, domains)
            sources.append(Source(path, format_name(path), domain, read.document))
        blocks = read_registers(self.generation.folder)
        contents = make_contents(sources, blocks)
        units = read_units(self.generation.folder)
        links = links_of(contents, units, self.generation.manifest.files, blocks)
        return msgspec.structs.replace(contents, links=links)

    def _vectors(
        self, contents: Contents, embedder: Embedder | None, cache: Cache
    ) -> tuple[StoredVectors | None, int]:
        if embedder is None or not contents.passages:
            return None, 0
        from hdlgraph.index.documents.vectors import embed_passages

        with self.meter.stage("embed documents", len(contents.passages)) as tick:
            return embed_passages(contents.passages, embedder, cache, tick)

    def _manifest(
        self,
        contents: Contents,
        reads: Mapping[str, Read],
        seen: dict[str, FileState],
        inputs: str,
        notes: Sequence[str],
        embedder: Embedder | None,
    ) -> DocumentsManifest:
        kinds = Counter(one.kind for one in contents.passages)
        problems = self.problems[:PROBLEMS]
        if len(self.problems) > PROBLEMS:
            problems.append(f"{len(self.problems) - PROBLEMS} more notes on documents")
        return DocumentsManifest(
            inputs=inputs,
            roots=self._roots(),
            seen=seen,
            embedder=embedder.name if embedder else "",
            counts={
                "documents": len(reads) - len(self.failed),
                "sections": sum(len(one.document.sections) for one in reads.values()),
                "passages": kinds["doc"],
                "registers": kinds["register"],
                "links": len(contents.links),
            },
            formats=dict(sorted(Counter(format_name(path) for path in reads).items())),
            failed=tuple(self.failed),
            notes=(*notes, *problems),
        )

    def _report(self, manifest: DocumentsManifest, read: int, embedded: int) -> DocumentsReport:
        count: Any = manifest.counts.get
        return DocumentsReport(
            documents=count("documents", 0),
            read=read,
            sections=count("sections", 0),
            passages=count("passages", 0),
            registers=count("registers", 0),
            links=count("links", 0),
            embedded=embedded,
            formats=manifest.formats,
            roots=manifest.roots,
            failed=manifest.failed,
            notes=manifest.notes,
        )


def _design(generation: Generation) -> list[tuple[str, str]]:
    """Returns (name, SHA-256) of the files of the design's generation that passages depend on."""
    sums = generation.manifest.checksums
    wanted = ("nodes.parquet", LIST, "registers/blocks.msgpack")
    return [(name, str(sums[name])) for name in wanted if name in sums]
