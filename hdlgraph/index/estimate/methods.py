"""Compares what each method of extraction (ast, both, llm) would send; nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from hdlgraph.index.concepts.ask import planned_calls
from hdlgraph.llm.tokens import MESSAGE_TOKENS, count_messages, count_tokens
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.prompts import prompt_text
from hdlgraph.settings.records import Settings

UNIT_TOKENS, OVERLAP = 1200, 100  # of GraphRAG's text units, as settings.yaml has them
ENTITY_TYPES = "module,instance,port,signal,parameter,file,concept"
CONCEPTS_OUT = 130  # tokens of the answer for one file: three concepts and a link
TUPLES_OUT = 3.0  # tokens of GraphRAG's tuples for a token of text


@dataclass(frozen=True, slots=True)
class Extraction:
    """One method. Tokens are per file; what comes out is a guess."""

    method: str
    calls: int
    input_tokens: float
    output_tokens: float


def compare_extraction(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    settings: Settings,
    *,
    prompts: Path | None = None,
) -> tuple[Extraction, ...]:
    """Returns the methods ast, both and llm as if nothing had been asked before.

    For llm GraphRAG's summaries of what several files say of one name come on top: how many
    depends on the answers.

    Args:
        records: facts of the files.
        explanations: explanations by path; deterministic ones stand for those not yet written.
        settings: batch size and model.
        prompts: folder whose prompts count before the built-in ones.
    """
    explained = [explanations[record.path] for record in records if record.path in explanations]
    files = max(1, len(explained))
    calls = planned_calls(records, explanations, settings, prompts=prompts)
    asked = sum(map(count_messages, calls))
    units, text = _units(explained)
    prompt = prompt_text("extract_graph", prompts).format(entity_types=ENTITY_TYPES, input_text="")
    each = count_tokens(prompt) + 2 * MESSAGE_TOKENS
    return (
        Extraction("ast", 0, 0.0, 0.0),
        Extraction("both", len(calls), round(asked / files, 1), float(CONCEPTS_OUT)),
        Extraction(
            "llm",
            units,
            round((units * each + text) / files, 1),
            round(TUPLES_OUT * text / files, 1),
        ),
    )


def _units(explained: Sequence[Explanation]) -> tuple[int, int]:
    """Returns (text units, their tokens) of GraphRAG's documents."""
    units = tokens = 0
    for one in explained:
        size = count_tokens(one.to_text())
        parts = max(1, ceil((size - OVERLAP) / (UNIT_TOKENS - OVERLAP)))
        units += parts
        tokens += size + (parts - 1) * OVERLAP
    return units, tokens


def side_by_side(methods: Sequence[Extraction]) -> str:
    """Returns the methods as words for one line."""
    columns = [
        f"{one.method} {one.input_tokens:,.0f} + {one.output_tokens:,.0f}" for one in methods
    ]
    return f"extraction, tokens a file in and (guessed) out: {', '.join(columns)}"
