"""The command that shows how a design is organised: overview."""

from __future__ import annotations

from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit
from hdlgraph.serve.cli.volume import volume


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(overview)


def overview(
    level: Annotated[
        int, typer.Option(min=0, metavar="N", help="Finest level shown; 0 is the coarsest.")
    ] = 0,
    model: Annotated[
        bool, typer.Option("--model", help="Let llm.build_model of the settings write the reports.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Stop asking the model before it costs more."),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop asking the model before it takes more tokens."),
    ] = None,
    index: options.Index = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Show which parts a design has, what each is for, and how they are connected.

    The parts are communities that GraphRAG finds in the graph of the design. The first call after
    a change of the index builds them, which takes some seconds.
    """
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar

    project = Project.open(index, settings)
    with progress_bar(quiet=as_json) as progress:
        found = project.overview(
            level,
            reports="model" if model else None,
            max_cost=max_cost,
            max_tokens=max_tokens,
            progress=progress,
        )
    if as_json:
        emit(found.to_dict())
    else:
        from hdlgraph.serve.cli.text.overview import show_overview

        volume().root = project.root
        show_overview(found)
    return 0
