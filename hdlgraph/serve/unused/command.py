"""The command `hdlgraph unused`."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(unused)


def unused(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A unit, file or folder; else the whole design.")
    ] = "",
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="One kind alone, such as undriven; repeatable."
        ),
    ] = None,
    deliberate: Annotated[
        bool, typer.Option("--deliberate", help="List what is left unused on purpose instead.")
    ] = False,
    tests: Annotated[
        bool, typer.Option("--tests", help="Count testbenches and formal checks as well.")
    ] = False,
    limit: Annotated[
        int, typer.Option(min=0, max=100_000, metavar="N", help="Most findings that are listed.")
    ] = 50,
    full: Annotated[bool, typer.Option("--full", help="List all findings.")] = False,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """List what nothing drives, reads, connects, uses or instantiates.

    Signals and ports, parameters, types, routines, macros, packages and modules. What is unused on
    purpose, by its name, a comment or a lint waiver, is counted apart. A use in any branch of an
    `ifdef or generate counts.
    """
    from hdlgraph.project import Project

    most = None if full else limit
    found = Project.open(index).unused(name, kinds or (), most, deliberate, tests)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.unused.text import show_unused

    show_unused(found, deliberate)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")
