"""The answer to a question about the whole of a design, made of its overview."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

import msgspec

from hdlgraph.model import Location
from hdlgraph.model.community import Community
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.overview.overview import Overview, part_of
from hdlgraph.results import Answer, Citation, Moved, SearchResult
from hdlgraph.safety.printable import visible

LINES = 40
"""Communities in an answer; `hdlgraph overview` lists all."""
PARTNERS = 2
HEADINGS = {"design": "The design:", "vendored": "Taken from elsewhere:", "tests": "Its tests:"}
GROUPS = 10
"""The same behind the hierarchy."""
HIERARCHY = (
    "answered from the hierarchy; `hdlgraph tree` shows all of it, `hdlgraph overview` the groups "
    "of files that belong together"
)
NOTE = "answered from the overview of the whole design; `hdlgraph overview` shows more of it"

_WORD = re.compile(r"[\w$]+")
_JOINS = re.compile(
    r"(?P<one>\S+) (?P<verb>\w+) (?P<other>\S+?)(?: as (?P<name>\S+)| by (?P<net>[\w$]+).*)?"
)


class _Page:
    """The answer so far, and the places it cites."""

    def __init__(self, read_text: Callable[[str], str]) -> None:
        self.lines: list[str] = []
        self.citations: list[Citation] = []
        self._lines = cache(lambda path: read_text(path).split("\n"))

    def cite(self, text: str, path: str, line: int, names: Iterable[str]) -> str:
        """Returns a text with the mark of its place, without where the line lacks the names."""
        lines = self._lines(path)
        stands = set(_WORD.findall(lines[line - 1])) if 1 <= line <= len(lines) else set()
        if not {name.rpartition(".")[2] for name in names} <= stands:
            return text
        if not any((one.path, one.line) == (path, line) for one in self.citations):
            self.citations.append(Citation(len(self.citations) + 1, path, line, line))
        return f"{text} [{visible(str(Location(path, line)))}]"


def broad_answer(
    question: str, overview: Overview, read_text: Callable[[str], str], lines: int = LINES
) -> Answer:
    """Returns what the parts of a design are, what they are for and what joins them.

    A part is cited by the line of its main unit, a connection by the line that makes it, each
    where that line names it; what a part is for is said without a citation.

    Args:
        question: as asked.
        overview: of the design.
        read_text: gives a file's text, "" where it cannot be read.
        lines: the greatest number of communities that are told.
    """
    tops = [one for one in overview.communities if one.level == 0]
    page = _Page(read_text)
    page.lines.append(f"{overview.files} files in {len(tops)} groups that belong together.")
    for part, heading in HEADINGS.items():
        listed = [one for one in tops[:lines] if part_of(one) == part]
        if listed:
            page.lines += ["", heading]
        for one in listed:
            _add_community(page, one)
    if len(tops) > lines:
        page.lines += ["", f"And {len(tops) - lines} smaller groups."]
    notes = (NOTE, *overview.notes)
    result = SearchResult(question, (), 0, overview.files, notes=notes, stale=overview.stale)
    text = "\n".join(page.lines)
    return Answer(question, text, tuple(page.citations), result, found=bool(tops))


def hierarchy_answer(
    question: str, page: FactPage, files: int, stale: Moved, groups: Answer | None
) -> Answer:
    """Returns what a page tells of the hierarchy of a design, and its groups behind that.

    Args:
        question: as asked.
        page: with the hierarchy.
        files: of the index.
        stale: files that moved since it was made.
        groups: what the overview of the design tells, None where its tables are not built.
    """
    if groups is None:
        result = SearchResult(question, (), 0, files, notes=(HIERARCHY,), stale=stale)
        return Answer(question, page.text, tuple(page.citations), result)
    places = {one.place: one for one in (*page.citations, *groups.citations)}
    cited = (msgspec.structs.replace(one, marker=n) for n, one in enumerate(places.values(), 1))
    text = f"{page.text}\n\n{groups.text}"
    return msgspec.structs.replace(groups, text=text, citations=tuple(cited))


def _add_community(page: _Page, one: Community) -> None:
    page.lines.append(f"- {visible(one.title)}: {visible(one.purpose)}".rstrip(": "))
    if one.top_units:
        unit = one.top_units[0]
        text = f"    {visible(unit.kind)} {visible(unit.name)}"
        page.lines.append(page.cite(text, unit.path, unit.line, (unit.kind, unit.name)))
    for connection in one.connections[:PARTNERS]:
        if connection.examples:
            example = connection.examples[0]
            page.lines.append(f"    with {visible(short(connection.title))}:")
            text = f"      {visible(example.text)}"
            page.lines.append(page.cite(text, example.path, example.line, _named(example.text)))


def _named(text: str) -> list[str]:
    """Returns the names of a connection that must stand on its line.

    Of an instance, import and the like the unit around the line need not.
    """
    found = _JOINS.fullmatch(text)
    if not found:
        return [text]
    drives = found["verb"] == "drives"
    names = [
        found["one"] if drives else "",
        found["other"],
        found["name"] or "",
        found["net"] or "",
    ]
    return [name for name in names if name]


def short(title: str) -> str:
    """Returns a title with two names at most."""
    names = title.split(", ")
    return title if len(names) <= 2 else f"{', '.join(names[:2])}, …"
