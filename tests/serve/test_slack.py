"""The bot in Slack, with the real client against a stand-in of Slack's server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _slack import CHANNEL, Slack, bot, text_of, until

pytest.importorskip("slack_bolt")

from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.serve.slack import desk as desks

pytestmark = pytest.mark.usefixtures("no_keys", "no_proxy")

ARBITER = "rtl/bus_arbiter.sv"


def test_a_mention_is_answered_in_its_thread(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        stamp = slack.mention("which unit grants the bus to one of several hosts?")
        until(lambda: slack.posted)
        sent = slack.posted[0]
        assert (sent["channel"], sent["thread_ts"]) == (CHANNEL, stamp)
        text = text_of(sent)
        assert "*Files*" in text
        assert f"1. `{ARBITER}:" in text
        assert f"[{ARBITER}:" in text
        assert sent["parse"] == "none"
        assert not sent["link_names"]
        assert not sent["unfurl_links"]
        assert all(len(b.get("text", {}).get("text", "")) <= 3_000 for b in sent["blocks"])


def test_follow_ups_are_understood_by_thread(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        first = slack.mention("what does bus_arbiter do?")
        until(lambda: slack.posted)
        second = slack.ask("who instantiates it?", first)
        assert second["thread_ts"] == first
        assert "understood as: who instantiates bus_arbiter?" in text_of(second)
        assert "soc_top" in text_of(second)
        other = slack.ask("who instantiates it?")
        assert "understood as" not in text_of(other)


def test_a_direct_message_is_answered_and_others_are_not(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        plain = {"type": "message", "user": "U1", "channel": CHANNEL, "text": "where is the uart?"}
        slack.send({**plain, "ts": "1.1", "channel_type": "channel"})
        slack.mention("where is the uart?", bot_id="B9")
        slack.mention("where is the uart?", subtype="message_changed")
        slack.mention("where is the uart?", user_team="T2")
        slack.send({**plain, "ts": "1.2", "channel": "D1", "channel_type": "im"})
        until(lambda: slack.posted)
        slack.send({**plain, "ts": "1.2", "channel": "D1", "channel_type": "im"})  # again
        slack.ask("where is the uart?")
        assert [sent["channel"] for sent in slack.posted] == ["D1", CHANNEL]


def test_channels_of_two_companies_are_not_answered(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc):
        assert text_of(slack.ask("where is the uart?", shared=True)) == desks.NOT_HERE
    with bot(slack, indexed_soc, channels=[CHANNEL]):
        assert "*Files*" in text_of(slack.ask("where is the uart?", shared=True))
        assert text_of(slack.ask("where is the uart?", channel="C2")) == desks.NOT_HERE


def test_thumbs_are_a_question_set(slack: Slack, indexed_soc: Path) -> None:
    with bot(slack, indexed_soc) as desk:
        question = "which unit grants the bus to one of several hosts?"
        sent = slack.ask(question)
        for name in ("tada", "+1::skin-tone-2", "+1", "-1"):
            slack.react(sent["ts"], name)
        slack.react("12.34", "+1")
        slack.react(sent["ts"], "thumbsup", user="U2")
        judged = desk._project.judgements()
        until(lambda: len(judged.listed()) == 3)
        assert sorted(one["verdict"] for one in judged.listed()) == ["down", "up", "up"]
        (first, second) = [json.loads(line) for line in judged.path.read_text().splitlines()]
        assert first["question"] == question
        assert first["relevant"] == second["relevant"] == [ARBITER]
        assert "U1" not in judged.path.read_text()
        assert [one.relevant for one in read_questions(judged.path)]
