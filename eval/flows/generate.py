"""Writes answers from passages: by quoting them, or by the configured language model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import msgspec

from hdlgraph.errors import BudgetError, EndpointError, UsageError
from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import clip_tokens, count_messages, count_tokens
from hdlgraph.prompts import prompt_text
from hdlgraph.query.documents.quotes import best_quotes

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdlgraph.model.passage import Passage
    from hdlgraph.project import Project

SPLIT = "---user---\n"
"""Line of a prompt that parts the rules (system message) from the rest."""
QUESTION = 4_000
"""Characters of a question that a model is shown."""
FRAME = 700
"""Tokens of rules and question beside the material."""
LEAST = 200
"""Tokens of material; below that nothing can be answered."""
QUERIES = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}


@dataclass
class Spent:
    """What a flow took: calls of the model, tokens in and out (o200k_base), calls that failed.

    Calls that an earlier run paid for count as if they were made now, so that runs compare.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failed: int = 0


class Generator(Protocol):
    """Writes the answers of all flows of a run."""

    name: str
    spent: Spent

    def answer(self, question: str, passages: Sequence[Passage]) -> str:
        """Returns the answer that some passages give, "" where the model failed."""
        ...


class Extractive:
    """Quotes the passages; asks no model.

    Args:
        rarity: gives the weight of a word's stem.
    """

    name = "extractive"

    def __init__(self, rarity: Callable[[str], float]) -> None:
        self._rarity = rarity
        self.spent = Spent()

    def answer(self, question: str, passages: Sequence[Passage]) -> str:
        """Returns the pieces of the passages that say most about the question, a line each."""
        found = best_quotes(question, [one.text for one in passages], self._rarity)
        return "\n".join(one.piece.text for one in found)


class ModelGenerator:
    """Asks the configured model.

    Args:
        project: whose settings name the endpoint; answers are kept in its index folder.

    Raises:
        UsageError: no model is configured.
    """

    def __init__(self, project: Project) -> None:
        if project.settings.llm.provider == "none":
            raise UsageError(
                "no language model is configured: name one in the `llm` section of a settings file "
                "and give that with --settings (or HDLGRAPH_SETTINGS)"
            )
        self._llm = project.settings.llm
        self._most = project.settings.ask.context_tokens
        self._session = project.session
        self._prompts = project.prompts
        self.name = self._llm.query_model
        self.spent = Spent()

    def answer(self, question: str, passages: Sequence[Passage]) -> str:
        """Returns what the model writes from the passages, "" where it failed."""
        system, _, user = prompt_text("passage_answer", self._prompts).partition(SPLIT)
        asked = quoted(question[:QUESTION], "passage")
        text = user.format(material=self._material(passages), question=asked)
        return self._prose("passage_answer", question, text, system.format().strip())

    def likely_passage(self, question: str) -> str:
        """Returns a made-up passage that might answer a question, "" where the model failed."""
        template = prompt_text("likely_passage", self._prompts)
        text = template.format(question=quoted(question[:QUESTION], "question"))
        return self._prose("likely_passage", question, text)

    def similar_questions(self, question: str, count: int) -> list[str]:
        """Returns at most `count` other questions for the same; none where the model failed."""
        template = prompt_text("similar_questions", self._prompts)
        asked = quoted(question[:QUESTION], "question")
        text = template.format(question=asked, count=count)
        call = msgspec.structs.replace(
            self._call("similar_questions", question, text), schema=QUERIES
        )

        def check(found: dict[str, object]) -> list[str]:
            questions = found.get("questions")
            if not isinstance(questions, list):
                raise ValueError('it has no list "questions"')
            lines = (one_line(one, 400) for one in questions if isinstance(one, str))
            return [one for one in lines if any(ch.isalnum() for ch in one)][:count]

        self._count(call)
        found = self._session.ask(Request(call, check))[0]
        if isinstance(found, Exception):
            self.spent.failed += 1
            return []
        self.spent.output_tokens += count_tokens(json.dumps(found, ensure_ascii=False))
        return list(found)

    def _material(self, passages: Sequence[Passage]) -> str:
        room = self._llm.context_tokens - self._llm.output_tokens - FRAME
        most = max(min(self._most, room) if self._llm.context_tokens else self._most, LEAST)
        each = max(most // max(len(passages), 1), 40)
        parts = []
        for number, one in enumerate(passages, 1):
            title = one_line(quoted(" > ".join((*one.crumbs, one.title)), "passage"), 300)
            text = clip_tokens(quoted(one.text, "passage"), each)
            parts.append(f"<passage>\n[{number}] {title}\n{text}\n</passage>")
        return "\n".join(parts)

    def _prose(self, stage: str, name: str, user: str, system: str = "") -> str:
        call = self._call(stage, name, user.strip(), system)
        self._count(call)
        try:
            text = "".join(self._session.client.stream(call))
        except (EndpointError, BudgetError) as error:
            kind = getattr(error, "kind", None)
            if kind is not None and kind.user_must_mend:
                raise UsageError(str(error)) from error
            self.spent.failed += 1
            return ""
        self.spent.output_tokens += count_tokens(text)
        return text.strip()

    def _call(self, stage: str, name: str, user: str, system: str = "") -> Call:
        return Call(
            stage=stage,
            name=one_line(name, 80),
            model=self._llm.query_model,
            system=system,
            user=user,
            max_tokens=self._llm.output_tokens,
        )

    def _count(self, call: Call) -> None:
        self.spent.calls += 1
        self.spent.input_tokens += count_messages(call)
