"""The command `hdlgraph reach`."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(reach)


def reach(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="An address as 0x40000010, a block, or BLOCK.REGISTER."
        ),
    ],
    limit: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="Most answers that are printed.")
    ] = 10,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show which block answers at an address, and which hosts reach it through what.

    It comes from what the repository says: crossbars in Hjson, bases and sizes in constants,
    rules and comparisons of addresses in RTL. What these do not tell is said to be unknown.
    """
    from hdlgraph.project import Project

    found = Project.open(index).reach(name)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.reach.text import show_reach

    show_reach(found, limit)
    for note in (*found["broken"], *found["notes"]):
        say(f"hdlgraph: note: {note}")
