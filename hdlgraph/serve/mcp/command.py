"""The command for language models: mcp."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say

if TYPE_CHECKING:
    from hdlgraph.serve.warm.kept import Kept

Repositories = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME=INDEX",
        help="Repositories: NAME=INDEX, or INDEX alone, which has its folder's name; an INDEX is "
        "as of --index. Without any, the nearest index.",
    ),
]
Host = Annotated[
    list[str] | None,
    typer.Option(
        "--host",
        metavar="HOST",
        help="Listen here instead of 127.0.0.1, which needs HDLGRAPH_TOKEN; given again: a further"
        " name that requests may use.",
    ),
]
Port = Annotated[int, typer.Option("--port", metavar="N", help="Port; 0 takes a free one.")]


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(mcp)


def mcp(
    context: typer.Context,
    repositories: Repositories = None,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP instead of stdio.")] = False,
    host: Host = None,
    port: Port = 8765,
    setup: Annotated[
        bool, typer.Option("--setup", help="Print what each client's configuration needs.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="With --setup and --client: write it there, beside what is there."
        ),
    ] = False,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="NAME", help="With --setup: only this client."),
    ] = None,
    agents_md: Annotated[
        bool, typer.Option("--agents-md", help="Print a text for AGENTS.md on the commands.")
    ] = False,
    index: Annotated[
        list[Path] | None,
        typer.Option(
            "--index",
            metavar="DIR",
            help="Index folder, or a repository that has one; may be given several times.",
        ),
    ] = None,
    workspace: options.WorkspaceFile = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Serve the index to language models: tools over the Model Context Protocol.

    Over stdio, as coding agents start it, or with --http. All tools only read. With --workspace,
    calls that name no repository ask all of the file's at once.
    """
    needs = (
        ("--host", host, "--http"),
        ("--write", write, "--setup"),
        ("--client", client, "--setup"),
    )
    for option, given, other in needs:
        if given and not (http or setup):
            raise UsageError(f"{option} needs {other}")
    if workspace is not None and (repositories or index):
        raise UsageError("--workspace names the repositories: give no others beside it")
    if agents_md:
        from hdlgraph.serve.mcp.agents import AGENTS

        if as_json:
            emit({"schema": 1, "text": AGENTS})
        else:
            typer.echo(AGENTS, nl=False)
        return 0
    if setup:
        return _setup(repositories or [], index or [], client or [], write, as_json, workspace)
    if as_json:
        raise UsageError("--json: needs --setup or --agents-md; the server speaks JSON-RPC")
    kept = _kept(repositories or [], index or [], workspace, settings)
    from hdlgraph.serve.mcp import run
    from hdlgraph.serve.warm.server import warm_servers

    with warm_servers(kept.values(), context.obj):
        if http:
            from hdlgraph.serve.http.address import address_of

            run.run_http(kept, address_of(host or (), port))
        else:
            run.run_stdio(kept)
    if not http:
        _leave()
    return 0


def _kept(
    repositories: list[str], index: list[Path], workspace: Path | None, settings: Path | None
) -> dict[str, Kept]:
    """Returns the repositories of the server by name."""
    from hdlgraph.serve.mcp.repositories import repositories_of
    from hdlgraph.serve.mcp.several import KeptWorkspace

    if workspace is not None:
        return KeptWorkspace(workspace, settings)
    return repositories_of(repositories, index, settings)


def _leave() -> None:
    """Ends the process at once: a call of a client that has left must not be waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _setup(
    repositories: list[str],
    index: list[Path],
    clients: list[str],
    write: bool,
    as_json: bool,
    workspace: Path | None,
) -> int:
    """Prints, or writes, what the clients' configurations need; returns the exit code."""
    from hdlgraph.serve.mcp import setup

    if write and not clients:
        known = ", ".join(one.name for one in setup.CLIENTS)
        raise UsageError(f"--write: name each client to configure with --client; known: {known}")
    chosen = setup.chosen(clients)
    arguments = setup.arguments_of(repositories, index)
    if workspace is not None:
        arguments += ["--workspace", str(workspace.resolve())]
    entries = [setup.written(one, arguments, Path.cwd()) for one in chosen] if write else []
    if as_json:
        configurations = entries or [setup.configuration(one, arguments) for one in chosen]
        emit({"schema": 1, "clients": configurations})
        return 0
    for done in entries:
        say(f"{done['client']}: {done['did']} {done['file']}")
    for one in () if write else chosen:
        configuration = setup.configuration(one, arguments)
        typer.echo(
            f"# {configuration['client']}: {configuration['file']}\n{configuration['text']}\n"
        )
    return 0
