"""The records of the index of documents: documents, their sections, registers, and links."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

DOC, REGISTER = "doc", "register"
"""Kinds of passages: a section of a document, and a register with its fields."""
MENTIONS, DESCRIBED_BY, IMPLEMENTS = "MENTIONS", "DESCRIBED_BY", "IMPLEMENTS"
"""Kinds of edges: a section mentions a unit, file or register; a unit is described by a section; a
line of RTL implements a register. That a document contains a section is said by its places."""


class FileState(NamedTuple):
    """What a document looked like when it was read."""

    sha256: str
    size: int
    mtime_ns: int


class StoredDocument(NamedTuple):
    """A document. `path` is relative to the repository, or `@NAME/...` in a root of `--docs`.

    `pages` is 0 for formats without pages; `problems` say what of it could not be read.
    """

    path: str
    format: str
    title: str
    domain: str
    pages: int
    sections: int
    problems: tuple[str, ...] = ()


class Place(NamedTuple):
    """Where a passage stands: the number of its document, lines, page and anchor; 0 without."""

    document: int
    line: int = 0
    end_line: int = 0
    page: int = 0
    anchor: str = ""


class StoredPassage(NamedTuple):
    """A passage that is found and cited: a section, or a register with its fields.

    What several documents have word for word is one passage with several places, the one that is
    shown first. `prior` is added to its score: 0, less for checklists and copies of others.
    """

    kind: str
    title: str
    crumbs: tuple[str, ...]
    text: str
    places: tuple[Place, ...]
    prior: float = 0.0


class Link(NamedTuple):
    """An edge between a passage and the design.

    `kind` is MENTIONS or IMPLEMENTS (`passage` is what mentions or is implemented) or DESCRIBED_BY
    (`passage` is what describes). `name` is the unit, register or file, `path` and `line` its
    place; `weight` says how much the link counts, 0 to 1.
    """

    kind: str
    passage: int
    name: str
    path: str
    line: int
    weight: float = 1.0


class Contents(msgspec.Struct, frozen=True):
    """All documents, sorted by path; their passages; the links of these, sorted by passage."""

    documents: tuple[StoredDocument, ...] = ()
    passages: tuple[StoredPassage, ...] = ()
    links: tuple[Link, ...] = ()


def check(found: Contents) -> None:
    """Raises ValueError where a number leads nowhere."""
    documents, passages = len(found.documents), len(found.passages)
    for one in found.passages:
        if one.kind not in (DOC, REGISTER) or not one.places:
            raise ValueError("a passage of no kind, or without a place")
        for place in one.places:
            if not 0 <= place.document < documents:
                raise ValueError("a passage of no document")
            if min(place.line, place.end_line, place.page) < 0:
                raise ValueError("a place below 0")
    for link in found.links:
        if not 0 <= link.passage < passages or link.line < 0:
            raise ValueError("a link that leads nowhere")
