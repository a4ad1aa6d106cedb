"""Reads DOCX by its headings and PPTX by its slides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from hdlgraph.parsers.documents.archive import check_archive
from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import Document, DocumentError, Section
from hdlgraph.parsers.documents.text import Anchors, one_line

_STYLE = re.compile(r"(?i)heading ?([1-9])")


def read_docx(data: bytes) -> Document:
    """Returns the sections of a DOCX file, its tables as rows of cells."""
    import docx

    check_archive(data)
    try:
        found = docx.Document(BytesIO(data))
    except Exception as error:  # the library raises KeyError, ValueError and its own
        raise DocumentError(f"is broken: {type(error).__name__}: {error}") from error
    title = found.core_properties.title or ""
    return document(title, _by_style(found))


def _by_style(found: Any) -> Iterator[Section]:
    from docx.table import Table

    anchors = Anchors()
    above: list[tuple[int, str]] = []
    title, level, body = "", 0, list[str]()
    for block in found.iter_inner_content():
        if isinstance(block, Table):
            body += _rows(block)
            continue
        named = (block.style.name if block.style is not None else "") or ""
        style = _STYLE.match(named)
        if not style and named != "Title":
            body.append(block.text)
            continue
        yield from _section(title, level, body, above, anchors)
        if level:
            above.append((level, title))
        title, level, body = one_line(block.text), int(style[1]) if style else 1, []
        above = [one for one in above if one[0] < level]
    yield from _section(title, level, body, above, anchors)


def _section(
    title: str, level: int, body: list[str], above: list[tuple[int, str]], anchors: Anchors
) -> Iterator[Section]:
    text = "\n".join(line for line in body if line.strip())
    if text or title:
        anchor = anchors.of(title) if level else ""
        yield Section(title, text, tuple(one for _, one in above), anchor=anchor)


def _rows(table: Any) -> Iterator[str]:
    for row in table.rows:
        cells = list(dict.fromkeys(" ".join(cell.text.split()) for cell in row.cells))
        yield " | ".join(cells)


def read_pptx(data: bytes) -> Document:
    """Returns one section for each slide, with its tables and the speaker's notes."""
    import pptx

    check_archive(data)
    try:
        found = pptx.Presentation(BytesIO(data))
        slides = list(found.slides)
    except Exception as error:  # the library raises KeyError, ValueError and its own
        raise DocumentError(f"is broken: {type(error).__name__}: {error}") from error
    sections = [_slide(slide, number) for number, slide in enumerate(slides, 1)]
    empty = sum(not (one.title or one.text) for one in sections)
    problems = [f"{empty} of {len(slides)} slides hold no text"] if empty else []
    kept = [one for one in sections if one.title or one.text]
    title = found.core_properties.title or ""
    return document(title, kept, problems=problems, pages=len(slides), empty=empty)


def _slide(slide: Any, number: int) -> Section:
    heading = slide.shapes.title
    title = one_line(heading.text_frame.text) if heading is not None else ""
    body: list[str] = []
    stack = list(reversed(list(slide.shapes)))
    while stack:
        shape = stack.pop()
        if getattr(shape, "shapes", None) is not None:  # a group
            stack += reversed(list(shape.shapes))
        elif getattr(shape, "has_table", False) and shape.has_table:
            body += _rows(shape.table)
        elif shape.has_text_frame and (heading is None or shape.shape_id != heading.shape_id):
            body.append(shape.text_frame.text)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        body.append(slide.notes_slide.notes_text_frame.text)
    text = "\n".join(line for line in body if line.strip())
    return Section(title, text, page=number)
