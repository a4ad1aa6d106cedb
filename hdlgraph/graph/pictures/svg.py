"""Pictures as SVG: one drawing, or one that stands in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path

from hdlgraph.graph.pictures.layout import (
    LINE,
    SMALL_LINE,
    Drawn,
    Layout,
    Placed,
    lay_out,
    shortened,
    text_width,
)
from hdlgraph.graph.pictures.picture import LISTED, Picture, Wire, some
from hdlgraph.safety.printable import visible

MARGIN, GAP = 16.0, 14.0
FOOT = 150
"""Characters of a line below the drawing."""


def write_svg(picture: Picture) -> Iterator[str]:
    """Yields the picture as an SVG file, with its title above and what stands apart below it."""
    drawing = list(svg_element(picture, heading=True))  # all of it, or an error and nothing
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield from drawing


@cache
def style() -> str:
    """Returns the style sheet of drawings, for light and dark."""
    return (Path(__file__).parent / "picture.css").read_text(encoding="utf-8")


def svg_element(
    picture: Picture, heading: bool = False, link: Callable[[str], str] | None = None
) -> Iterator[str]:
    """Yields a picture as one `svg` element.

    Args:
        picture: what is drawn.
        heading: whether it brings its style, its title and what stands apart; a page has its own.
        link: returns the address that a box of a unit leads to, "" for none.
    """
    layout = lay_out(picture)
    below = list(_below(picture)) if heading else []
    top = MARGIN + (2 * LINE + GAP if heading else 0)
    width = max(layout.width, *(text_width(text) for text, _ in below), 0) + 2 * MARGIN
    if heading:
        width = max(width, text_width(_escaped(picture.title, 80), False) + 2 * MARGIN)
    height = top + layout.height + len(below) * SMALL_LINE + MARGIN + (GAP if below else 0)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    role = "group" if link else "img"  # what is in an image cannot be reached by keys
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="picture" role="{role}">\n'
    yield f"<title>{_escaped(f'Block diagram of {picture.title}', 200)}</title>\n"
    if heading:
        yield f"<style>{style()}</style>\n"
        yield f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>\n'
        yield f'<text class="heading" x="{MARGIN}" y="{MARGIN + 12}">'
        yield f"{_escaped(picture.title, 80)}</text>\n"
        yield f'<text class="small" x="{MARGIN}" y="{MARGIN + 29}">'
        yield f"{_escaped(picture.subtitle, FOOT)}</text>\n"
    yield _MARKER
    yield f'<g transform="translate({MARGIN:.0f} {top:.0f})">\n'
    yield from _parts(picture, layout, link or (lambda unit: ""))
    yield "</g>\n"
    y = top + layout.height + GAP
    for text, css in below:
        y += SMALL_LINE
        yield f'<text class="{css}" x="{MARGIN}" y="{y:.0f}">{_escaped(text, FOOT)}</text>\n'
    yield "</svg>\n"


_MARKER = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path class="tip" d="M0 0.8 8 4 0 7.2z"/></marker></defs>\n'
)


def _below(picture: Picture) -> Iterator[tuple[str, str]]:
    """Yields (line, class) of what stands below a drawing."""
    for aside in picture.asides:
        yield aside.title, "strong"
        yield from ((f"  {row}"[: FOOT + 9], "small") for row in aside.rows)
    yield from ((note[: FOOT + 9], "small") for note in picture.notes)


def _parts(picture: Picture, layout: Layout, link: Callable[[str], str]) -> Iterator[str]:
    for drawn in layout.wires:
        yield _curve(drawn, picture.wires[drawn.number])
    for placed in layout.boxes:
        yield _box(placed, link(placed.box.unit) if placed.box.unit else "")
    for drawn in layout.wires:
        wire = picture.wires[drawn.number]
        if drawn.label is not None:
            x, y = drawn.label
            yield (
                f'<text class="label" x="{x:.1f}" y="{y + 3.5:.1f}">'
                f"{_escaped(shortened(wire.label), 200)}<title>{_names(wire)}</title></text>\n"
            )


def _curve(drawn: Drawn, wire: Wire) -> str:
    (x, y), *rest = drawn.points
    path = f"M{x:.1f} {y:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
    tip = "" if wire.ways == "none" else ' marker-end="url(#tip)"'
    tip += ' marker-start="url(#tip)"' if wire.ways == "two" else ""
    many = " many" if len(wire.names) > 1 else ""
    ends = f'data-ends="{wire.source} {wire.target}"'
    return f'<path class="wire{many}" {ends} d="{path}"{tip}><title>{_names(wire)}</title></path>\n'


def _names(wire: Wire) -> str:
    return "\n".join(_escaped(name, 200) for name in some(wire.names, LISTED))


def _box(placed: Placed, address: str) -> str:
    box, left, top = placed.box, placed.x - placed.width / 2, placed.y - placed.height / 2
    shape = (
        f'<rect class="box" x="{left:.1f}" y="{top:.1f}" width="{placed.width:.1f}" '
        f'height="{placed.height:.1f}" rx="{placed.height / 2 if box.kind == "logic" else 5:.1f}"/>'
    )
    y = top + (placed.height - sum(SMALL_LINE if n.small else LINE for n in placed.lines)) / 2
    out = []
    for number, line in enumerate(placed.lines):
        y += SMALL_LINE if line.small else LINE
        css = "small" if line.small else "name"
        if line.small and not number and box.kind != "ports":
            css = "name"
        at = f'x="{placed.x:.1f}" y="{y - 4:.1f}"'
        out.append(f'<text class="{css}" {at}>{_escaped(line.text, 200)}</text>')
    tip = "\n".join(_escaped(text, 300) for text in box.tip.split("\n")) if box.tip else ""
    title = f"<title>{tip}</title>" if tip else ""
    inner = f"{shape}{''.join(out)}{title}"
    if address:
        inner = f'<a href="{escape(address)}">{inner}</a>'
    side = f" {box.side}puts" if box.side else ""  # a class `out` is one of the page's own
    return f'<g id="{box.id}" class="{box.kind}{side}">{inner}</g>\n'


def _escaped(text: str, limit: int) -> str:
    """Returns a text of strangers as XML may hold it."""
    return escape(visible(shortened(text, limit)))
