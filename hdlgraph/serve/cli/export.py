"""The command that writes the graph, or a picture of a part of it, to a file: export."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say

Target = Annotated[Path, typer.Argument(metavar="FILE", help="The file; - is stdout.")]
STDOUT = "-"


class Format(StrEnum):
    """Formats of an exported graph, then those of pictures."""

    GRAPHML = "graphml"
    GEXF = "gexf"
    JSON = "json"
    CYPHER = "cypher"
    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"
    HTML = "html"


PICTURES = frozenset({Format.SVG, Format.DOT, Format.MERMAID, Format.HTML})
SUFFIXES = {"mmd": "mermaid", "gv": "dot", "htm": "html"}
"""Endings of files that are called otherwise than their formats."""
PICTURE_PANEL = "Pictures (svg, dot, mermaid, html)"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(export)


def export(
    target: Target,
    format: Annotated[
        Format | None, typer.Option(help="Format of the file; else what its name ends with.")
    ] = None,
    unit: Annotated[
        str,
        typer.Option(metavar="NAME", help="Draw this unit.", rich_help_panel=PICTURE_PANEL),
    ] = "",
    overview: Annotated[
        bool,
        typer.Option(
            "--overview", help="Draw the parts of the design.", rich_help_panel=PICTURE_PANEL
        ),
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Levels below the unit that a page of html draws too (3).",
            rich_help_panel=PICTURE_PANEL,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Boxes of a picture (40); what is left out is told.",
            rich_help_panel=PICTURE_PANEL,
        ),
    ] = None,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Write the graph for Gephi, yEd, Neo4j or a program, or draw a unit or the whole design.

    --unit draws the block diagram of a unit: its instances, the signals between them, its ports;
    clocks and resets stand apart. A page of html has the units below it as well.
    """
    from hdlgraph.project import Project

    wanted = format or _by_suffix(target)
    drawn = _pictured(wanted, unit, overview, (depth, limit))
    if as_json and str(target) == STDOUT:
        not_json(as_json)
    stream: Any = sys.stdout.buffer if str(target) == STDOUT else target
    project = Project.open(index)
    counts: dict[str, Any]
    if not drawn:
        counts = {**project.export_graph(wanted.value, stream)}
        counted = f"{counts['nodes']} nodes and {counts['edges']} edges"
    else:
        from hdlgraph.serve.cli.progress import progress_bar

        given = {"limit": limit, "depth": depth}
        with progress_bar(quiet=as_json) as progress:
            counts = project.export_picture(
                wanted.value,
                stream,
                unit,
                progress=progress,
                **{name: value for name, value in given.items() if value is not None},
            )
        pictures = f"{counts['pictures']} pictures, " if counts["pictures"] > 1 else ""
        counted = f"{pictures}{counts['boxes']} boxes and {counts['wires']} wires"
    if as_json:
        emit({"schema": 1, "file": str(target), "format": wanted.value, **counts})
        return 0
    for note in counts.get("notes", ()):
        say(f"hdlgraph: note: {note}")
    if stream is target:
        say(f"wrote {counted} to {target}")
    return 0


def _by_suffix(target: Path) -> Format:
    """Returns the format that the name of a file says."""
    ending = target.suffix.removeprefix(".").lower()
    try:
        return Format(SUFFIXES.get(ending, ending))
    except ValueError:
        formats = ", ".join(Format)
        raise UsageError(
            f"{target}: its name does not say the format: give --format ({formats})"
        ) from None


def _pictured(wanted: Format, unit: str, overview: bool, shape: tuple[int | None, ...]) -> bool:
    """Returns whether a picture is wanted; UsageError where the options do not fit together."""
    if wanted not in PICTURES:
        if unit or overview or any(one is not None for one in shape):
            raise UsageError(
                f"--format {wanted} writes the whole graph; --unit, --overview, --depth and "
                f"--limit are for pictures ({', '.join(sorted(PICTURES))})"
            )
        return False
    if unit and overview:
        raise UsageError("--unit and --overview exclude each other: a file holds one picture")
    if not unit and not overview:
        raise UsageError(
            f"--format {wanted} draws a picture: give --unit NAME, or --overview for the parts of "
            "the design (`hdlgraph tree` lists units)"
        )
    return True


def not_json(as_json: bool) -> None:
    """Refuses --json beside data on stdout (UsageError)."""
    if as_json:
        raise UsageError("--json and the file - would both write to stdout: name a file")
