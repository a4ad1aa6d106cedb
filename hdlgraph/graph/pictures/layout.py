"""Lays out a picture: the sizes of its boxes are computed here, their places by Graphviz.

Graphviz gets numbers alone, no name of the design: a stranger's text cannot reach its parser, and
no font of the machine decides over a size. The same picture has the same layout everywhere.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.pictures.picture import WIDEST, Box, Picture
from hdlgraph.safety.child_process import start

LIMIT_S = 60.0
"""Seconds that a layout may take."""
LETTER, SMALL = 7.8, 6.6
"""Points from one letter to the next of a title and of smaller text, in a monospaced font."""
LINE, SMALL_LINE = 17.0, 14.0
PAD_X, PAD_Y = 12.0, 9.0

Point = tuple[float, float]


class Line(NamedTuple):
    """A line of text in a box."""

    text: str
    small: bool


class Placed(NamedTuple):
    """A box in its place: the centre, and the size, in points from the upper left corner."""

    box: Box
    x: float
    y: float
    width: float
    height: float
    lines: tuple[Line, ...]


class Drawn(NamedTuple):
    """A wire in its place: the points of Bézier curves, and where its label stands."""

    number: int
    points: tuple[Point, ...]
    label: Point | None


class Layout(NamedTuple):
    """A picture in its place; `width` and `height` are in points."""

    width: float
    height: float
    boxes: tuple[Placed, ...]
    wires: tuple[Drawn, ...]


def lay_out(picture: Picture) -> Layout:
    """Returns where everything of a picture stands.

    Raises:
        HdlgraphError: Graphviz failed, or takes too long.
    """
    sizes = [_size(box) for box in picture.boxes]
    if not sizes:
        return Layout(0.0, 0.0, (), ())
    found = json.loads(_graphviz("".join(_dot(picture, sizes))))
    _, _, width, height = map(float, found["bb"].split(","))
    placed = []
    objects = {one["name"]: one for one in found.get("objects", ())}
    for box, (lines, wide, high) in zip(picture.boxes, sizes, strict=True):
        x, y = map(float, objects[box.id]["pos"].split(","))
        placed.append(Placed(box, x, height - y, wide, high, lines))
    drawn = sorted(
        (_drawn(edge, height) for edge in found.get("edges", ())), key=lambda one: one.number
    )
    return Layout(width, height, tuple(placed), tuple(drawn))


def text_width(text: str, small: bool = True) -> float:
    """Returns how wide a text is, in points."""
    return len(text) * (SMALL if small else LETTER)


def shortened(text: str, limit: int = WIDEST) -> str:
    """Returns a text without its middle where it is longer than a box may be wide."""
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[: limit - 1 - half]}…{text[-half:]}"


def _size(box: Box) -> tuple[tuple[Line, ...], float, float]:
    """Returns the lines of a box, its width and its height."""
    lines = [Line(shortened(box.title), False)] if box.title else []
    lines += [Line(shortened(text), True) for text in (box.subtitle, *box.rows) if text]
    wide = max((text_width(line.text, line.small) for line in lines), default=0.0) + 2 * PAD_X
    high = sum(SMALL_LINE if line.small else LINE for line in lines) + 2 * PAD_Y
    return tuple(lines), max(wide, 40.0), max(high, 26.0)


def _dot(picture: Picture, sizes: Sequence[tuple[Any, float, float]]) -> list[str]:
    """Returns the picture as DOT without a word in it: boxes and labels of fixed sizes."""
    out = [
        "digraph {\n",
        "graph [rankdir=LR, nodesep=0.28, ranksep=0.55, remincross=true, nslimit=20];\n",
        'node [shape=box, fixedsize=true, label=""];\n',
        "edge [dir=none];\n",
    ]
    for box, (_, wide, high) in zip(picture.boxes, sizes, strict=True):
        out.append(f"{box.id} [width={wide / 72:.4f}, height={high / 72:.4f}];\n")
    for side, rank in (("in", "source"), ("out", "sink")):
        ports = [box.id for box in picture.boxes if box.side == side]
        if ports:
            out.append(f"{{ rank={rank}; {'; '.join(ports)}; }}\n")
    for number, wire in enumerate(picture.wires):
        label = ""
        if wire.label:
            wide, high = round(text_width(shortened(wire.label)) + 6), round(SMALL_LINE + 2)
            label = (
                f', label=<<TABLE FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{high}" BORDER="0">'
                "<TR><TD></TD></TR></TABLE>>"
            )
        out.append(f'{wire.source} -> {wire.target} [comment="{number}"{label}];\n')
    out.append("}\n")
    return out


def _drawn(edge: dict[str, Any], height: float) -> Drawn:
    points = tuple(_point(text, height) for text in edge["pos"].split())
    label = _point(edge["lp"], height) if "lp" in edge else None
    return Drawn(int(edge["comment"]), points, label)


def _point(text: str, height: float) -> Point:
    x, y = map(float, text.split(","))
    return x, height - y


def _graphviz(dot: str) -> bytes:
    """Returns what the process of Graphviz answers."""
    pipe = subprocess.PIPE
    module = "hdlgraph.graph.pictures.graphviz"
    with start(module, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            out, errors = process.communicate(dot.encode("ascii"), timeout=LIMIT_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise HdlgraphError(
                f"the picture takes longer than {LIMIT_S:.0f} s to be laid out: "
                "lower --limit, or take --format dot or mermaid"
            ) from error
        except BaseException:
            process.kill()
            raise
    if process.returncode or not out:
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise HdlgraphError(
            f"Graphviz could not lay the picture out ({last or process.returncode}): "
            "take --format dot or mermaid, or install pygraphviz anew"
        )
    return out
