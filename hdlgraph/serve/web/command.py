"""The command `serve`: the page and the REST interface of an index, until Ctrl-C."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hdlgraph.serve.cli import options

if TYPE_CHECKING:
    from hdlgraph.project.workspace import Workspace

PORT = 8650
"""The port unless another is named."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(serve)


def serve(
    context: typer.Context,
    index: options.Index = None,
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Where to listen (127.0.0.1); another needs a token, HDLGRAPH_TOKEN. Given"
            " again: further names that requests may use.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port; 0 takes a free one.")
    ] = PORT,
    workspace: options.WorkspaceFile = None,
    settings: options.SettingsFile = None,
) -> int:
    """Show the design in a browser: ask, read the sources, walk the hierarchy and the graph.

    The same answers are there for programs below /api/v1 (/api/v1/openapi.json describes them).
    With --workspace the repositories of the file are asked together at /workspace and below
    /api/v1/workspace; the other pages show --index, else the first of them.
    """
    from hdlgraph.project.resident import Resident
    from hdlgraph.serve.http.address import address_of, bind
    from hdlgraph.serve.http.listen import listen
    from hdlgraph.serve.warm.server import warm_servers
    from hdlgraph.serve.web.app import application
    from hdlgraph.serve.web.kept import Shared
    from hdlgraph.serve.web.site import Site

    several = _workspace(workspace, settings) if workspace else None
    if several is not None and index is None:
        index = several.members.entries[several.names[0]].index
    project = Resident.open(index, settings)
    opened, address = bind(address_of(host or (), port))
    with opened, closing(Site(project, address, several)) as site:
        site.warm()
        with warm_servers([Shared(project)], context.obj):
            listen(application(site), opened, address, admits=site.sessions.admits)
    return 0


def _workspace(file: Path, settings: Path | None) -> Workspace:
    """Returns a workspace whose indexes stay open, each loaded when it is first asked."""
    from hdlgraph.project.resident.several import resident_workspace

    return resident_workspace(file, settings)
