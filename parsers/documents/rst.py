"""Reads reStructuredText by its titles; nothing that it includes or embeds is read or run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.parsers.documents.headings import Heading, by_headings, document
from hdlgraph.parsers.documents.records import Document
from hdlgraph.parsers.documents.text import text_of

SILENT = 5
"""Above the level of every message of docutils: none is printed, none ends the reading."""
OPTIONS = {
    "report_level": SILENT,
    "halt_level": SILENT,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "line_length_limit": 1_000_000,
    "doctitle_xform": False,
    "sectsubtitle_xform": False,
    "docinfo_xform": False,
    "smart_quotes": False,
}
_ROLE = re.compile(r":[\w:+.-]{1,40}:`([^`<>]{1,300})(?:<[^<>`]{0,300}>)?`|[`*]{1,2}")


def read(data: bytes) -> Document:
    """Returns the sections of a reStructuredText file."""
    import docutils.frontend
    import docutils.parsers.rst
    import docutils.utils

    text, encoding = text_of(data)
    parser = docutils.parsers.rst.Parser()
    settings = docutils.frontend.get_default_settings(parser)
    for name, value in OPTIONS.items():
        setattr(settings, name, value)
    tree = docutils.utils.new_document("document", settings)
    parser.parse(text, tree)
    lines = text.split("\n")
    headings = sorted(_headings(tree, lines), key=lambda one: one.line)
    return document("", by_headings(lines, headings), encoding=encoding)


def _headings(tree: Any, lines: list[str]) -> Iterator[Heading]:
    """Yields the titles of sections; docutils tells the line where the mark below one stands."""
    from docutils import nodes

    for section in tree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if title is None or title.parent is not section:
            continue
        level, outer = 1, section.parent
        while outer is not None:
            level += isinstance(outer, nodes.section)
            outer = outer.parent
        place = _place(lines, title.rawsource, section.line or title.line or 0)
        if place:
            yield Heading(level, _ROLE.sub(lambda m: m[1] or "", title.astext()), *place)


def _place(lines: list[str], raw: str, near: int) -> tuple[int, int] | None:
    """Returns the first line of a title and that of the text below it."""
    wanted = raw.strip()
    for number in sorted(range(max(1, near - 4), min(near + 4, len(lines)) + 1), reverse=True):
        below = lines[number].strip() if number < len(lines) else ""
        if lines[number - 1].strip() == wanted and below and not below[:1].isalnum():
            above = lines[number - 2].strip() if number > 1 else ""
            over = above == below and len(set(above)) == 1
            return number - over, number + 2
    return None
