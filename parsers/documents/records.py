"""What is read of a document: its sections, each with the place where it stands."""

from __future__ import annotations

from typing import NamedTuple

SECTION_CHARS = 8_000
"""A longer section is cut into parts, between paragraphs where that is possible."""
TITLE_CHARS = 300
"""Longer titles are cut."""
SECTIONS = 50_000
"""Of one document; what follows is left out, and a problem says so."""
TEXT_CHARS = 24_000_000
"""Of one document, all sections together."""


class Section(NamedTuple):
    """A part of a document that is found and cited by itself.

    `crumbs` are the titles above it, the outermost first. `line` and `end_line` count from 1 and
    are 0 where a format has no lines; so is `page`, which also numbers slides. `anchor` is what a
    link to the section ends with, "" where there is none.
    """

    title: str
    text: str
    crumbs: tuple[str, ...] = ()
    line: int = 0
    end_line: int = 0
    page: int = 0
    anchor: str = ""


class Document(NamedTuple):
    """What a reader found in one file.

    `problems` say what could not be read, for people; `pages` is the number of pages or slides, 0
    for a format without; `empty` counts those of them without any text. `encoding` is that of a
    text file.
    """

    title: str
    sections: tuple[Section, ...]
    problems: tuple[str, ...] = ()
    pages: int = 0
    empty: int = 0
    encoding: str = ""


class DocumentError(ValueError):
    """A document cannot be read; the message says why, for people."""
