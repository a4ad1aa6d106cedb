"""Cuts a document into sections at its headings, and long sections into parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hdlgraph.parsers.documents.records import (
    SECTION_CHARS,
    SECTIONS,
    TEXT_CHARS,
    Document,
    Section,
)
from hdlgraph.parsers.documents.text import Anchors, one_line

_WORD = re.compile(r"\w")


class Heading(NamedTuple):
    """A heading: its level from 1, its title, the first line of it and of its text, from 1."""

    level: int
    title: str
    line: int
    body: int
    anchor: str = ""


def by_headings(lines: Sequence[str], headings: Sequence[Heading]) -> Iterator[Section]:
    """Yields the sections of a text: what stands before the first heading, then one for each.

    A section ends before the next heading of any level. One that has a title and no text is left
    out where another one stands below it, whose crumbs have its title.

    Args:
        lines: of the text.
        headings: in order of line.
    """
    anchors, above = Anchors(), list[tuple[int, str]]()
    first = headings[0].line if headings else len(lines) + 1
    if any(_WORD.search(line) for line in lines[: first - 1]):
        yield _section("", (), lines, 1, 1, first - 1, "")
    for number, one in enumerate(headings):
        anchor = one.anchor or anchors.of(one.title)
        above = [(level, title) for level, title in above if level < one.level]
        end = headings[number + 1].line - 1 if number + 1 < len(headings) else len(lines)
        crumbs = tuple(title for _, title in above)
        section = _section(one.title, crumbs, lines, one.line, one.body, end, anchor)
        above.append((one.level, one_line(one.title)))
        deeper = number + 1 < len(headings) and headings[number + 1].level > one.level
        if _WORD.search(section.text) or not deeper:
            yield section


def _section(
    title: str,
    crumbs: tuple[str, ...],
    lines: Sequence[str],
    line: int,
    body: int,
    end: int,
    anchor: str,
) -> Section:
    while body <= end and not lines[body - 1].strip():
        body += 1
    while end >= body and not lines[end - 1].strip():
        end -= 1
    text = "\n".join(lines[body - 1 : end])
    if not title:
        line = body
    return Section(one_line(title), text, crumbs, line, max(end, line), 0, anchor)


def document(
    title: str,
    sections: Iterable[Section],
    *,
    problems: Sequence[str] = (),
    pages: int = 0,
    empty: int = 0,
    encoding: str = "",
) -> Document:
    """Returns a document within the limits of its size: long sections cut, too many left out.

    Without a title it has that of its only section at the top, where there is no other.
    """
    kept: list[Section] = []
    said = list(problems)
    left = TEXT_CHARS
    for section in sections:
        if len(kept) >= SECTIONS or left <= 0:
            said.append(f"has more than {len(kept)} sections; the rest is left out")
            break
        for part in parts_of(section):
            kept.append(part)
            left -= len(part.text)
    tops = {(*one.crumbs, one.title)[0] for one in kept}
    only = tops.pop() if len(tops) == 1 else ""
    return Document(one_line(title) or only, tuple(kept), tuple(said), pages, empty, encoding)


def parts_of(section: Section) -> Iterator[Section]:
    """Yields a section, or its parts of at most SECTION_CHARS where it is longer."""
    if len(section.text) <= SECTION_CHARS:
        yield section
        return
    lines = section.text.split("\n")
    # The text begins below its heading; its last line is that of the section.
    first = section.end_line - len(lines) + 1 if section.line else 0
    start, held, blank = 0, 0, 0
    for number, line in enumerate(lines):
        if held + len(line) > SECTION_CHARS and number > start:
            cut = blank if blank > start else number
            yield _part(section, lines, start, cut, first)
            start, blank = cut, 0
            held = sum(len(one) + 1 for one in lines[start:number])
        held += len(line) + 1
        blank = blank if line.strip() else number + 1
    yield _part(section, lines, start, len(lines), first)


def _part(section: Section, lines: Sequence[str], start: int, end: int, first: int) -> Section:
    text = "\n".join(lines[start:end])[: 2 * SECTION_CHARS]
    if not section.line:
        return section._replace(text=text)
    line = section.line if start == 0 else first + start
    return section._replace(text=text, line=line, end_line=max(line, first + end - 1))
