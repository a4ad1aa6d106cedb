"""Puts a question in a designer's words, by a model (query rewriting)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.prompts import prompt_text
from hdlgraph.settings.records import LlmSettings

MAX_TERMS = 8
MAX_CHARS = 600  # of the reworded question
TERM_CHARS = 60
ECHO_WORDS = 4  # fewer may well be words of both the prompt and the answer
MAX_ASKED = 4000  # characters of a question that are sent; the search reads no more either
SCHEMA = {
    "type": "object",
    "properties": {
        "rewritten": {"type": "string"},
        "terms": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["rewritten", "terms"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Rewording:
    """A question in other words; `terms` are at most MAX_TERMS, without repetition."""

    rewritten: str
    terms: tuple[str, ...]

    @property
    def text(self) -> str:
        """Returns what is searched: the reworded question followed by the terms."""
        return f"{self.rewritten} ({', '.join(self.terms)})" if self.terms else self.rewritten


def call_about(
    stage: str, question: str, template: str, schema: dict[str, Any], llm: LlmSettings
) -> Call:
    """Returns the call that puts a question into a prompt and asks for one object."""
    return Call(
        stage=stage,
        name=one_line(question, 80),
        model=llm.query_model,
        user=template.format(question=quoted(question[:MAX_ASKED], "question")),
        schema=schema,
        max_tokens=llm.output_tokens,
    )


def reword(question: str, llm: LlmSettings, prompts: Path | None = None) -> Request[Rewording]:
    """Returns the request that rewords a question; `prompts` is the project's own folder."""
    template = prompt_text("reword", prompts)
    call = call_about("reword", question, template, SCHEMA, llm)
    return Request(call, lambda found: check(found, template))


def check(found: dict[str, Any], template: str = "") -> Rewording:
    """Returns the rewording in a model's object.

    Raises:
        ValueError: it has no reworded question, or repeats the prompt's words for one.
    """
    rewritten = found.get("rewritten")
    text = one_line(rewritten, MAX_CHARS) if isinstance(rewritten, str) else ""
    if not any(ch.isalnum() for ch in text):
        raise ValueError('"rewritten" is not a question')
    if echoes(text, template):
        raise ValueError('"rewritten" repeats the form instead of filling it')
    given = found.get("terms") or []
    if isinstance(given, str):
        given = given.split(",")
    terms: dict[str, str] = {}
    for one in given if isinstance(given, list) else []:
        term = one_line(one, TERM_CHARS) if isinstance(one, str) else ""
        if any(ch.isalnum() for ch in term):
            terms.setdefault(term.lower(), term)
    return Rewording(text, tuple(terms.values())[:MAX_TERMS])


def echoes(text: str, template: str) -> bool:
    """Returns whether a model copied its answer from the prompt, as very small ones do."""
    words = text.lower().split()
    return len(words) >= ECHO_WORDS and " ".join(words) in " ".join(template.lower().split())
