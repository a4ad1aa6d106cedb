"""Makes the passages that a search returns: where each stands, its best lines, its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from hdlgraph.model.passage import Passage, PassageLink, PassagePlace
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.results import Hit
from hdlgraph.store.documents.records import Place, StoredPassage
from hdlgraph.words import content_stems

CHARACTERS = 700
"""Of the text of a passage that are shown."""
LINE = 300
"""Characters of a line that are shown."""
LINKS, COPIES = 5, 10
"""Links and further places that are listed."""
SCHEMES = ("https://", "http://")


def make_passages(
    view: DocumentsView,
    found: Sequence[tuple[int, float]],
    question: str,
    hits: Sequence[Hit] = (),
    urls: Mapping[str, str] | None = None,
    full: bool = False,
) -> tuple[Passage, ...]:
    """Returns passages in their order.

    Args:
        view: all passages.
        found: numbers and scores.
        question: whose words choose the lines.
        hits: files that the same question found, to which passages are linked.
        urls: addresses on the web by folder.
        full: whether the whole text is shown.
    """
    ranks = {path: hit.rank for hit in reversed(hits) for path in (hit.path, *hit.copies)}
    wanted = frozenset(content_stems(question))
    return tuple(
        _passage(view, number, rank, score, wanted, ranks, urls or {}, full)
        for rank, (number, score) in enumerate(found, 1)
    )


def _passage(
    view: DocumentsView,
    number: int,
    rank: int,
    score: float,
    wanted: frozenset[str],
    ranks: Mapping[str, int],
    urls: Mapping[str, str],
    full: bool,
) -> Passage:
    """Returns the passage of a number as a result: its place, its best lines or all, its links."""
    one = view.passages[number]
    place = one.places[0]
    document = view.documents[place.document]
    text, line = (one.text, 0) if full else best_lines(one.text, wanted)
    first = _first_line(one, place) + line if place.line else 0
    return Passage(
        rank=rank,
        kind=one.kind,
        path=document.path,
        line=place.line,
        end_line=place.end_line,
        page=place.page,
        anchor=place.anchor,
        title=one.title,
        crumbs=one.crumbs,
        text=text,
        text_line=first,
        score=score,
        format=document.format,
        domain=document.domain,
        url=url_of(document.path, place, urls),
        places=tuple(
            PassagePlace(view.documents[p.document].path, p.line, p.page)
            for p in one.places[1 : COPIES + 1]
        ),
        links=links_of(view, number, ranks),
    )


def _first_line(one: StoredPassage, place: Place) -> int:
    """Returns the line where the text begins, which stands below its title."""
    return max(place.line, place.end_line - one.text.count("\n"))


def best_lines(text: str, wanted: frozenset[str]) -> tuple[str, int]:
    """Returns the part of a text with most of some words, and how many lines stand before it.

    It has at most CHARACTERS characters, a longer line is cut.
    """
    lines = [line if len(line) <= LINE else f"{line[: LINE - 1]}…" for line in text.split("\n")]
    if sum(len(line) + 1 for line in lines) <= CHARACTERS:
        return "\n".join(lines).rstrip(), 0
    stems = [wanted.intersection(content_stems(line)) for line in lines]
    best, start = (-1.0, 0), 0
    for first in range(len(lines)):
        end, size, seen = first, 0, set[str]()
        while end < len(lines) and size + len(lines[end]) <= CHARACTERS:
            size += len(lines[end]) + 1
            seen |= stems[end]
            end += 1
        # Earlier lines win: a section says first what it is about.
        worth = (len(seen) - 0.001 * first, end)
        if worth[0] > best[0] and lines[first].strip():
            best, start = worth, first
    return "\n".join(lines[start : max(best[1], start + 1)]).rstrip(), start


def links_of(
    view: DocumentsView, number: int, ranks: Mapping[str, int], most: int = LINKS
) -> tuple[PassageLink, ...]:
    """Returns the links of a passage, those to files that the question found first."""
    found = view.links.get(number, [])
    order = sorted(found, key=lambda link: (ranks.get(link.path, 999), -link.weight, link.path))
    return tuple(
        PassageLink(link.kind, link.name, link.path, link.line, ranks.get(link.path, 0))
        for link in order[:most]
    )


def url_of(path: str, place: Place, urls: Mapping[str, str]) -> str:
    """Returns the address of a place on the web, "" where the settings know none.

    Args:
        path: of the document.
        place: in it.
        urls: addresses by folder, the longest one counts; `.` is the whole repository.
    """
    inside = [one for one in urls if one == "." or f"{path}/".startswith(f"{one.rstrip('/')}/")]
    if not inside:
        return ""
    folder = max(inside, key=lambda one: 0 if one == "." else len(one))
    if not urls[folder].startswith(SCHEMES):
        return ""
    rest = path if folder == "." else path[len(folder.rstrip("/")) :].lstrip("/")
    address = f"{urls[folder].rstrip('/')}/{quote(rest)}"
    return f"{address}#{quote(place.anchor, safe='=')}" if place.anchor else address
