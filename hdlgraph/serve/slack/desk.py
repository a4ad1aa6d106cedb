"""What the bot does with a message and with a reaction; it knows nothing of the connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import EndpointError, HdlgraphError, UsageError
from hdlgraph.serve.slack.limits import Rate, Recent
from hdlgraph.serve.slack.words import asked, reply

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.answer.chat.conversation import Conversation

LONGEST = 1_000
"""Characters of a question."""
A_MINUTE = 10
"""Questions of one user within a minute; reactions are counted by themselves, three times that."""
NOTICES = 2
"""Times within a minute that one user is told why there is no answer."""
AT_ONCE = 2
"""Questions that are worked on at one time."""
WAITING = 16
"""Questions that may wait besides."""
THREADS = 500
"""Conversations that are remembered."""
ANSWERS = 5_000
"""Answers whose reactions are understood."""
UP = frozenset({"+1", "thumbsup"})
DOWN = frozenset({"-1", "thumbsdown"})
"""Reactions that say that the first file is the right one, or not."""

TOO_LONG = f"The question is too long; {LONGEST:,} characters are read at most."
TOO_OFTEN = f"Please wait a moment: {A_MINUTE} questions a minute are answered for each of you."
BUSY = "Too many questions wait just now; please ask again in a minute."
EMPTY = "Ask a question about the design, for instance: where is the write buffer drained?"
FAILED = "This could not be answered just now; who runs hdlgraph here sees why."
NOT_HERE = "hdlgraph does not answer in this channel."

Post = Callable[[dict[str, Any]], str]
"""Sends a message into the thread; returns its time stamp, by which Slack names it."""


@dataclass(slots=True)
class Talk:
    """The conversation of one thread; one question of it is answered at a time."""

    conversation: Conversation
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class Posted:
    """An answer that was sent: the question as it was searched, and the first file."""

    question: str
    path: str


class Desk:
    """Answers messages about one project.

    Args:
        project: whose index answers; it must bear several threads.
        channels: the only channels that are answered; empty takes all that the bot was invited to
            and that no other company shares.
        complain: told what only the one who runs the bot may see.
    """

    def __init__(
        self,
        project: Project,
        channels: Collection[str] = (),
        complain: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._project = project
        self._channels = frozenset(channels)
        self._complain = complain
        self._talks: Recent[Talk] = Recent(THREADS)
        self._posted: Recent[Posted] = Recent(ANSWERS)
        self._seen: Recent[object] = Recent(ANSWERS)
        self._asks, self._judges = Rate(A_MINUTE), Rate(3 * A_MINUTE)
        self._notices = Rate(NOTICES)
        # A model's client tells of its last call: one answer at a time.
        modelled = project.settings.llm.provider != "none"
        self._working = threading.BoundedSemaphore(1 if modelled else AT_ONCE)
        self._places = threading.BoundedSemaphore(AT_ONCE + WAITING)

    def message(self, event: Mapping[str, Any], shared: bool, post: Post) -> None:
        """Answers a message in its thread, once.

        Args:
            event: as Slack tells it.
            shared: whether people of another company read the channel.
            post: sends the answer.
        """
        channel, stamp = str(event.get("channel", "")), str(event.get("ts", ""))
        user, text = str(event.get("user", "")), str(event.get("text") or "")
        if event.get("bot_id") or event.get("subtype") or not (channel and stamp and user):
            return
        if not self._seen.first((channel, stamp), object()):
            return  # Slack sends an event again where it was not sure
        refused = self._refused(channel, user, text, shared)
        if refused:
            if refused not in (NOT_HERE, TOO_OFTEN) or self._notices.admits(user):
                post({"text": refused})
            return
        if not self._places.acquire(blocking=False):
            post({"text": BUSY})
            return
        try:
            thread = (channel, str(event.get("thread_ts") or stamp))
            self._answer(thread, asked(text), post)
        finally:
            self._places.release()

    def _refused(self, channel: str, user: str, text: str, shared: bool) -> str:
        """Returns why a message is not answered, "" where it is."""
        if channel not in self._channels if self._channels else shared:
            return NOT_HERE
        if not self._asks.admits(user):
            return TOO_OFTEN
        if len(text) > LONGEST * 6 or len(asked(text)) > LONGEST:  # "&amp;" is one character
            return TOO_LONG
        return "" if any(ch.isalnum() for ch in asked(text)) else EMPTY

    def _answer(self, thread: tuple[str, str], question: str, post: Post) -> None:
        talk = self._talks.get(thread) or self._talks.setdefault(thread, Talk(self._project.chat()))
        try:
            with talk.lock, self._working:
                answer = talk.conversation.ask(question)
                searched = talk.conversation.turns[-1].asked
        except (HdlgraphError, OSError) as error:
            kind = "a model" if isinstance(error, EndpointError) else "the index"
            self._complain(f"a question was not answered, for {kind}: {error}")
            post({"text": FAILED})
            return
        stamp = post(reply(answer, searched if searched != question else ""))
        if answer.result.hits:
            self._posted.setdefault(
                (thread[0], stamp), Posted(searched, answer.result.hits[0].path)
            )

    def reaction(self, event: Mapping[str, Any]) -> dict[str, Any] | None:
        """Keeps what a reaction says about the first file of an answer; returns the record.

        None where it is no thumb, stands at no answer of this process, or was counted already.
        """
        item, user = event.get("item") or {}, str(event.get("user", ""))
        place = (str(item.get("channel", "")), str(item.get("ts", "")))
        name = str(event.get("reaction", "")).partition("::")[0]
        posted = self._posted.get(place)
        if posted is None or name not in UP | DOWN or not self._judges.admits(user):
            return None
        verdict = "up" if name in UP else "down"
        if not self._seen.first((*place, user, verdict), object()):
            return None
        try:
            return self._project.judge(posted.question, posted.path, verdict, "slack")
        except UsageError as error:
            self._complain(f"a judgement was not kept: {error}")
            return None
