"""Holds a conversation: each follow-up becomes a question that stands by itself, then is asked.

A model makes them do so; without one, or when it fails, the rule of `follow_up.py` does.
"""

from __future__ import annotations

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
from hdlgraph.query.answer.chat.follow_up import Turn, Units, best_files, follow_up
from hdlgraph.query.assist.assisted import Asks
from hdlgraph.query.assist.reword import MAX_ASKED, echoes
from hdlgraph.results import Answer
from hdlgraph.settings.records import LlmSettings

OnText = Callable[[str], None]
HISTORY_TOKENS = 1500  # of the turns that the model is shown
ANSWER_TOKENS = 150  # of one answer in them
MAX_TURNS = 50  # kept
MAX_CHARS = 600  # of a question that stands by itself
SCHEMA = {
    "type": "object",
    "properties": {"standalone": {"type": "string"}},
    "required": ["standalone"],
    "additionalProperties": False,
}


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
        units: gives the units of the design that a question names; None knows none.
    """

    def __init__(
        self,
        answer: Callable[..., Answer],
        model: FollowUpModel | None = None,
        direct: Direct | None = None,
        units: Units | None = None,
    ) -> None:
        self.turns: list[Turn] = []
        self._answer = answer
        self._model = model
        self._direct = direct
        self._units = units

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
                asked = follow_up(text, self.turns[-1], self._units)
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
            return follow_up(text, self.turns[-1], self._units), []
        (found,) = self._model.session.ask(
            stand_alone(text, self.turns, self._model.llm, self._model.prompts)
        )
        if isinstance(found, EndpointError):
            read = follow_up(text, self.turns[-1], self._units)
            return read, [f"follow-up read by rule: {found}"]
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
