"""The connection to Slack: a WebSocket that this side opens, and one kind of message sent."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.serve.slack.tokens import Tokens, quiet_log, without_secrets

if TYPE_CHECKING:
    from slack_bolt import App
    from slack_sdk import WebClient

    from hdlgraph.serve.slack.desk import Desk

TIMEOUT = 30
"""Seconds for one call of Slack's API."""
PING = 5
"""Seconds between looks at the connection: one that broke is made anew after so long."""
WORKERS = 8
"""Threads for messages and reactions."""


def check_installed() -> None:
    """Raises UsageError where slack-bolt, an extra, is not installed."""
    if find_spec("slack_bolt") is None:
        raise UsageError("slack: needs slack-bolt; install it with `pip install 'hdlgraph[slack]'`")


class Connection(Protocol):
    """An open connection, as slack-bolt has it, with types."""

    def connect(self) -> None:
        """Opens it."""

    def close(self) -> None:
        """Closes it for good."""


def connected(desk: Desk, tokens: Tokens, api: str) -> Connection:
    """Returns the open connection; what comes over it is answered until it is closed.

    Args:
        desk: answers messages.
        tokens: of the bot and the app.
        api: address of Slack's API.

    Raises:
        UsageError: Slack refuses a token.
        HdlgraphError: Slack cannot be reached.
    """
    from slack_bolt.adapter.socket_mode import SocketModeHandler
    from slack_sdk.errors import SlackApiError

    log = quiet_log()
    try:
        app, web = _app(desk, tokens, api)
        handler: Connection = SocketModeHandler(
            app, tokens.app, logger=log, web_client=web, ping_interval=PING, concurrency=WORKERS
        )
        handler.connect()
    except SlackApiError as error:
        reason = without_secrets(str(error.response.get("error", "an error")))
        raise UsageError(
            f"Slack refuses the tokens or the app: {reason}; docs/slack.md has the app's manifest"
        ) from None
    except Exception as error:
        reason = without_secrets(f"{type(error).__name__}: {error}")
        raise HdlgraphError(f"Slack cannot be reached at {api}: {reason}") from None
    return handler


def _app(desk: Desk, tokens: Tokens, api: str) -> tuple[App, WebClient]:
    """Returns the app with its listeners, and the client of the API."""
    from slack_bolt import App
    from slack_sdk import WebClient
    from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

    log = quiet_log()
    web = WebClient(tokens.bot, base_url=api, timeout=TIMEOUT, logger=log)
    web.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=2))
    team = str(web.auth_test().get("team_id") or "")
    app = App(logger=log, client=web, token_verification_enabled=False)

    @app.event("app_mention")
    def mentioned(event: dict[str, Any], body: dict[str, Any]) -> None:
        _heard(desk, web, team, event, body)

    @app.event("message")
    def told(event: dict[str, Any], body: dict[str, Any]) -> None:
        if event.get("channel_type") == "im":  # in channels only who mentions the bot is answered
            _heard(desk, web, team, event, body)

    @app.event("reaction_added")
    def reacted(event: dict[str, Any]) -> None:
        if not _of_another_team(event, team):
            desk.reaction(event)

    return app, web


def _heard(
    desk: Desk, web: WebClient, team: str, event: dict[str, Any], body: dict[str, Any]
) -> None:
    """Has a message answered in its thread."""
    if _of_another_team(event, team):
        return

    def post(message: dict[str, Any]) -> str:
        sent = web.chat_postMessage(
            channel=str(event.get("channel")),
            thread_ts=event.get("thread_ts") or event.get("ts"),
            parse="none",
            link_names=False,
            unfurl_links=False,
            unfurl_media=False,
            **message,
        )
        return str(sent.get("ts") or "")

    desk.message(event, bool(body.get("is_ext_shared_channel")), post)


def _of_another_team(event: dict[str, Any], team: str) -> bool:
    """Returns whether somebody of another workspace speaks, as in channels that companies share."""
    teams = (event.get(name) for name in ("user_team", "source_team", "team"))
    return any(one and one != team for one in teams)
