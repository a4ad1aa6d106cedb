"""Passages of documents and registers: what `Project.search` adds to the files that it finds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError, UsageError, WeightsMissingError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.model.passage import Passage, Routing
    from hdlgraph.query.documents.beside import Beside
    from hdlgraph.query.documents.view import DocumentsView
    from hdlgraph.results import Hit, SearchResult

KINDS = ("all", "rtl", "doc", "register")
"""What may be searched: files, sections of documents, registers, or all of it."""
NONE = "no documents are indexed; `hdlgraph index --documents` adds those of the repository"


class Passages(Repository):
    """The part of a project that finds passages."""

    _documents: tuple[tuple[int, ...], DocumentsView | None] | None = None
    _documents_notes: tuple[str, ...] = ()

    def passages(
        self,
        question: str,
        *,
        kind: str = "all",
        k: int | None = None,
        hits: Sequence[Hit] = (),
        full: bool = False,
    ) -> tuple[Passage, ...]:
        """Returns the passages that answer a question best; none where none are indexed.

        Args:
            question: free text.
            kind: "doc" for sections of documents, "register" for registers, "all" for both.
            k: passages wanted; None takes the settings.
            hits: files that the question found, to which passages are linked.
            full: whether each has its whole text.

        Raises:
            UsageError: the question is empty, the kind unknown, or `k` out of range.
        """
        check_kind(kind)
        k = self.settings.documents.k if k is None else k
        check_passages(question, k)
        beside = self.beside(question)
        if beside is None or kind == "rtl":
            return ()
        return self._directed_passages(beside, kind, k, hits, full)

    def beside(self, question: str, routing: Routing | None = None) -> Beside | None:
        """Returns what the documents say about a question; None where none are indexed.

        Args:
            question: free text.
            routing: which list a model puts first; None leaves it to cues.
        """
        view = self._documents_view()
        if view is None:
            return None
        from hdlgraph.query.documents.beside import Beside

        wanted = self.settings.documents
        text = " ".join(question[:4000].split())
        return Beside(view, text, wanted.fusion, wanted.links, routing)

    def _directed_passages(
        self, beside: Beside, kind: str, k: int, hits: Sequence[Hit], full: bool
    ) -> tuple[Passage, ...]:
        from hdlgraph.query.documents.show import make_passages

        found = beside.passages("" if kind == "all" else kind, k, hits)
        urls = dict(one.partition("=")[::2] for one in self.settings.documents.urls)
        return make_passages(beside.view, found, beside.question, hits, urls, full)

    def with_passages(
        self,
        result: SearchResult,
        kind: str,
        k: int | None,
        full: bool,
        beside: Beside | None = None,
    ) -> SearchResult:
        """Returns a search result with the passages of its question, and notes on these.

        Args:
            result: of the files.
            kind: as of `search`.
            k: passages wanted; None takes the settings, and of both lists the share of each.
            full: whether each has its whole text.
            beside: what the documents say about its question, where that is known.
        """
        import msgspec

        if kind == "rtl":
            return result
        check_passages(result.question, k)
        beside = beside or self.beside(result.question)
        if beside is None:
            notes = (*result.notes, *(() if kind == "all" else (NONE,)))
            return msgspec.structs.replace(result, notes=notes)
        routing, wanted = None, self.settings.documents.k
        if kind == "all" and self.settings.documents.routing != "off" and result.hits:
            from hdlgraph.query.documents.routing import passages_wanted

            routing = beside.routing(result.hits)
            wanted = passages_wanted(routing, wanted)
        found = self._directed_passages(beside, kind, k or wanted, result.hits, full)
        notes = (*result.notes, *self._documents_notes, *self._moved_documents(beside.view, found))
        return msgspec.structs.replace(result, passages=found, notes=notes, routing=routing)

    def documents(self, name: str = "", full: bool = False) -> dict[str, Any]:
        """Returns the indexed documents with their counts; of one also sections and links.

        Args:
            name: path of a document, its end, or a folder; without one all are listed.
            full: whether the sections have their text, as it was extracted.

        Raises:
            UsageError: no documents are indexed, or none has the name.
        """
        from hdlgraph.query.documents.outline import listing, outline

        view = self._documents_view()
        if view is None:
            raise UsageError(NONE)
        return outline(view, name, full) if name.strip() else listing(view)

    def document_text(self, path: str) -> str | None:
        """Returns the text of an indexed document, None where the path is none.

        It is that of the document where this is still the one that was indexed, else, and for
        formats that are no text, what was extracted of it.
        """
        view = self._documents_view()
        number = view.numbers.get(path) if view else None
        if view is None or number is None:
            return None
        state = view.manifest.seen.get(path)
        if self._own_root and state is not None and not path.startswith("@"):
            from hdlgraph.index.discover.texts import TextReader

            if view.has_lines(number) and (text := TextReader(self.root)(path, state.sha256)):
                return text
        return view.extracted(number)

    def document_view(self) -> DocumentsView:
        """Returns the documents of the index as they are now, for measures of their ranking.

        Raises:
            UsageError: no documents are indexed.
        """
        view = self._documents_view()
        if view is None:
            raise UsageError(NONE)
        return view

    def _documents_view(self) -> DocumentsView | None:
        """Returns the documents of the index as they are now, None where there are none."""
        from hdlgraph.store.documents.folder import read_documents, state_of

        state = state_of(self.folder)
        if self._documents is None or self._documents[0] != state:
            stored = read_documents(self.folder) if state else None
            self._documents_notes = ()
            view = None
            if stored is not None:
                from hdlgraph.query.documents.view import DocumentsView

                view = DocumentsView(stored, lambda: self._passage_embedder)
            self._documents = (state, view)
        return self._documents[1]

    @cached_property
    def _passage_embedder(self) -> Any | None:
        """Returns the embedder of passages; without its weights None, and a note says so."""
        from hdlgraph.index.documents.vectors import load_passage_embedder

        try:
            embedder = load_passage_embedder(self.settings)
        except (WeightsMissingError, HdlgraphError) as error:
            self._documents_notes = (f"passages found by words only: {error}",)
            return None
        return self._with_map(embedder)

    def _with_map(self, embedder: Any | None) -> Any | None:
        """Returns the embedder with the map of `trained.path`, where there is one in use."""
        from hdlgraph.query.trained.query_map import MappedEmbedder, read_map
        from hdlgraph.store.trained.folder import SECTIONS_MAP

        try:
            matrix = read_map(self.settings.trained.path, SECTIONS_MAP, embedder)
        except WeightsMissingError as error:
            self._documents_notes = (f"passages found without a trained map: {error}",)
            return embedder
        return embedder if matrix is None else MappedEmbedder(embedder, matrix)

    def _moved_documents(self, view: DocumentsView, found: Sequence[Passage]) -> list[str]:
        """Returns a note where documents of passages are not as they were indexed."""
        moved = sorted({one.path for one in found if self._has_moved(view, one.path)})
        if not moved:
            return []
        listed = ", ".join(moved[:2]) + (", ..." if moved[2:] else "")
        return [f"documents changed since they were indexed ({listed}); run `hdlgraph index` again"]

    def _has_moved(self, view: DocumentsView, path: str) -> bool:
        """Returns whether a document is another one now; those of --docs are not looked at."""
        state = view.manifest.seen.get(path)
        if state is None or path.startswith("@") or not self._own_root:
            return False
        try:
            now = Path(self.root, path).stat()
        except OSError:
            return self.root.is_dir()
        return (now.st_size, now.st_mtime_ns) != (state.size, state.mtime_ns) and state.size >= 0


def check_kind(kind: str) -> None:
    """Raises UsageError for a kind that cannot be searched."""
    if kind not in KINDS:
        raise UsageError(f"kind {kind}: unknown; known are {', '.join(KINDS)}")


def check_passages(question: str, k: int | None) -> None:
    """Raises UsageError for an empty question, and for no passages wanted."""
    if not any(ch.isalnum() for ch in question):
        raise UsageError("the question is empty: ask with at least one word or name")
    if k is not None and k < 1:
        raise UsageError(f"k must be at least 1 (got {k})")
