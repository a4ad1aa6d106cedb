"""The commands `hdlgraph trace` and `hdlgraph fsm`."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, put, say


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command()(trace)
    app.command()(fsm)


def trace(
    signal: Annotated[
        str,
        typer.Argument(metavar="SIGNAL", help="A signal: NAME, UNIT.NAME, or a path of instances."),
    ],
    drivers: Annotated[bool, typer.Option("--drivers", help="Only what drives it.")] = False,
    loads: Annotated[bool, typer.Option("--loads", help="Only what it goes into.")] = False,
    depth: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="How many nets away to look.")
    ] = 2,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="N", help="Most places listed of one net.")
    ] = 20,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show what drives a signal and what it goes into, across units.

    Ports, instances, generate blocks and interfaces are crossed. Conditions are shown and not
    followed. Of a net with many places the first are listed and all are counted.
    """
    from hdlgraph.project import Project

    wanted = [one for one, on in (("drivers", drivers), ("loads", loads)) if on]
    found = Project.open(index).trace(signal, wanted or ("drivers", "loads"), depth, limit)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.signals.text import show_trace

    show_trace(found)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")


def fsm(
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="A unit by name or node id.")],
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print a Mermaid state diagram.")
    ] = False,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show the state machines of a unit: states, transitions with conditions, reset state."""
    from hdlgraph.project import Project

    project = Project.open(index)
    if mermaid:
        put(project.fsm_diagram(unit).rstrip())
        return
    found = project.fsm(unit)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.signals.text import show_machines

    show_machines(found)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")
