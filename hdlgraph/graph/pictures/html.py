"""One page without a network: the pictures of a hierarchy, its tree, and a search in both."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from hdlgraph.graph.pictures.picture import Picture
from hdlgraph.graph.pictures.svg import style, svg_element
from hdlgraph.safety.printable import visible


class Section(NamedTuple):
    """A picture of a page; `unit` is the graph's id of what it shows, `text` a sentence on it."""

    unit: str
    picture: Picture
    text: str = ""


@cache
def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def write_html(
    title: str,
    sections: Sequence[Section],
    tops: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
) -> Iterator[str]:
    """Yields the page.

    Args:
        title: what the page is about.
        sections: its pictures, the first one on top.
        tops: the hierarchy, as `tree` tells it; none leaves it out.
        notes: what a reader should know.
    """
    css, script = style() + _asset("page.css"), _asset("page.js")
    policy = f"default-src 'none'; style-src {_hashed(css)}; script-src {_hashed(script)}"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_escaped(title)} - hdlgraph</title>\n<style>{css}</style>\n</head>\n<body>\n"
    yield f"<header><h1>{_escaped(title)}</h1>\n"
    yield '<label for="find">Find</label> <input id="find" type="search" autocomplete="off"> '
    yield '<span id="found" role="status"></span>\n'
    yield '<span class="note">Enter or a double click on a drawing: its full size, and back</span>'
    yield '</header>\n<div id="page">\n'
    anchors = {one.unit: f"u{number}" for number, one in enumerate(sections)}
    if tops:
        yield '<nav aria-label="Hierarchy"><h2>Hierarchy</h2>\n'
        yield from _tree(tops, anchors)
        yield "</nav>\n"
    yield "<main>\n"
    for note in notes:
        yield f'<p class="note">{_escaped(note)}</p>\n'
    for number, section in enumerate(sections):
        yield from _section(f"u{number}", section, anchors)
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


def _section(anchor: str, section: Section, anchors: Mapping[str, str]) -> Iterator[str]:
    """Yields the HTML of one picture of a page; boxes lead to the pictures of their units."""
    picture = section.picture

    def link(unit: str) -> str:
        found = anchors.get(unit, "")
        return f"#{found}" if found and found != anchor else ""

    yield f'<section id="{anchor}"><h2>{_escaped(picture.title)}</h2>\n'
    yield f'<p class="place">{_escaped(picture.subtitle)}</p>\n'
    if section.text:
        yield f"<p>{_escaped(section.text)}</p>\n"
    yield f'<div class="drawing" tabindex="0" aria-label="{_escaped(picture.title)}">\n'
    # Boxes have the same ids in every picture: in a page each picture has its own.
    yield from (
        piece.replace('id="', f'id="{anchor}-').replace("url(#", f"url(#{anchor}-")
        if piece.startswith(("<g id=", "<defs", "<path"))
        else piece
        for piece in svg_element(picture, link=link)
    )
    yield "</div>\n"
    for aside in picture.asides:
        rows = "".join(f"<li>{_escaped(row)}</li>" for row in aside.rows)
        yield f"<details><summary>{_escaped(aside.title)}</summary><ul>{rows}</ul></details>\n"
    yield from _wires(picture)
    for note in picture.notes:
        yield f'<p class="note">{_escaped(note)}</p>\n'
    yield "</section>\n"


def _wires(picture: Picture) -> Iterator[str]:
    """Yields the wires as a list, for whoever searches or does not see the drawing."""
    names = {box.id: box.title or ", ".join(box.rows) for box in picture.boxes}
    if not picture.wires:
        return
    yield f"<details><summary>Signals ({len(picture.wires)} wires)</summary><ul>\n"
    for wire in picture.wires:
        arrow = {"one": "→", "two": "↔", "none": "—"}[wire.ways]
        ends = f"{_escaped(names[wire.source])} {arrow} {_escaped(names[wire.target])}"
        yield f"<li>{ends}: {', '.join(map(_escaped, wire.names))}</li>\n"
    yield "</ul></details>\n"


def _tree(
    entries: Sequence[Mapping[str, Any]], anchors: Mapping[str, str], depth: int = 0
) -> Iterator[str]:
    """Yields a list of the hierarchy, whose branches open and close."""
    yield "<ul>\n"
    for entry in entries:
        name, unit = entry["name"], entry.get("unit", "")
        words = f"<b>{_escaped(name)}</b>" + (f" {_escaped(unit)}" if unit else "")
        anchor = anchors.get(entry.get("unit_id") or entry.get("id", ""), "")
        if anchor:
            words = f'<a href="#{anchor}">{words}</a>'
        words += f' <span class="place">{_escaped(entry.get("location", ""))}</span>'
        if entry["children"]:
            is_open = " open" if depth < 1 else ""
            yield f"<li><details{is_open}><summary>{words}</summary>\n"
            yield from _tree(entry["children"], anchors, depth + 1)
            yield "</details></li>\n"
        else:
            yield f"<li>{words}</li>\n"
    yield "</ul>\n"


def _hashed(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _escaped(text: str) -> str:
    return escape(visible(text))
