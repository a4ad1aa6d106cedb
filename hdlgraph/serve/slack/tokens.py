"""The tokens of Slack: taken out of the environment, and kept out of every log."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible
from hdlgraph.serve.http.address import is_loopback

BOT = "SLACK_BOT_TOKEN"
"""The variable that holds the bot's token, by which it answers."""
APP = "SLACK_APP_TOKEN"
"""The variable that holds the app's token, by which the connection is opened."""
PREFIXES = {BOT: "xoxb-", APP: "xapp-"}
"""What each token begins with."""
API = "https://slack.com/api/"
"""The address of Slack."""
_OTHER = re.compile(r"SLACK_\w+")
_SECRET = re.compile(r"x(?:ox[a-z]|app)-[\w-]+|(?<=ticket=)[^&\s'\"]+|(?<=://)[^/\s@]+(?=@)")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Both tokens; they are not shown where the record is printed."""

    bot: str = field(repr=False)
    app: str = field(repr=False)


def take_tokens() -> Tokens:
    """Returns the tokens that the environment names, and takes them out of it.

    No child process has them then. Slack's library would take other settings from variables
    that begin with SLACK_ as well; these are taken out too.

    Raises:
        UsageError: one is not set, or is of another kind.
    """
    found = {name: os.environ.pop(name) for name in sorted(os.environ) if _OTHER.fullmatch(name)}
    return Tokens(_checked(found, BOT), _checked(found, APP))


def _checked(found: Mapping[str, str], name: str) -> str:
    token, prefix = found.get(name, "").strip(), PREFIXES[name]
    if not token:
        raise UsageError(f"{name}: is not set; docs/slack.md says where Slack shows it")
    if not re.fullmatch(rf"{prefix}[\w-]{{1,300}}", token, re.A):
        raise UsageError(f"{name}: is no such token; it begins with {prefix}")
    return token


def api_address(url: str) -> str:
    """Returns the address of Slack's API with a slash at its end.

    Raises:
        UsageError: the tokens would go to it unencrypted, or it is no address.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise UsageError(f"--api {visible(url)[:200]}: is no address") from None
    safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not host or not safe or parts.username or parts.query or parts.fragment:
        raise UsageError(f"--api {visible(_SECRET.sub('...', url))[:200]}: give an https address")
    return url.rstrip("/") + "/"


class Redacted(logging.Formatter):
    """Writes records of Slack's library as one line each, without anything secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line of a record."""
        return without_secrets(f"hdlgraph: slack: {record.getMessage()}")


def without_secrets(text: str) -> str:
    """Returns a text as one line without tokens, tickets of connections and names of users."""
    return visible(_SECRET.sub("...", text))[:500]


def quiet_log() -> logging.Logger:
    """Returns the log of Slack's library: its warnings and errors go to stderr, redacted."""
    log = logging.getLogger("hdlgraph.slack")
    log.setLevel(logging.WARNING)
    log.propagate = False
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(Redacted())
        log.addHandler(handler)
    return log
