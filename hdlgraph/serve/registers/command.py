"""The command `hdlgraph registers`."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(registers)


def registers(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A block, REGISTER, BLOCK.REGISTER.FIELD, or a unit."),
    ] = "",
    limit: Annotated[
        int, typer.Option(min=0, max=10_000, metavar="N", help="Most lines of a field; 0: few.")
    ] = 0,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show registers and fields: offset, access, reset value, and the RTL behind them.

    They come from the descriptions in the repository. Each field has the line of its
    description and the lines of RTL that implement, write and read it; of a unit, those inside
    it. Without a name all blocks are listed.
    """
    from hdlgraph.project import Project

    found = Project.open(index).registers(name, limit)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.registers.text import show_registers

    show_registers(found)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")
