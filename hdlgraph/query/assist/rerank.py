"""Orders the best files by a model, which reads a card of each (listwise re-ranking).

score = MODEL_WEIGHT / log2(place + 1) + mm(search score), place from 1 in the model's order. With
MODEL_WEIGHT 3 the model's first choice beats the search's own first file wherever the model puts
that one; further down, where a model's order means less, the search's margins count. The search's
first file stays among the first three (`fuse.HELD`), however poor the model. The weight follows
from these two rules and was not fitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import log2
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.prompts import prompt_text
from hdlgraph.query.assist.fuse import min_max, ranked
from hdlgraph.query.assist.reword import MAX_ASKED
from hdlgraph.results import Hit
from hdlgraph.settings.records import LlmSettings

CARDS = 20
MODEL_WEIGHT = 3.0
LEAST_TOKENS = 40  # of a card; fewer cards are shown rather than shorter ones
USUAL_CONTEXT = 8192  # tokens, where the settings name none
FRAME_TOKENS = 100  # of the chat format and the schema
EVIDENCE_CHARS = 240
SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}


def rerank(
    question: str,
    hits: Sequence[Hit],
    llm: LlmSettings,
    tokens: int,
    describe: Callable[[str], str],
    prompts: Path | None = None,
) -> Request[list[int]]:
    """Returns the request that orders the first hits, at most CARDS.

    Args:
        question: as asked.
        hits: ranked, with evidence.
        llm: names the model and its context.
        tokens: budget of all cards together.
        describe: gives the explanation of a path, "" where there is none.
        prompts: the project's own folder of prompts.
    """
    text = prompt_text("rerank", prompts)
    asked = quoted(question[:MAX_ASKED], "question")
    frame = count_tokens(text.format(question=asked, cards="", count=CARDS)) + FRAME_TOKENS
    room = min(tokens, (llm.context_tokens or USUAL_CONTEXT) - llm.output_tokens - frame)
    shown = hits[: max(2, min(CARDS, room // LEAST_TOKENS))]
    each = max(room // max(len(shown), 1), LEAST_TOKENS)
    cards = [card(n, hit, describe(hit.path), each) for n, hit in enumerate(shown, 1)]
    call = Call(
        stage="rerank",
        name=one_line(question, 80),
        model=llm.query_model,
        user=text.format(question=asked, cards="\n".join(cards), count=len(shown)),
        schema=SCHEMA,
        max_tokens=llm.output_tokens,
    )
    return Request(call, lambda found: check(found, len(shown)))


def card(number: int, hit: Hit, explanation: str, tokens: int) -> str:
    """Returns what the model sees of a file, in at most about `tokens` tokens.

    The file's text cannot end the card or begin another one.
    """
    best = next((e for e in hit.evidence if e.path == hit.path), None)
    lines = [f"{one_line(hit.path, 300)} ({hit.role})" if hit.role else one_line(hit.path, 300)]
    if best:
        lines.append(f"line {best.line}: {one_line(best.text, EVIDENCE_CHARS)}")
    lines.append(explanation or hit.summary)
    body = clip_tokens(quoted("\n".join(lines), "card", "question"), tokens - 8).rstrip()
    return f'<card number="{number}">\n{body}\n</card>'


def check(found: dict[str, Any], count: int) -> list[int]:
    """Returns the numbers of a model's object in their order, unknown ones left out.

    Raises:
        ValueError: there is no usable number.
    """
    given = found.get("order")
    if given is None:  # another name for the same list
        given = next((value for value in found.values() if isinstance(value, list)), None)
    if isinstance(given, str):
        given = re.findall(r"\d+", given)
    numbers = [n for n in map(_number, given if isinstance(given, list) else []) if n is not None]
    known = [n for n in numbers if 1 <= n <= count]
    if not known:
        raise ValueError(f'"order" holds no number from 1 to {count}')
    return known


def _number(value: Any) -> int | None:
    if isinstance(value, dict):
        value = next((v for k, v in value.items() if k in ("number", "card", "id")), None)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    digits = re.search(r"\d{1,6}", value, re.ASCII) if isinstance(value, str) else None
    return int(digits[0]) if digits else None


def permutation(numbers: Iterable[int], count: int) -> list[int]:
    """Returns every number from 1 to `count` once: those given first, the rest in their order."""
    given = dict.fromkeys(n for n in numbers if 1 <= n <= count)
    return [*given, *(n for n in range(1, count + 1) if n not in given)]


def reordered(hits: Sequence[Hit], numbers: Iterable[int]) -> tuple[Hit, ...]:
    """Returns hits with the first CARDS in the blended order; the rest follows as before.

    A hit takes the score that the search gave to its new place: scores never rise with the rank.
    """
    head, tail = hits[:CARDS], hits[CARDS:]
    own = min_max([hit.score for hit in head])
    blended = {
        head[n - 1].path: MODEL_WEIGHT / log2(place + 1) + own[n - 1]
        for place, n in enumerate(permutation(numbers, len(head)), 1)
    }
    order = ranked({hit.path: hit for hit in head}, blended, head[0].path if head else "")
    moved = [msgspec.structs.replace(h, score=o.score) for h, o in zip(order, head, strict=True)]
    return (*moved, *tail)
