"""Asks a model, in one call, what a question means by itself and which lists answer it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.prompts import prompt_text
from hdlgraph.query.answer.chat.conversation import MAX_CHARS, history
from hdlgraph.query.answer.chat.follow_up import Turn
from hdlgraph.query.assist.reword import MAX_ASKED, echoes
from hdlgraph.query.documents.routing import KINDS
from hdlgraph.settings.records import LlmSettings

MARKS = ("question", "conversation", "domains")
DOMAINS = 150
"""Names of domains that the model is shown."""
CHOSEN = 3
"""Domains that it may name."""
SCHEMA = {
    "type": "object",
    "properties": {
        "standalone": {"type": "string"},
        "kinds": {"type": "array", "items": {"type": "string", "enum": list(KINDS)}},
        "domains": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["standalone", "kinds", "domains"],
    "additionalProperties": False,
}


class Directed(NamedTuple):
    """What a model says of a question; `kinds` has the most useful list first."""

    standalone: str
    kinds: tuple[str, ...]
    domains: tuple[str, ...]


def direct(
    question: str,
    turns: Sequence[Turn],
    domains: Sequence[str],
    llm: LlmSettings,
    prompts: Path | None = None,
) -> Request[Directed]:
    """Returns the request; `prompts` is the project's own folder.

    Args:
        question: as typed.
        turns: what was said before, none for a first question.
        domains: what the documents are about; the names come from the repository.
        llm: the model.
        prompts: the user's own prompts.
    """
    template = prompt_text("route", prompts)
    names = "\n".join(one_line(name, 60) for name in domains[:DOMAINS])
    call = Call(
        stage="route",
        name=one_line(question, 80),
        model=llm.query_model,
        user=template.format(
            history=quoted(history(turns), "domains"),
            domains=quoted(names, *MARKS),
            question=quoted(question[:MAX_ASKED], *MARKS),
        ),
        schema=SCHEMA,
        max_tokens=llm.output_tokens,
    )
    return Request(call, lambda found: check(found, domains, template))


def check(found: dict[str, Any], domains: Sequence[str], template: str = "") -> Directed:
    """Returns what a model's object says; unknown kinds and domains are left out.

    Raises:
        ValueError: it names no kind, or its question is none or copied from the prompt.
    """
    value = found.get("standalone")
    text = one_line(value, MAX_CHARS) if isinstance(value, str) else ""
    if not any(ch.isalnum() for ch in text) or echoes(text, template):
        raise ValueError('"standalone" is not a question')
    kinds = tuple(dict.fromkeys(one for one in _texts(found.get("kinds")) if one in KINDS))
    if not kinds:
        raise ValueError(f'"kinds" names none of {", ".join(KINDS)}')
    known = {name.lower(): name for name in domains}
    named = dict.fromkeys(
        known.get(one.strip().lower(), "") for one in _texts(found.get("domains"))
    )
    return Directed(text, kinds, tuple(filter(None, named))[:CHOSEN])


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
