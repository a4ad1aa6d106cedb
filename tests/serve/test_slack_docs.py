"""docs/slack.md: its figures, its manifest and its command are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from hdlgraph.serve.slack import desk, words
from hdlgraph.serve.slack.tokens import APP, BOT, PREFIXES, api_address

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "slack.md").read_text("utf-8")
CODE = "".join(path.read_text("utf-8") for path in (ROOT / "hdlgraph/serve/slack").glob("*.py"))


def test_its_figures_are_those_of_the_code() -> None:
    assert f"| {desk.LONGEST:,} characters |" in PAGE
    assert f"| {desk.A_MINUTE} a minute |" in PAGE
    assert f"| {desk.AT_ONCE} are worked on (1 with a language model), {desk.WAITING} wait" in PAGE
    assert f"| {words.FILES} |" in PAGE
    assert f"| {words.SECTIONS} blocks of {words.SECTION:,} characters" in PAGE
    assert f"the last {desk.THREADS} threads, the last {desk.ANSWERS:,} answers" in PAGE


def test_the_manifest_asks_for_what_the_bot_uses_and_no_more() -> None:
    manifest = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.S)[1])  # type: ignore[index]
    assert manifest["settings"]["socket_mode_enabled"]
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])
    heard = set(re.findall(r'@app\.event\("(\w+)"\)', CODE))
    assert {event.partition(".")[0] for event in events} == heard
    scopes = {"app_mentions:read", "im:history", "reactions:read", "chat:write"}
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == scopes
    assert "user" not in manifest["oauth_config"]["scopes"]


def test_its_tokens_and_addresses_are_understood() -> None:
    for name in (BOT, APP):
        assert f"{name}={PREFIXES[name]}..." in PAGE
    for url in re.findall(r"`(https://\S+/api/)`", PAGE):
        assert api_address(url) == url
