"""Reads PDF page by page; the bookmarks of the file name the sections on each page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import Document, DocumentError, Section
from hdlgraph.parsers.documents.text import one_line

PAGES = 20_000
"""Further pages are left out, and a problem says so."""
BOOKMARKS = 50_000
LISTED = 10
"""Pages without text that a problem names."""
_NUMBER = re.compile(r"^[\dA-Z]{1,3}(?:\.\d{1,3})*\.?\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


class _Mark(NamedTuple):
    """A bookmark: its title, and the titles above it."""

    title: str
    crumbs: tuple[str, ...]


def read(data: bytes) -> Document:
    """Returns the sections of a PDF file: one for each page, more where bookmarks part it.

    Raises:
        DocumentError: it is encrypted or broken.
    """
    import pypdfium2

    try:
        found = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentError("is encrypted: it wants a password") from error
        raise DocumentError(f"is broken: {error}") from error
    try:
        return _read(found)
    finally:
        found.close()


def _read(found: Any) -> Document:
    count = len(found)
    marks = _bookmarks(found)
    sections: list[Section] = []
    empty: list[int] = []
    problems = [] if count <= PAGES else [f"has {count} pages; {PAGES} are read"]
    broken: list[int] = []
    last = _Mark("", ())
    for number in range(min(count, PAGES)):
        try:
            text = _page(found, number)
        except Exception:  # a page that cannot be drawn: the others are read
            broken.append(number + 1)
            continue
        here = marks.get(number, [])
        if not any(map(str.isalnum, text)):
            empty.append(number + 1)
        else:
            sections += _sections(text, number + 1, last, here)
        last = here[-1] if here else last
    if broken:
        problems.append(f"{_pages(broken, count)} cannot be read")
    if empty:
        problems.append(f"{_pages(empty, count)} hold no text (scanned pages are pictures)")
    title = _title(found)
    return document(title, sections, problems=problems, pages=count, empty=len(empty))


def _pages(numbers: list[int], count: int) -> str:
    shown = ", ".join(map(str, numbers[:LISTED])) + (" ..." if numbers[LISTED:] else "")
    return f"{len(numbers)} of {count} pages ({shown})"


def _title(found: Any) -> str:
    try:
        return one_line(found.get_metadata_dict().get("Title", ""))
    except Exception:  # no metadata, or a broken one
        return ""


def _page(found: Any, number: int) -> str:
    page = found[number]
    try:
        words = page.get_textpage()
        try:
            text = words.get_text_bounded()
        finally:
            words.close()
    finally:
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).encode("utf-8", "replace").decode().strip()


def _bookmarks(found: Any) -> dict[int, list[_Mark]]:
    """Returns the bookmarks of each page, counted from 0; none where they cannot be read."""
    marks: dict[int, list[_Mark]] = defaultdict(list)
    above: list[tuple[int, str]] = []
    try:
        for number, one in enumerate(found.get_toc(max_depth=15)):
            if number >= BOOKMARKS:
                break
            title = one_line(one.get_title())
            target = one.get_dest()
            page = target.get_index() if target else None
            above = [(level, name) for level, name in above if level < one.level]
            if page is not None and title:
                marks[page].append(_Mark(title, tuple(name for _, name in above)))
            above.append((one.level, title))
    except Exception:  # a damaged table of bookmarks leaves the pages as they are
        pass
    return marks


def _sections(text: str, page: int, last: _Mark, here: list[_Mark]) -> Iterator[Section]:
    """Yields the parts of a page: the end of the section before, then one for each bookmark."""
    lines = text.split("\n")
    start, mark = 0, last
    at = 0
    for one in here:
        line = _find(lines, one.title, at)
        if line is None:
            if mark is last and start == 0 and not last.title:
                mark = one
            continue
        if line > start and any(part.strip() for part in lines[start:line]):
            yield _section(lines[start:line], page, mark)
        start, mark, at = line, one, line + 1
    if start == 0 and here and mark is last:
        mark = here[0]
    yield _section(lines[start:], page, mark)


def _find(lines: list[str], title: str, start: int) -> int | None:
    """Returns the line where a heading stands: with its number or without."""
    wanted = _bare(title)
    for number in range(start, len(lines)):
        if wanted and _bare(lines[number]).startswith(wanted[:60]):
            return number
    return None


def _bare(text: str) -> str:
    return "".join(_NUMBER.sub("", text.strip()).lower().split())


def _section(lines: list[str], page: int, mark: _Mark) -> Section:
    return Section(
        mark.title, "\n".join(lines).strip(), mark.crumbs, page=page, anchor=f"page={page}"
    )
