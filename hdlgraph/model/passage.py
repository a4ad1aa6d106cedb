"""Passages of documents and registers as they leave the program, and the report on documents."""

from __future__ import annotations

import msgspec


class PassagePlace(msgspec.Struct, frozen=True):
    """Where the same passage stands as well; `line` and `page` are 0 where a format has none."""

    path: str
    line: int = 0
    page: int = 0


class PassageLink(msgspec.Struct, frozen=True):
    """What joins a passage and the design.

    `kind` is MENTIONS (the section names a unit or file), DESCRIBED_BY (the section describes the
    unit) or IMPLEMENTS (the line of RTL holds or uses the register). `hit` is the rank of the file
    among the hits of the same question, 0 where it is none.
    """

    kind: str
    name: str
    path: str
    line: int
    hit: int = 0


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A ranked section of a document, or a register with its fields (`kind` doc or register).

    `path` is relative to the repository, or `@NAME/...` in a folder of --docs. `line` to
    `end_line`, `page` (also of slides) and `anchor` say where it stands; 0 and "" where a format
    has none. `crumbs` are the titles above it. `text` is its best part, from line `text_line` on.
    `places` are documents with the same words, `links` lead to the design.
    """

    rank: int
    kind: str
    path: str
    line: int = 0
    end_line: int = 0
    page: int = 0
    anchor: str = ""
    title: str = ""
    crumbs: tuple[str, ...] = ()
    text: str = ""
    text_line: int = 0
    score: float = 0.0
    format: str = ""
    domain: str = ""
    url: str = ""
    places: tuple[PassagePlace, ...] = ()
    links: tuple[PassageLink, ...] = ()


class Routing(msgspec.Struct, frozen=True, kw_only=True):
    """How much of an answer is expected of each list; neither is ever left out for it.

    `rtl`, `doc` and `register` are shares that sum to 1; `first` says which list comes first,
    "files" or "passages". `by` is what decided: cues or model. `domains` are those of documents
    that a model named, `why` the cues, for people.
    """

    first: str = "files"
    rtl: float = 1.0
    doc: float = 0.0
    register: float = 0.0
    by: str = "cues"
    domains: tuple[str, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def documents(self) -> float:
        """Returns the share of documents and registers together."""
        return self.doc + self.register


class DocumentsReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `index` did with documents.

    `documents` counts those in the index, `read` those read now; `sections` are as the documents
    have them, `passages` without repetitions, `registers` those described in the repository.
    `formats` counts documents by format, `roots` are the folders of --docs by name. `failed` holds
    "path: reason" lines, `notes` what could be read in part only.
    """

    documents: int = 0
    read: int = 0
    sections: int = 0
    passages: int = 0
    registers: int = 0
    links: int = 0
    embedded: int = 0
    formats: dict[str, int] = {}
    roots: dict[str, str] = {}
    failed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
