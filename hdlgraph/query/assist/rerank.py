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
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import clip_tokens, count_messages
from hdlgraph.prompts import prompt_text
from hdlgraph.query.assist.card_facts import CardFacts
from hdlgraph.query.assist.cards import CARDS, cards, fitting
from hdlgraph.query.assist.fuse import min_max, ranked
from hdlgraph.query.assist.reword import MAX_ASKED
from hdlgraph.results import Hit
from hdlgraph.settings.records import LlmSettings

MODEL_WEIGHT = 3.0
ASKED_SHARE = 0.25
"""Of the tokens, for the question; the beginning of a longer one is shown."""
LEAST_ASKED = 40
"""Tokens of it that are shown in any case."""
USUAL_CONTEXT = 8192  # tokens, where the settings name none
SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Order:
    """What a model answered: numbers of cards, best first, each once, of `count` cards.

    `notes` say what of the answer, or of the question, was left out.
    """

    numbers: tuple[int, ...]
    count: int
    notes: tuple[str, ...] = ()


def rerank(
    question: str,
    hits: Sequence[Hit],
    llm: LlmSettings,
    tokens: int,
    facts_of: Callable[[Sequence[Hit]], Sequence[CardFacts]],
    prompts: Path | None = None,
) -> Request[Order]:
    """Returns the request that orders the first hits, at most CARDS.

    Args:
        question: as asked; of a long one the beginning is shown.
        hits: ranked.
        llm: names the model and its context.
        tokens: of the whole request, the prompt and the question included.
        facts_of: gives the facts on cards of hits.
        prompts: the project's own folder of prompts.
    """
    text = prompt_text("rerank", prompts)
    room = min(tokens, (llm.context_tokens or USUAL_CONTEXT) - llm.output_tokens)
    asked = clip_tokens(
        quoted(question[:MAX_ASKED], "question"), max(int(room * ASKED_SHARE), LEAST_ASKED)
    )
    cut = len(asked) < len(question)
    notes = (f"the model saw the first {len(asked)} characters of the question",) if cut else ()

    def call(card_text: str, count: int) -> Call:
        return Call(
            stage="rerank",
            name=one_line(question, 80),
            model=llm.query_model,
            user=text.format(question=asked, cards=card_text, count=count),
            schema=SCHEMA,
            max_tokens=llm.output_tokens,
        )

    left = room - count_messages(call("", CARDS))
    some = hits[: fitting(len(hits), left)]
    facts = facts_of(some)
    sent = call("\n".join(cards(some, facts, left)), len(some))
    if (over := count_messages(sent) - room) > 0:  # what joins the cards, and what a cut adds
        sent = call("\n".join(cards(some, facts, left - 2 * over)), len(some))
    return Request(sent, lambda found: check(found, len(some), notes))


def check(found: dict[str, Any], count: int, notes: Sequence[str] = ()) -> Order:
    """Returns the order in a model's object; what is no card or given again is left out.

    Raises:
        ValueError: it names none of the cards.
    """
    given = found.get("order")
    if given is None:  # another name for the same list
        given = next((value for value in found.values() if isinstance(value, list)), None)
    if isinstance(given, str):
        given = re.findall(r"\d+", given)
    numbers = [_number(value) for value in given] if isinstance(given, list) else []
    known = [n for n in numbers if n is not None and 1 <= n <= count]
    if not known:
        raise ValueError(f'"order" holds no number from 1 to {count}')
    once = tuple(dict.fromkeys(known))
    unknown, again = len(numbers) - len(known), len(known) - len(once)
    mistakes = [f"{unknown} that are no card"] * (unknown > 0) + [f"{again} given again"] * (
        again > 0
    )
    left_out = f"left out of the model's order: {', '.join(mistakes)}"
    return Order(once, count, (*notes, left_out) if mistakes else tuple(notes))


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


def reordered(hits: Sequence[Hit], numbers: Iterable[int], count: int = CARDS) -> tuple[Hit, ...]:
    """Returns hits with the first `count` in the blended order; the rest follows as before.

    A hit takes the score that the search gave to its new place: scores never rise with the rank.
    """
    head, tail = hits[:count], hits[count:]
    own = min_max([hit.score for hit in head])
    blended = {
        head[n - 1].path: MODEL_WEIGHT / log2(place + 1) + own[n - 1]
        for place, n in enumerate(permutation(numbers, len(head)), 1)
    }
    order = ranked({hit.path: hit for hit in head}, blended, head[0].path if head else "")
    moved = [msgspec.structs.replace(h, score=o.score) for h, o in zip(order, head, strict=True)]
    return (*moved, *tail)
