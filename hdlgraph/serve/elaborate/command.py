"""The command `hdlgraph elaborate`: what the design becomes below a top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, put, say

if TYPE_CHECKING:
    from pathlib import Path

    from hdlgraph.project import Project


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(elaborate)


def elaborate(
    top: Annotated[
        list[str] | None,
        typer.Option(
            "--top",
            metavar="NAME",
            help="A module to begin with; else the largest top; repeatable.",
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "-P",
            "--parameter",
            metavar="NAME=VALUE",
            help="Set a parameter of the top; repeatable.",
        ),
    ] = None,
    defines: Annotated[
        list[str] | None,
        typer.Option("-D", "--define", metavar="NAME[=VALUE]", help="Define a macro; repeatable."),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="CONFIG", help="Keep the result under this name.")
    ] = "default",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Elaborate even where nothing changed.")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the configurations that are kept instead.")
    ] = False,
    files: Annotated[
        bool, typer.Option("--files", help="Print the files in the order of compilation instead.")
    ] = False,
    index: options.Index = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Elaborate the design: files are found by themselves, parameters and generates resolved."""
    project = _opened(index, settings)
    if listed:
        if top or parameters or defines or files:
            raise UsageError("--list goes with no option besides --index and --json")
        return _list(project, as_json)
    done = project.elaborate(top or (), parameters or (), defines or (), name, fresh)
    if as_json:
        emit(done)
    elif files:
        for path in done["files"]:
            put(path)
    else:
        from hdlgraph.serve.elaborate.text import show_report

        show_report(done)
    if not as_json:
        _notes(done)
    return 1 if done["errors"] else 0


def _opened(index: Path | None, settings: Path | None) -> Project:
    from hdlgraph.project import Project

    return Project.open(index, settings)


def _list(project: Project, as_json: bool) -> int:
    found = project.elaborations()
    if as_json:
        emit(found)
        return 0
    from hdlgraph.serve.elaborate.text import show_list

    show_list(found)
    return 0


def _notes(done: dict[str, Any]) -> None:
    for note in done["notes"]:
        say(f"hdlgraph: note: {note}")
