"""The command `hdlgraph testbench`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, put, say


class Format(StrEnum):
    """What is printed."""

    TEXT = "text"
    MERMAID = "mermaid"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("testbench")(exercised)


def exercised(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A unit, test, class, key of uvm_config_db, or DPI function."
        ),
    ] = "",
    how: Annotated[
        Format, typer.Option("--format", help="text, or a Mermaid chart of the components.")
    ] = Format.TEXT,
    limit: Annotated[
        int, typer.Option(min=0, max=10_000, metavar="N", help="Most entries of a list; 0: few.")
    ] = 0,
    index: options.Index = None,
    as_json: options.Json = False,
) -> None:
    """Show what exercises a unit, or what a test or class of a testbench is.

    Of a unit: its testbenches, also through other units, with their environment, agents, tests
    and sequences, and what is bound to it. Of a test: its class, sequence and testbench. Of a
    class: its bases, the components that it creates, their connections, and who uses it. Without
    a name all testbenches are listed.
    """
    from hdlgraph.project import Project

    project = Project.open(index)
    if how is Format.MERMAID and not as_json:
        put(project.testbench_diagram(name).rstrip())
        return
    found = project.testbench(name, limit)
    if as_json:
        emit(found)
        return
    from hdlgraph.serve.verification.text import show_testbench

    show_testbench(found)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")
