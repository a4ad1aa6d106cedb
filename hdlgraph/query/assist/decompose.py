"""Splits a question, by a model, into what it says of a module, of a block in it, of signals."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from hdlgraph.llm.quote import one_line
from hdlgraph.llm.session import Request
from hdlgraph.prompts import prompt_text
from hdlgraph.query.assist.reword import call_about, echoes
from hdlgraph.settings.records import LlmSettings

MAX_CHARS = 400  # of a part
LEVELS = ("module", "block", "signal")
SCHEMA = {
    "type": "object",
    "properties": {level: {"type": "string"} for level in LEVELS},
    "required": list(LEVELS),
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a question, each "" where it says nothing of that level."""

    module: str = ""
    block: str = ""
    signal: str = ""

    def items(self) -> list[tuple[str, str]]:
        """Returns (level, part) of the parts that are there."""
        return [(n, p) for n, p in zip(LEVELS, astuple(self), strict=True) if p]


def decompose(question: str, llm: LlmSettings, prompts: Path | None = None) -> Request[Parts]:
    """Returns the request that splits a question; `prompts` is the project's own folder."""
    template = prompt_text("decompose", prompts)
    call = call_about("decompose", question, template, SCHEMA, llm)
    return Request(call, lambda found: check(found, template))


def check(found: dict[str, Any], template: str = "") -> Parts:
    """Returns the parts in a model's object; those copied from the prompt are left out.

    Raises:
        ValueError: it has none of the levels.
    """
    if not any(level in found for level in LEVELS):
        raise ValueError(f"it has none of {', '.join(LEVELS)}")
    return Parts(*(_part(found.get(level), template) for level in LEVELS))


def _part(value: Any, template: str) -> str:
    if isinstance(value, list):
        value = ", ".join(one for one in value if isinstance(one, str))
    text = one_line(value, MAX_CHARS) if isinstance(value, str) else ""
    return text if any(ch.isalnum() for ch in text) and not echoes(text, template) else ""
