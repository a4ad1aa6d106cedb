"""Reads plain text: some paragraphs are one section, as there are no headings to go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import Document, Section
from hdlgraph.parsers.documents.text import one_line, text_of

WANTED = 1_500
"""Characters from which a section ends with its paragraph."""


def read(data: bytes) -> Document:
    """Returns the sections of a text file; its first line that is not blank is the title."""
    text, encoding = text_of(data)
    lines = text.split("\n")
    title = next((line for line in lines if any(map(str.isalnum, line))), "")
    return document(title, _sections(lines), encoding=encoding)


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    start, held = 0, 0
    for number, line in enumerate(lines):
        held += len(line) + 1
        ends = not line.strip() and held >= WANTED
        if ends or number == len(lines) - 1:
            yield from _section(lines, start, number + 1)
            start, held = number + 1, 0


def _section(lines: Sequence[str], start: int, end: int) -> Iterator[Section]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        text = "\n".join(lines[start:end])
        yield Section(one_line(lines[start])[:80], text, (), start + 1, end)
