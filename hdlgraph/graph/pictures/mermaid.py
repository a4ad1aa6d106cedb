"""Pictures as Mermaid flowcharts, which code hosts draw in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.graph.pictures.picture import Box, Picture
from hdlgraph.safety.printable import visible

_SPECIAL = re.compile(r"[^A-Za-z0-9_ ,:/()*+=×→…-]")
SHAPES = {"logic": ("([", "])"), "ports": (">", "]")}
ARROWS = {"one": "-->", "two": "<-->", "none": "---"}
STYLES = {
    "library": "stroke-dasharray:3",
    "more": "fill:#fef7e0,color:#202124",
    "part": "fill:#e6f4ea,color:#202124",
}


def write_mermaid(picture: Picture) -> Iterator[str]:
    """Yields the picture as a flowchart from left to right."""
    yield f"%% {_comment(picture.title)} {_comment(picture.subtitle)}\n".replace(" \n", "\n")
    yield "flowchart LR\n"
    for box in picture.boxes:
        yield f"  {_node(box)}\n"
    for wire in picture.wires:
        label = f'|"{_escaped(wire.label)}"|' if wire.label else ""
        yield f"  {wire.source} {ARROWS[wire.ways]}{label} {wire.target}\n"
    for number, aside in enumerate(picture.asides):
        text = "<br/>".join(map(_escaped, (aside.title, *aside.rows)))
        yield f'  a{number}["{text}"]\n'
    for kind, style in STYLES.items():
        ids = [box.id for box in picture.boxes if box.kind == kind]
        if ids:
            yield f"  classDef {kind} {style}\n  class {','.join(ids)} {kind}\n"
    for note in picture.notes:
        yield f"%% {_comment(note)}\n"


def _node(box: Box) -> str:
    opening, closing = SHAPES.get(box.kind, ("[", "]"))
    lines = [_escaped(line) for line in (box.title, box.subtitle, *box.rows) if line]
    return f'{box.id}{opening}"{"<br/>".join(lines)}"{closing}'


def _escaped(text: str) -> str:
    """Returns a text in which everything that Mermaid or HTML may read is a character code."""
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", visible(text))


def _comment(text: str) -> str:
    # A brace would make a directive of a comment.
    return visible(text).translate({ord("{"): "(", ord("}"): ")"})
