"""Reads HTML by its headings; scripts, styles and comments are left out, nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import Document, Section
from hdlgraph.parsers.documents.text import Anchors, one_line, text_of

DROPPED = ("script", "style", "noscript", "template", "svg", "iframe", "object", "head", "nav")
BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header hr li main ol p pre section table tr ul".split()
)
CELLS = frozenset({"td", "th"})
_HEADING = re.compile(r"h([1-6])")
_BLANKS = re.compile(r"[ \t\xa0]+")


def read(data: bytes) -> Document:
    """Returns the sections of an HTML page; the line of one is that of its heading."""
    from bs4 import BeautifulSoup

    text, encoding = text_of(data)
    soup = BeautifulSoup(text, "html.parser")
    title = soup.title.get_text() if soup.title else ""
    for tag in soup.find_all(DROPPED):
        tag.decompose()
    return document(title, _sections(soup, text.count("\n") + 1), encoding=encoding)


def _sections(soup: Any, last: int) -> Iterator[Section]:
    """Yields the sections of a page, each with the headings above it; `last` is its last line."""
    found: list[tuple[int, str, int, str, list[str]]] = [(0, "", 1, "", [])]
    inside: Any = None
    anchors = Anchors()
    for node in soup.descendants:
        name = getattr(node, "name", None)
        if name is None:
            if type(node).__name__ == "NavigableString" and not (
                inside is not None and inside in node.parents
            ):
                found[-1][4].append(str(node))
            continue
        heading = _HEADING.fullmatch(name)
        if heading:
            inside = node
            told = one_line(node.get_text(" "))
            anchor = str(node.get("id") or "") or anchors.of(told)
            found.append((int(heading[1]), told, node.sourceline or 0, anchor, []))
        elif name in BLOCKS:
            found[-1][4].append("\n")
        elif name in CELLS:
            found[-1][4].append(" | ")
    above: list[tuple[int, str]] = []
    for number, (level, title, line, anchor, pieces) in enumerate(found):
        end = found[number + 1][2] - 1 if number + 1 < len(found) else last
        above = [one for one in above if one[0] < level]
        body = _tidy("".join(pieces))
        if body or (title and level):
            crumbs = tuple(one for _, one in above)
            yield Section(title, body, crumbs, line, max(line, end), 0, anchor)
        if level:
            above.append((level, title))


def _tidy(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line.strip(" |"))
