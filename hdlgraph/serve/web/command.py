"""The command `serve`: the page and the REST interface of an index, until Ctrl-C."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from hdlgraph.serve.cli import options

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
    settings: options.SettingsFile = None,
) -> int:
    """Show the design in a browser: ask, read the sources, walk the hierarchy and the graph.

    The same answers are there for programs below /api/v1 (/api/v1/openapi.json describes them).
    """
    from hdlgraph.project.resident import Resident
    from hdlgraph.serve.http.address import address_of, bind
    from hdlgraph.serve.http.listen import listen
    from hdlgraph.serve.warm.server import warm_servers
    from hdlgraph.serve.web.app import application
    from hdlgraph.serve.web.kept import Shared
    from hdlgraph.serve.web.site import Site

    project = Resident.open(index, settings)
    opened, address = bind(address_of(host or (), port))
    with opened, closing(Site(project, address)) as site:
        site.warm()
        with warm_servers([Shared(project)], context.obj):
            listen(application(site), opened, address, admits=site.sessions.admits)
    return 0
