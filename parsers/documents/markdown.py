"""Reads Markdown by its headings; the text of a section stays as it is written."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from hdlgraph.parsers.documents.headings import Heading, by_headings, document
from hdlgraph.parsers.documents.records import Document
from hdlgraph.parsers.documents.text import text_of

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT = re.compile(r"\A---[ \t]*\n((?:[^\n]*\n){0,200}?)---[ \t]*(?:\n|\Z)")
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.{1,300})$", re.MULTILINE)
_ANCHOR = re.compile(r"[ \t]*\{#([\w\-.:]{1,200})[^{}]{0,200}\}[ \t]*$")
_MARKS = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)|[`*]{1,3}|<[^<>]{1,300}>")


def read(data: bytes) -> Document:
    """Returns the sections of a Markdown file."""
    from markdown_it import MarkdownIt

    text, encoding = text_of(data)
    front = _FRONT.match(text)
    if front:  # kept as blank lines, so that lines count as in the file
        text = "\n" * text.count("\n", 0, front.end()) + text[front.end() :]
    parser = MarkdownIt("commonmark").enable("table")
    tokens: list[Token] = []
    parser.block.parse(text, parser, {}, tokens)
    headings = []
    for token, inner in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            named = _ANCHOR.search(inner.content)
            title = inner.content[: named.start()] if named else inner.content
            start, end = token.map
            anchor = named[1] if named else ""
            headings.append(Heading(int(token.tag[1:]), plain(title), start + 1, end + 1, anchor))
    told = _FRONT_TITLE.search(front[1]) if front else None
    title = told[1].strip(" \"'") if told else ""
    return document(title, by_headings(text.split("\n"), headings), encoding=encoding)


def plain(text: str) -> str:
    """Returns a line of Markdown without its marks: links by their text, no stars."""
    return _MARKS.sub(lambda found: found[1] or "", text).strip()
