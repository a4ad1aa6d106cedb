"""What people in Slack can ask of the bot: limits, escaped text, tokens that stay unseen."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest
from _slack import APP, BOT, Slack, bot, text_of, until

pytest.importorskip("slack_bolt")

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.results import Answer, Hit, SearchResult
from hdlgraph.serve.slack import desk as desks
from hdlgraph.serve.slack.limits import Rate, Recent
from hdlgraph.serve.slack.tokens import Redacted, api_address, take_tokens
from hdlgraph.serve.slack.words import CUT, asked, escaped, reply

pytestmark = pytest.mark.usefixtures("no_keys", "no_proxy")


def test_limits(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        assert text_of(slack.ask("x" * 1_001)) == desks.TOO_LONG
        assert text_of(slack.ask("?! <@U2>")) == desks.EMPTY
        assert text_of(slack.ask("x" * 1_000_000, user="U2")) == desks.TOO_LONG
        for _ in range(desks.A_MINUTE - 2):
            slack.ask("?")
        for _ in range(desks.NOTICES):
            assert text_of(slack.ask("where is the uart?")) == desks.TOO_OFTEN
        slack.mention("where is the uart?")  # nothing more is said
        assert "*Files*" in text_of(slack.ask("where is the uart?", user="U3"))


def test_a_question_too_many_is_told(
    slack: Slack, indexed_soc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "WAITING", 0)
    with bot(slack, indexed_soc) as desk:
        desk._working.acquire()
        desk._working.acquire()
        slack.mention("where is the uart?")
        slack.mention("where is the arbiter?")
        assert text_of(slack.ask("where is the fifo?")) == desks.BUSY
        desk._working.release()
        until(lambda: len(slack.posted) == 3)


def test_a_failure_tells_nothing_of_the_machine(slack: Slack, indexed_soc: Path) -> None:
    complaints: list[str] = []
    with bot(slack, indexed_soc, complaints):
        for path in (indexed_soc / ".hdlgraph").rglob("*"):
            if path.is_file():
                path.write_bytes(b"")
        assert text_of(slack.ask("where is the uart?")) == desks.FAILED
        assert complaints
        assert str(indexed_soc) not in json.dumps(slack.posted)


HOSTILE = "<!channel> <@U1> @here <https://evil.example|click> & `x` ``` *b* \u202e\x1b[31m"


def test_text_of_a_repository_is_no_command(soc: Path, slack: Slack) -> None:
    (soc / "rtl" / "evil.sv").write_text(
        f"// {HOSTILE}\n// pings everybody\nmodule evil_pinger(input a); // {HOSTILE}\nendmodule\n"
    )
    Project(soc).index(embeddings=False, graphrag="never", jobs=1)
    with bot(slack, soc):
        text = text_of(slack.ask("what is evil_pinger, which pings everybody?"))
    assert "evil_pinger" in text
    assert "&lt;!channel&gt;" in text
    assert "<" not in text
    assert ">" not in text
    assert not set("\u202e\x1b") & set(text)
    assert all(block_text["verbatim"] for block_text in texts(slack.posted[0]))


def texts(message: dict) -> list[dict]:
    blocks = message["blocks"]
    return [one for b in blocks for one in (b.get("text"), *b.get("elements", ())) if one]


def test_lines_are_escaped_and_cut() -> None:
    assert escaped("a<b>&c\td") == "a&lt;b&gt;&amp;c    d"
    assert "\n" not in escaped("a\nb")
    assert escaped("<" * 1_000).count("&lt;") == 299
    assert asked("<@UBOT> is <https://a.b|a.b> &lt;= 3\u202e&amp;\n?") == "is a.b <= 3 & ?"


def test_a_long_answer_fits_into_blocks() -> None:
    lines = [f"  {n}| assign a = ```{'&' * 200};" for n in range(400)]
    hit = Hit(1, "a`b<c>.sv", 3, 1.0, summary="*bold* `x`" * 50, why=("its text has: <a>",))
    worst = Hit(2, "&" * 900, 9, 1.0, summary="&" * 999, why=("&" * 999,))
    found = SearchResult("q", (hit, *[worst] * 9), 1, 1)
    message = reply(Answer("q", "\n".join(["first <!here>", "", *lines]), (), found))
    assert message["text"] == "first &lt;!here&gt;"
    assert len(message["blocks"]) <= 50
    assert all(0 < len(one["text"]) <= 3_000 for one in texts(message))
    assert CUT in text_of(message)
    assert all(one["text"].count("```") % 2 == 0 for one in texts(message))
    assert "`a'b&lt;c&gt;.sv:3`" in text_of(message)


def test_what_is_remembered_is_bounded() -> None:
    recent: Recent[int] = Recent(2)
    for number in range(5):
        assert recent.first((str(number),), number + 1_000)
        assert not recent.first((str(number),), 9)
    assert [recent.get((str(n),)) for n in range(5)] == [None, None, None, 1_003, 1_004]
    rate = Rate(2, 60)
    assert [rate.admits("u", now) for now in (0, 1, 2, 59, 60, 60.5, 61)] == [
        *(True, True, False, False), *(True, False, True)
    ]  # fmt: skip
    assert rate.admits("v", 2)


def test_tokens_come_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "other")
    with pytest.raises(UsageError, match="SLACK_BOT_TOKEN: is not set"):
        take_tokens()
    monkeypatch.setenv("SLACK_BOT_TOKEN", APP)
    with pytest.raises(UsageError, match="begins with xoxb-") as told:
        take_tokens()
    assert "secret" not in str(told.value)
    monkeypatch.setenv("SLACK_BOT_TOKEN", BOT)
    monkeypatch.setenv("SLACK_APP_TOKEN", APP)
    found = take_tokens()
    assert (found.bot, found.app) == (BOT, APP)
    assert "secret" not in repr(found)
    assert not [name for name in os.environ if name.startswith("SLACK_")]


def test_no_log_has_a_token() -> None:
    said = f"failed with {BOT} at wss://u:pw-secret@x/link?ticket=secret-t&a=1 and {APP}\x1b"
    record = logging.LogRecord("x", logging.ERROR, "", 1, said, (), None)
    line = Redacted().format(record)
    assert "secret" not in line
    assert line.startswith("hdlgraph: slack: failed with ... at wss://...@x/link?ticket=...&a=1")
    assert "\x1b" not in line


@pytest.mark.parametrize(
    "url", ["http://slack.example/api/", "https://", "x", "https://u:p@h/", "http://[", "file:///a"]
)
def test_tokens_do_not_go_to_an_open_address(url: str) -> None:
    with pytest.raises(UsageError, match="--api"):
        api_address(url)
    assert api_address("https://slack-gov.com/api") == "https://slack-gov.com/api/"
