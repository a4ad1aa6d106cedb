"""What questions are trained for: files by their surfaces, or sections by their passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hdlgraph.query.trained.query_map import mapped
from hdlgraph.store.trained.folder import FILES_MAP, SECTIONS_MAP

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.documents.view import DocumentsView
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher


class Target(Protocol):
    """What a map is trained for. Items are files or passages, rows their vectors.

    `rows` is float32 (n, d), `owners` int64 (n,) the item of each row; `kind` names the map.
    """

    kind: str
    rows: np.ndarray
    owners: np.ndarray
    embedder: Switched

    def items(self, name: str) -> tuple[int, ...]:
        """Returns the items that a name of a pair means, none where it means none."""
        ...

    def copies(self, item: int) -> tuple[int, ...]:
        """Returns the items that are nearly the same as one."""
        ...

    def search(self, query: str) -> Sequence[int]:
        """Returns the items as the whole search ranks them, best first."""
        ...


class Switched:
    """An embedder whose questions go through a map that can be changed; it remembers vectors."""

    def __init__(self, embedder: Any) -> None:
        self.name: str = embedder.name
        self.dim: int = embedder.dim
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}
        self._map: np.ndarray | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """Returns float32 (n, dim), each row of length 1."""
        if not query:
            return self._embedder.embed(texts)
        missing = sorted(set(texts) - self._known.keys())
        if missing:
            found = self._embedder.embed(missing, query=True)
            self._known.update(zip(missing, found, strict=True))
        rows = np.stack([self._known[text] for text in texts])
        return rows if self._map is None else mapped(rows, self._map)

    @contextmanager
    def using(self, matrix: np.ndarray | None) -> Iterator[None]:
        """Maps questions by a matrix, inside of the block."""
        before, self._map = self._map, matrix
        try:
            yield
        finally:
            self._map = before


class Files:
    """The files of a design.

    Args:
        searcher: of the index, without trained models.
        embedder: the one of `searcher`.
    """

    kind = FILES_MAP

    def __init__(self, searcher: Searcher, embedder: Switched) -> None:
        surfaces = searcher.index.surfaces
        assert surfaces is not None
        assert surfaces.vectors is not None
        self.embedder = embedder
        self._searcher = searcher
        rows = np.asarray(surfaces.vectors.rows(), np.float32)
        self.known = np.isfinite(rows).all(axis=1)
        self.rows = rows[self.known]
        self.owners = surfaces.owner[self.known].astype(np.int64)

    @property
    def index(self) -> IndexView:
        """Returns the index that is searched."""
        return self._searcher.index

    @cached_property
    def texts(self) -> list[str]:
        """Returns the text of each row."""
        surfaces = self._searcher.index.surfaces
        assert surfaces is not None
        return [surfaces.texts[n].text for n in np.flatnonzero(self.known)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {path: number for number, path in enumerate(self._searcher.lexicon.paths)}

    def items(self, name: str) -> tuple[int, ...]:
        """Returns the file of a path."""
        number = self._numbers.get(name)
        return () if number is None else (number,)

    def copies(self, item: int) -> tuple[int, ...]:
        """Returns the files that are nearly the same as one."""
        lexicon = self._searcher.lexicon
        near = lexicon.near_copies.get(lexicon.paths[item], ())
        return tuple(self._numbers[path] for path in near if path in self._numbers)

    def search(self, query: str) -> Sequence[int]:
        """Returns the files as the whole search ranks them."""
        return self._searcher.ranking(query, 1).order


class Sections:
    """The sections of documents, and registers.

    Args:
        view: the documents of the index, whose embedder is `embedder`.
        embedder: see `view`.
    """

    kind = SECTIONS_MAP

    def __init__(self, view: DocumentsView, embedder: Switched) -> None:
        assert view.vectors is not None
        self.embedder = embedder
        self._view = view
        self.owners, self.rows = view.vectors

    @cached_property
    def _names(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, passage in enumerate(self._view.passages):
            for place in passage.places:
                path = self._view.documents[place.document].path
                names = {path, f"{path}:{place.line}", f"{path}#{place.anchor}", place.anchor}
                for name in sorted(names - {""}):
                    found.setdefault(name, []).append(number)
        return found

    def items(self, name: str) -> tuple[int, ...]:
        """Returns the passages of an anchor, PATH#ANCHOR, PATH:LINE or a whole document."""
        return tuple(dict.fromkeys(self._names.get(name, ())))

    def document(self, item: int) -> str:
        """Returns what a passage belongs to: its first heading above it, or its document."""
        passage = self._view.passages[item]
        path = self._view.documents[passage.places[0].document].path
        return f"{path} {passage.crumbs[0]}" if passage.crumbs else path

    def copies(self, item: int) -> tuple[int, ...]:  # noqa: ARG002
        """Returns nothing: what is the same word for word is one passage."""
        return ()

    def search(self, query: str) -> Sequence[int]:
        """Returns the passages as the whole search ranks them."""
        from hdlgraph.query.documents.rank import scores

        text = " ".join(query[:4000].split())
        return np.argsort(-scores(self._view, text), kind="stable").tolist()


def plain_searcher(project: Project, embedder: Switched | None = None) -> Searcher:
    """Returns a searcher of a project's index without trained models.

    Args:
        project: whose index.
        embedder: takes the place of the index's own.
    """
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher

    index = project.searcher().index
    own = embedder or index.embedder
    plain = IndexView(index.folder, lambda: own, lambda: index.encoder)
    plain.held = index.held
    return Searcher(plain)


def files_of(project: Project) -> Files | None:
    """Returns the files of a project's index, None where it has no vectors."""
    index = project.searcher().index
    if index.surfaces is None or index.embedder is None or not len(index.surfaces.owner):
        return None
    switched = Switched(index.embedder)
    return Files(plain_searcher(project, switched), switched)


def sections_of(project: Project) -> Sections | None:
    """Returns the sections of a project's documents, None where it has none with vectors."""
    from hdlgraph.index.documents.vectors import load_passage_embedder
    from hdlgraph.query.documents.view import DocumentsView
    from hdlgraph.store.documents.folder import read_documents

    stored = read_documents(project.folder)
    embedder = load_passage_embedder(project.settings) if stored and stored.vectors else None
    if stored is None or embedder is None or embedder.name != stored.manifest.embedder:
        return None
    switched = Switched(embedder)
    return Sections(DocumentsView(stored, lambda: switched), switched)
