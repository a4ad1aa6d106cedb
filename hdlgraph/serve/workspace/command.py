"""The command `workspace`: the repositories that are searched together, and what joins them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say

FAILED = 1
"""Exit code where a repository cannot be asked."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(workspace)


def workspace(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="YAML: `repositories:`, NAME: INDEX below it.")
    ],
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Names listed of each two repositories.")
    ] = 20,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """List the repositories of a workspace file, what one uses of another, and what both have.

    The same file is given to search, ask, show and who with --workspace.
    """
    from hdlgraph.project.workspace import Workspace

    found = Workspace.open(file, settings).links(limit)
    failed = any(one["error"] for one in found["repositories"])
    if as_json:
        emit(found)
    else:
        from hdlgraph.serve.workspace.text import show_workspace

        show_workspace(found)
        for note in found["notes"]:
            say(f"hdlgraph: note: {note}")
    return FAILED if failed else 0
