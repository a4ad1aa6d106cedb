"""The answer to a question about the whole of a design, made of its overview."""

from __future__ import annotations

from hdlgraph.model import Location
from hdlgraph.model.community import Community
from hdlgraph.query.overview.overview import Overview, part_of
from hdlgraph.results import Answer, Citation, Moved, SearchResult
from hdlgraph.safety.printable import visible

LINES = 40
"""Communities in an answer; `hdlgraph overview` lists all."""
PARTNERS = 2
HEADINGS = {"design": "The design:", "vendored": "Taken from elsewhere:", "tests": "Its tests:"}
NOTE = "answered from the overview of the whole design; `hdlgraph overview` shows more of it"


class _Page:
    """The answer so far, and the places it cites."""

    def __init__(self, moved: Moved) -> None:
        self.lines: list[str] = []
        self.citations: list[Citation] = []
        self.moved = frozenset((*moved.changed, *moved.removed))

    def cite(self, path: str, line: int) -> str:
        """Returns the mark of a place and lists it among the citations.

        Of a file that changed since it was indexed nobody knows what stands there: "".
        """
        if path in self.moved:
            return ""
        if not any((one.path, one.line) == (path, line) for one in self.citations):
            self.citations.append(Citation(len(self.citations) + 1, path, line, line))
        return f"[{visible(str(Location(path, line)))}]"


def broad_answer(question: str, overview: Overview) -> Answer:
    """Returns what the parts of a design are, what they are for and what joins them."""
    tops = [one for one in overview.communities if one.level == 0]
    page = _Page(overview.stale)
    page.lines.append(f"{overview.files} files in {len(tops)} groups that belong together.")
    for part, heading in HEADINGS.items():
        listed = [one for one in tops[:LINES] if part_of(one) == part]
        if listed:
            page.lines += ["", heading]
        for one in listed:
            _tell(page, one)
    if len(tops) > LINES:
        page.lines += ["", f"And {len(tops) - LINES} smaller groups."]
    notes = (NOTE, *overview.notes)
    result = SearchResult(question, (), 0, overview.files, notes=notes, stale=overview.stale)
    text = "\n".join(page.lines)
    return Answer(question, text, tuple(page.citations), result, found=bool(tops))


def _tell(page: _Page, one: Community) -> None:
    said = visible(one.purpose)
    place = page.cite(one.top_units[0].path, one.top_units[0].line) if one.top_units else ""
    words = " ".join(filter(None, (f"- {visible(one.title)}: {said}".rstrip(": "), place)))
    page.lines.append(words)
    for connection in one.connections[:PARTNERS]:
        if connection.examples:
            example = connection.examples[0]
            mark = page.cite(example.path, example.line)
            page.lines.append(
                f"    with {visible(short(connection.title))}: {visible(example.text)} {mark}"
            )


def short(title: str) -> str:
    """Returns a title with two names at most."""
    names = title.split(", ")
    return title if len(names) <= 2 else f"{', '.join(names[:2])}, …"
