"""Reads tables of text, CSV and TSV: some rows are one section, the head of the table in each."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import SECTION_CHARS, Document, Section
from hdlgraph.parsers.documents.text import text_of

ROWS = 20
"""Rows of a section."""
CELLS = 100
"""Further cells of a row are left out."""


def read_csv(data: bytes) -> Document:
    """Returns the sections of a table whose cells are parted by commas or semicolons."""
    text, encoding = text_of(data)
    head = text.partition("\n")[0]
    return _read(text, encoding, ";" if head.count(";") > head.count(",") else ",")


def read_tsv(data: bytes) -> Document:
    """Returns the sections of a table whose cells are parted by tabs."""
    return _read(*text_of(data), "\t")


def _read(text: str, encoding: str, mark: str) -> Document:
    problems: list[str] = []
    sections = list(_sections(text, mark, problems))
    title = sections[0].title if sections else ""
    return document(title, sections, problems=problems, encoding=encoding)


def _sections(text: str, mark: str, problems: list[str]) -> Iterator[Section]:
    rows = csv.reader(StringIO(text), delimiter=mark)
    head: list[str] = []
    held: list[str] = []
    start = size = 0
    try:
        for row in rows:
            cells = [" ".join(cell.split()) for cell in row[:CELLS]]
            if not any(cells):
                continue
            if not head:
                head = cells
                continue
            start = start or rows.line_num - sum(cell.count("\n") for cell in row)
            held.append(_row(head, cells))
            size += len(held[-1])
            if len(held) >= ROWS or size > SECTION_CHARS // 2:
                yield _section(head, held, start, rows.line_num)
                held, start, size = [], 0, 0
    except csv.Error as error:
        problems.append(f"line {rows.line_num}: {error}; the rest is left out")
    if held or head:
        yield _section(head, held, start or 1, max(rows.line_num, 1))


def _row(head: list[str], cells: list[str]) -> str:
    """Returns a row as `column: cell` pairs."""
    pairs = zip([*head, *[""] * len(cells)], cells, strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _section(head: list[str], rows: list[str], start: int, end: int) -> Section:
    return Section(", ".join(one for one in head if one)[:120], "\n".join(rows), (), start, end)
