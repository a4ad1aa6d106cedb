"""The bot's connection to Slack: tokens, proxies, breaks, and what leaves the machine."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from _servers import START, environment
from _slack import APP, BOT, Slack, bot, text_of, until

pytest.importorskip("slack_bolt")

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.project.resident import Resident
from hdlgraph.serve.slack.bot import connected
from hdlgraph.serve.slack.desk import Desk
from hdlgraph.serve.slack.tokens import API, Tokens

pytestmark = pytest.mark.usefixtures("no_keys", "no_proxy")


def test_slack_asks_for_a_pause(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        slack.limited = 1
        assert "*Files*" in text_of(slack.ask("where is the uart?"))


def test_refused_tokens_are_told(
    slack: Slack, indexed_soc: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    slack.refuse = "invalid_auth"
    with pytest.raises(UsageError, match="refuses the tokens or the app: invalid_auth"):
        connected(Desk(Resident(indexed_soc)), Tokens(BOT, APP), slack.api)
    with pytest.raises(HdlgraphError, match="cannot be reached"):
        connected(Desk(Resident(indexed_soc)), Tokens(BOT, APP), "http://127.0.0.1:9/api/")
    assert "secret" not in "".join(capfd.readouterr())


def test_only_three_calls_are_made(slack: Slack, indexed_soc: Path) -> None:
    """Nothing else leaves the machine: each token goes with the calls that need it."""
    with bot(slack, indexed_soc):
        slack.react(slack.ask("where is the uart?")["ts"])
    assert set(slack.calls) == {
        ("auth.test", f"Bearer {BOT}"),
        ("apps.connections.open", f"Bearer {APP}"),
        ("chat.postMessage", f"Bearer {BOT}"),
    }


def test_a_proxy_of_the_environment_is_taken(
    indexed_soc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proxy of this test refuses; without it nothing would be reached here either."""
    lines: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            with suppress(OSError):  # the test is over
                while True:
                    link, _ = listening.accept()
                    with link:
                        lines.append(link.recv(4_096))
                        link.sendall(b"HTTP/1.1 403 no\r\nContent-Length: 0\r\n\r\n")

        threading.Thread(target=refuse, daemon=True, name="stub-proxy").start()
        monkeypatch.setenv("HTTPS_PROXY", f"http://u:secret@127.0.0.1:{listening.getsockname()[1]}")
        with pytest.raises(HdlgraphError, match="cannot be reached") as told:
            connected(Desk(Resident(indexed_soc)), Tokens(BOT, APP), API)
    assert lines[0].startswith(b"CONNECT slack.com:443 ")
    assert "secret" not in str(told.value)


def test_the_command_answers_until_it_is_ended(slack: Slack, soc_words: Path, tmp_path) -> None:
    tokens = {"SLACK_BOT_TOKEN": BOT, "SLACK_APP_TOKEN": APP, "SLACK_CLIENT_ID": "1"}
    begun = subprocess.Popen(
        [*START, "slack", "--api", slack.api, "--index", str(soc_words)],
        env=environment(tmp_path, **tokens), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until(lambda: slack.links)
        assert "*Files*" in text_of(slack.ask("where is the uart?"))
        slack.drop()  # a connection that ends is made anew
        assert "*Files*" in text_of(slack.ask("where is the arbiter?"))
        begun.send_signal(signal.SIGTERM)
        _, said = begun.communicate(timeout=30)
    finally:
        begun.kill()
    assert begun.returncode == 0
    assert "slack: connected" in said
    assert "secret" not in said
    assert not Path(f"/proc/{begun.pid}").exists()
