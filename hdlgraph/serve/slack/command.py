"""The command `slack`: answers questions in Slack, until Ctrl-C."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import say


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(slack)


def slack(
    index: options.Index = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Answer in this channel only (C0123456789); may be given several times.",
        ),
    ] = None,
    api: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address of Slack's API, where it is not slack.com."),
    ] = None,
    settings: options.SettingsFile = None,
) -> int:
    """Answer questions in Slack: mention the bot, and its answer comes in the thread.

    Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN in the environment (docs/slack.md).
    """
    from hdlgraph.project.resident import Resident
    from hdlgraph.serve.slack.bot import check_installed, connected
    from hdlgraph.serve.slack.desk import Desk
    from hdlgraph.serve.slack.tokens import API, api_address, take_tokens, without_secrets

    check_installed()
    address, tokens = api_address(api or API), take_tokens()
    project = Resident.open(index, settings)
    project.warm()
    desk = Desk(project, channel or (), lambda text: say(f"hdlgraph: {without_secrets(text)}"))
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    handler = connected(desk, tokens, address)
    try:
        say("hdlgraph: slack: connected; Ctrl-C ends")
        ended.wait()
    finally:
        handler.close()
    return 0
