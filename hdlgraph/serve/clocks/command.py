"""The commands `hdlgraph clocks` and `hdlgraph crossings`."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit

Top = Annotated[str, typer.Argument(metavar="UNIT", help="A unit by name or node id.")]
Seconds = Annotated[
    float,
    typer.Option(
        min=0.1,
        max=600,
        metavar="S",
        help="Seconds of each step; what is not done by then is left out.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command()(clocks)
    app.command()(crossings)


def clocks(
    unit: Top,
    resets: Annotated[bool, typer.Option("--resets", help="The resets, not the clocks.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="N", help="Most clocks, and steps of each.")
    ] = 20,
    seconds: Seconds = 30.0,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show the clocks below a unit: where they begin, what they become, what hangs on them.

    A clock begins at a port of the unit, at a register that divides it, at a mux or at logic.
    Ports, buffers, gates and inverters are followed. With --resets: whether registers are reset
    at once or at the clock, the level, and synchronisers in the way.
    """
    from hdlgraph.project import Project

    found = Project.open(index).clock_tree(unit, resets, limit, seconds)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.clocks.text import show_clocks, show_resets

    (show_resets if resets else show_clocks)(found)


def crossings(
    unit: Top,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="Only these: none, handshake, fifo, synchroniser, or all."
        ),
    ] = "all",
    limit: Annotated[
        int, typer.Option(min=0, max=100_000, metavar="N", help="Most crossings listed.")
    ] = 20,
    seconds: Seconds = 30.0,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show where data of one clock reaches a register of another, and what protects it there.

    Crossings are counted by pair of clocks, then listed: first those without a synchroniser in
    sight, then handshakes, FIFOs and synchronisers. All are candidates, read from the text.
    """
    from hdlgraph.project import Project

    found = Project.open(index).crossings(unit, kind, limit, seconds)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.clocks.text import show_crossings

    show_crossings(found)
