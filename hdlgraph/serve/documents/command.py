"""The command `documents`: what is indexed of documents, and the sections of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit

if TYPE_CHECKING:
    from hdlgraph.project import Project


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(documents)


def documents(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A document or folder; else all are listed.")
    ] = "",
    index: options.Index = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show the text of its sections as it was extracted.")
    ] = False,
    as_json: options.Json = False,
) -> int:
    """List the indexed documents, or the sections of one with what they link to."""
    from hdlgraph.project import Project

    project: Project = Project.open(index)
    found = project.documents(name, full)
    if as_json:
        emit(found)
    else:
        from hdlgraph.serve.documents.text import show_listing, show_outline

        (show_outline if name.strip() else show_listing)(found)
    return 0
