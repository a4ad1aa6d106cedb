"""Lists the indexed documents, and the sections of one of them with their links."""

from __future__ import annotations

import difflib
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.query.documents.show import links_of
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.store.documents.records import Place, StoredDocument, StoredPassage

SUGGESTED = 3
LINKS = 20
"""Links of a section that are listed."""


def listing(view: DocumentsView) -> dict[str, Any]:
    """Returns all documents with their counts, without their sections."""
    found = view.manifest
    return {
        "schema": 1,
        "name": "",
        "counts": found.counts,
        "formats": found.formats,
        "roots": found.roots,
        "embedder": found.embedder,
        "documents": [_head(one) for one in view.documents],
        "failed": list(found.failed),
        "notes": list(found.notes),
    }


def outline(view: DocumentsView, name: str, full: bool = False) -> dict[str, Any]:
    """Returns a document, or those below a folder, with their sections in order.

    Args:
        view: all documents.
        name: a path as it is cited, or its end where that is of one document alone.
        full: whether each section has its text.

    Raises:
        UsageError: no document has the name; the message holds the nearest names.
    """
    wanted = name.strip().rstrip("/")
    paths = [one.path for one in view.documents]
    numbers = [n for n, path in enumerate(paths) if path == wanted]
    numbers = numbers or [n for n, path in enumerate(paths) if path.startswith(f"{wanted}/")]
    numbers = numbers or [n for n, path in enumerate(paths) if path.endswith(f"/{wanted}")]
    if not numbers:
        near = difflib.get_close_matches(wanted, paths, n=SUGGESTED, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "`hdlgraph documents` lists them"
        raise UsageError(f"no indexed document is called {name[:200]!r}; {hint}")
    sections: dict[int, list[tuple[Place, dict[str, Any]]]] = {n: [] for n in numbers}
    for number, passage in enumerate(view.passages):
        for place in passage.places:
            if place.document in sections:
                section = _section(view, number, passage, place, full)
                sections[place.document].append((place, section))
    documents = [
        {**_head(view.documents[n]), "parts": [section for _, section in sorted(found, key=_where)]}
        for n, found in sections.items()
    ]
    return {"schema": 1, "name": name, "documents": documents, "notes": []}


def _where(one: tuple[Place, dict[str, Any]]) -> tuple[int, int]:
    return one[0].page, one[0].line


def _head(one: StoredDocument) -> dict[str, Any]:
    return {
        "path": one.path,
        "format": one.format,
        "title": one.title,
        "domain": one.domain,
        "pages": one.pages,
        "sections": one.sections,
        "problems": list(one.problems),
    }


def _section(
    view: DocumentsView, number: int, one: StoredPassage, place: Place, full: bool
) -> dict[str, Any]:
    links = links_of(view, number, {}, LINKS)
    record = {
        "kind": one.kind,
        "title": one.title,
        "crumbs": list(one.crumbs),
        "line": place.line,
        "end_line": place.end_line,
        "page": place.page,
        "anchor": place.anchor,
        "links": [msgspec.to_builtins(link) for link in links],
    }
    return {**record, "text": one.text} if full else record
