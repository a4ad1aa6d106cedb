"""Holds a conversation: each follow-up becomes a question that stands by itself, then is asked.

A model makes them do so; without one, or when it fails, a rule does: a question that points back
("what resets it?") takes over the last question's words and the names of its best files, one that
is merely short ("and the receiver?") the words alone, since a name would pull the former file back
in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import EndpointError
from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model.passage import Routing
from hdlgraph.prompts import prompt_text
from hdlgraph.query.answer.page import NOWHERE
from hdlgraph.query.assist.assisted import Asks
from hdlgraph.query.assist.reword import MAX_ASKED, echoes
from hdlgraph.results import Answer
from hdlgraph.settings.records import LlmSettings
from hdlgraph.words import STOP_WORDS, words

OnText = Callable[[str], None]
HISTORY_TOKENS = 1500  # of the turns that the model is shown
ANSWER_TOKENS = 150  # of one answer in them
MAX_TURNS = 50  # kept
MAX_CHARS = 600  # of a question that stands by itself
CARRIED = 8  # words that the rule takes over
WHOLE = 2  # content words, from which a question counts as whole
OWN = 3  # content words, after which "it" points at what the question says itself
_SINGULAR = re.compile(r"\b(it|its|itself|this|that|there)\b", re.I)
_PLURAL = re.compile(r"\b(they|them|their|these|those)\b", re.I)
_NO_POINTER = re.compile(
    r"\b(is|are|was|were) there\b"
    r"|\b(this|that|these|those) (?=repo\w*|design\b|project\b|chip\b)"
    r"|(?<=[a-z]) that (?=[a-z]+s\b|is\b|are\b|has\b|can\b)",
    re.I,
)
"""Phrases in which these words point at nothing said before: "is there a", "the unit that"."""
_OF_ALL = re.compile(
    r"^\s*(?:is|are|was|were) there\b|\b(?:this|the whole) (?:repo\w*|design|project|chip)\b", re.I
)
"""A question about all of a design, which is whole however short it is."""
_NOWHERE = re.compile(rf"{NOWHERE}(.*?)\.(?=\s|$)")
_CONTINUES = re.compile(r"\s*(and|but|or|also|then|so|what about|how about)\b", re.I)
_FILLER = frozenset(
    ["else", "about", "instead", "again", "too", "ok", "okay", "please", "thanks", "yes", "mean"]
)
SCHEMA = {
    "type": "object",
    "properties": {"standalone": {"type": "string"}},
    "required": ["standalone"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What was typed, what was asked for it, and the answer."""

    typed: str
    asked: str
    answer: Answer


Direct = Callable[[str, Sequence[Turn]], tuple[str, Routing | None, list[str]]]


@dataclass(frozen=True, slots=True)
class FollowUpModel:
    """The model that makes follow-ups stand by themselves."""

    session: Asks
    llm: LlmSettings
    prompts: Path | None = None


class Conversation:
    """Questions one after the other; `turns` are those since the start or the last `reset`.

    Args:
        answer: answers a question that stands by itself, passing pieces of text on as they come.
        model: makes follow-ups stand by themselves; None uses the rule.
        direct: asks a model in one call what the question is by itself and which lists answer it:
            (text, turns) to (question, routing, notes), the routing None where the call failed.
            `answer` is then called with the routing as well.
    """

    def __init__(
        self,
        answer: Callable[..., Answer],
        model: FollowUpModel | None = None,
        direct: Direct | None = None,
    ) -> None:
        self.turns: list[Turn] = []
        self._answer = answer
        self._model = model
        self._direct = direct

    def ask(self, text: str, on_text: OnText | None = None) -> Answer:
        """Returns the answer to a question or a follow-up; what was searched stands in the notes.

        A question that fails leaves the conversation as it was.

        Args:
            text: as typed.
            on_text: called with pieces of the answer as they come.

        Raises:
            UsageError: the text is empty.
        """
        if self._direct is None or not any(ch.isalnum() for ch in text):
            asked, notes = self.standalone(text)
            answer = self._answer(asked, on_text)
        else:
            asked, routing, notes = self._direct(text, self.turns)
            if routing is None and self.turns:
                asked = follow_up(text, self.turns[-1])
            answer = self._answer(asked, on_text, routing)
        if asked != text:
            notes.append(f"understood as: {asked}")
        answer = msgspec.structs.replace(answer, notes=(*notes, *answer.notes))
        self.turns = [*self.turns, Turn(text, asked, answer)][-MAX_TURNS:]
        return answer

    def standalone(self, text: str) -> tuple[str, list[str]]:
        """Returns (the question that stands by itself, notes)."""
        if not self.turns or not any(ch.isalnum() for ch in text):
            return text, []
        if self._model is None:
            return follow_up(text, self.turns[-1]), []
        (found,) = self._model.session.ask(
            stand_alone(text, self.turns, self._model.llm, self._model.prompts)
        )
        if isinstance(found, EndpointError):
            return follow_up(text, self.turns[-1]), [f"follow-up read by rule: {found}"]
        return found, []

    def reset(self) -> None:
        """Forgets the turns."""
        self.turns = []


def stand_alone(
    text: str, turns: Sequence[Turn], llm: LlmSettings, prompts: Path | None = None
) -> Request[str]:
    """Returns the request that makes a follow-up stand by itself."""
    template = prompt_text("follow_up", prompts)
    call = Call(
        stage="chat",
        name=one_line(text, 80),
        model=llm.query_model,
        user=template.format(
            history=history(turns), question=quoted(text[:MAX_ASKED], "question", "conversation")
        ),
        schema=SCHEMA,
        max_tokens=llm.output_tokens,
    )
    return Request(call, lambda found: check(found, template))


def check(found: dict[str, Any], template: str = "") -> str:
    """Returns the question in a model's object.

    Raises:
        ValueError: there is none, or it is copied from the prompt.
    """
    value = found.get("standalone")
    text = one_line(value, MAX_CHARS) if isinstance(value, str) else ""
    if not any(ch.isalnum() for ch in text) or echoes(text, template):
        raise ValueError('"standalone" is not a question')
    return text


def history(turns: Sequence[Turn], tokens: int = HISTORY_TOKENS) -> str:
    """Returns the last turns that fit into `tokens`, oldest first; answers are clipped."""
    turns_kept: list[str] = []
    left = tokens
    for turn in reversed(turns):
        typed = clip_tokens(one_line(turn.asked, MAX_ASKED), ANSWER_TOKENS)
        text = clip_tokens(one_line(turn.answer.text, MAX_ASKED), ANSWER_TOKENS)
        files = ", ".join(one_line(path, 120) for path in best_files(turn, 3))
        part = quoted(
            f"Question: {typed}\nFiles: {files}\nAnswer: {text}", "conversation", "question"
        )
        left -= count_tokens(part) + 1
        if left < 0:
            break
        turns_kept.append(part)
    return "\n".join(reversed(turns_kept))


def best_files(turn: Turn, count: int) -> list[str]:
    """Returns the paths of a turn's first hits."""
    return [hit.path for hit in turn.answer.result.hits[:count]]


def follow_up(text: str, last: Turn) -> str:
    """Returns the question with what it leaves out taken from the last turn, by rule."""
    own = content_words(text)
    files = _pointed_at(text)
    whole = len(own) >= WHOLE or any("_" in word or "." in word for word in own)
    whole = whole or bool(own and _OF_ALL.search(text))
    if not files and whole and not _CONTINUES.match(text):
        return text
    carried = [path.rsplit("/", 1)[-1] for path in best_files(last, files)]
    known = {word.lower() for word in own}
    # Names that the rule itself put there stood for an older "it".
    words = [w for w in content_words(last.asked) if w in last.typed or "." not in w]
    nowhere = _NOWHERE.match(last.answer.text)
    words = [w for w in words if not nowhere or w not in nowhere[1].split(", ")]
    carried += [w for w in words if w.lower() not in known][:CARRIED]
    carried = list(dict.fromkeys(carried))
    return f"{text.strip()} ({', '.join(carried)})" if carried else text


def _pointed_at(text: str) -> int:
    """Returns how many of the last files a question points back at: 0, 1 or 3."""
    plain = _NO_POINTER.sub(lambda m: "-" * len(m[0]), text)
    for pattern, count in ((_PLURAL, 3), (_SINGULAR, 1)):
        found = pattern.search(plain)
        if found and len(content_words(text[: found.start()])) < OWN:
            return count
    return 0


def content_words(text: str) -> list[str]:
    """Returns the words and file names of a question that carry its topic, once each."""
    found = [m[0] for m in re.finditer(r"[\w$]+\.s?vh?\b", text)]
    rest = re.sub(r"[\w$]+\.s?vh?\b", " ", text)
    found += [w for w in words(rest) if w.lower() not in STOP_WORDS | _FILLER]
    return list(dict.fromkeys(found))
