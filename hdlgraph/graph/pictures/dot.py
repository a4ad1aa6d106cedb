"""Pictures as DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from hdlgraph.graph.pictures.picture import Box, Picture
from hdlgraph.safety.printable import visible

SHAPES = {"logic": "ellipse", "ports": "plain"}
FILLS = {"instance": "#e8f0fe", "library": "#f1f3f4", "more": "#fef7e0", "part": "#e6f4ea"}

WAYS = {"one": "forward", "two": "both", "none": "none"}


def write_dot(picture: Picture) -> Iterator[str]:
    """Yields the picture as a digraph that Graphviz sizes and draws by itself."""
    yield f"digraph {_quoted(picture.title)} {{\n"
    heading = "\n".join(filter(None, (picture.title, picture.subtitle)))
    yield f'  graph [rankdir=LR, labelloc=t, fontname="Helvetica", label={_quoted(heading)}];\n'
    yield '  node [shape=box, style="filled,rounded", fillcolor="#ffffff", fontname="Helvetica"];\n'
    yield '  edge [fontname="Helvetica", fontsize=10];\n'
    for box in picture.boxes:
        yield f"  {box.id} [{_attributes(box)}];\n"
    for side, rank in (("in", "source"), ("out", "sink")):
        ports = [box.id for box in picture.boxes if box.side == side]
        if ports:
            yield f"  {{ rank={rank}; {'; '.join(ports)}; }}\n"
    for wire in picture.wires:
        label = f", label={_quoted(wire.label)}" if wire.label else ""
        tip = f"tooltip={_quoted(', '.join(wire.names))}"
        yield f"  {wire.source} -> {wire.target} [dir={WAYS[wire.ways]}, {tip}{label}];\n"
    for number, (title, rows) in enumerate(_corners(picture)):
        text = _quoted("\n".join((title, *rows)), left=True)
        yield f'  a{number} [shape=note, style="", label={text}];\n'
    yield "}\n"


def _corners(picture: Picture) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from ((aside.title, aside.rows) for aside in picture.asides)
    if picture.notes:
        yield "Notes", picture.notes


def _attributes(box: Box) -> str:
    text = "\n".join(filter(None, (box.title, box.subtitle, *box.rows)))
    found = [f"label={_quoted(text)}", f"tooltip={_quoted(box.tip or text)}"]
    if shape := SHAPES.get(box.kind):
        found.append(f"shape={shape}")
    if fill := FILLS.get(box.kind):
        found.append(f'fillcolor="{fill}"')
    return ", ".join(found)


def _quoted(text: str, left: bool = False) -> str:
    """Returns a text as a string of DOT; `left` puts its lines to the left.

    A backslash would begin an escape, of a label as much as of a string: it is written twice.
    """
    lines = [visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + ("\\l".join((*lines, "")) if left else "\\n".join(lines)) + '"'
