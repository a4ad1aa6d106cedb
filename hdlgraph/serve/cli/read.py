"""The command that shows source lines: read."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, flow, say

_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?)?", re.S)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(read)


def read(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PATH[:A[-B]]", help="An indexed file, its line A, or its lines A to B."
        ),
    ],
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Show lines of an indexed file with their numbers: all, one, or a range."""
    from hdlgraph.project import Project

    found = _PLACE.fullmatch(place)
    if found is None:
        raise UsageError("write PATH, PATH:LINE or PATH:FIRST-LAST")
    start, end = found["start"], found["end"]
    last = end or start
    lines = Project.open(index).read_lines(
        found["path"], int(start or 1), int(last) if last else None
    )
    if as_json:
        emit(lines)
        return 0
    for number, text in lines["lines"].items():
        shown = "\t".join(visible(part) for part in text.split("\t"))
        flow(f"{number:>6} | {shown}\n")
    for note in (lines["truncated"], *lines["notes"]):
        if note:
            say(f"hdlgraph: note: {note}")
    return 0
