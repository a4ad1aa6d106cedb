"""Searches with the help of a language model: other words, parts, a new order of the best files.

What the model does not deliver is left out with a note, so that the plain search remains.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from hdlgraph.errors import CallError, EndpointError, ErrorKind
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import count_messages
from hdlgraph.query.assist.card_facts import CardFacts
from hdlgraph.query.assist.decompose import Parts, decompose
from hdlgraph.query.assist.fuse import fuse
from hdlgraph.query.assist.rerank import Order, reordered, rerank
from hdlgraph.query.assist.reword import Rewording, reword
from hdlgraph.results import Hit, SearchResult
from hdlgraph.settings.records import Settings

FAILED = {
    "reword": "not reworded",
    "decompose": "not split into parts",
    "rerank": "not re-ranked",
}
"""Beginning of the note that says what kind of help the model failed to give."""
TRIES = 3
"""Requests for an order, each half as long, while the endpoint finds the context too long."""
DEPTH = 50  # files taken from each search that is fused, or more where more are wanted
DEEP = 100
"""Files taken where only the order is asked of the model: copies among them become one card."""
REWORDED = 0.6
PARTS = {"module": 0.5, "block": 0.3, "signal": 0.2}
"""Weights of further searches beside the question as asked, which counts 1; not fitted."""


@dataclass(frozen=True, slots=True)
class Help:
    """What the model is asked to do for a question."""

    reword: bool = False
    decompose: bool = False
    rerank: bool = False

    @property
    def names(self) -> list[str]:
        """Returns the switches that are on."""
        return [one.name for one in fields(self) if getattr(self, one.name)]


class Asks(Protocol):
    """Sends requests together; `hdlgraph.llm.session.Session` is one."""

    def ask(self, *requests: Request[Any], most_s: float | None = None) -> list[Any]:
        """Returns the value of each request, or the EndpointError that it failed with."""
        ...


@dataclass(frozen=True, slots=True)
class Guide:
    """The model and what it may see.

    `card_facts` gives the facts on the cards of hits; `prompts` is the folder of the project,
    or None; `patience_s` the most seconds that an order is waited for, None for the endpoint's own.
    """

    session: Asks
    settings: Settings
    card_facts: Callable[[str, Sequence[Hit]], Sequence[CardFacts]]
    prompts: Path | None = None
    patience_s: float | None = None


def guided_search(
    search: Callable[[str, int], SearchResult],
    question: str,
    k: int,
    help: Help,
    guide: Guide,
    fold: Callable[[Sequence[Hit]], tuple[Hit, ...]] = tuple,
) -> SearchResult:
    """Returns the `k` best files for a question, the model helping as `help` says.

    Args:
        search: the plain search: (text, files wanted) to result.
        question: as asked.
        k: hits wanted.
        help: the switches.
        guide: the model.
        fold: makes one hit of files that are nearly the same.

    Raises:
        UsageError: the question is empty, or the endpoint refuses the key or the model.
    """
    started = time.perf_counter()
    depth = DEPTH if help.reword or help.decompose else DEEP
    plain = search(question, max(k, depth) if k > 0 else k)
    if not plain.hits:
        return plain
    searches, failures, notes = _variants(search, plain, question, help, guide)
    hits = fold(fuse(searches) if len(searches) > 1 else plain.hits)
    if help.rerank and len(hits) > 1:
        order = _order(question, hits, failures, guide)
        if isinstance(order, EndpointError):
            notes.append(f"{FAILED['rerank']}: {order}")
        else:
            hits = reordered(hits, order.numbers, order.count)
            notes += order.notes
    return msgspec.structs.replace(
        plain,
        hits=tuple(msgspec.structs.replace(hit, rank=n) for n, hit in enumerate(hits[:k], 1)),
        notes=(*plain.notes, *notes),
        seconds=round(time.perf_counter() - started, 4),
    )


def _order(
    question: str, hits: Sequence[Hit], failures: Sequence[EndpointError], guide: Guide
) -> Order | EndpointError:
    silent = [e for e in failures if isinstance(e, CallError) and e.kind.unanswered]
    if silent:
        return silent[0]
    settings, facts_of = guide.settings, partial(guide.card_facts, question)
    tokens = settings.ask.rerank_tokens
    for _ in range(TRIES):
        request = rerank(question, hits, settings.llm, tokens, facts_of, guide.prompts)
        (order,) = guide.session.ask(request, most_s=guide.patience_s)
        if not (isinstance(order, CallError) and order.kind is ErrorKind.OVERFLOW):
            break
        tokens = count_messages(request.call) // 2
    return order


def _variants(
    search: Callable[[str, int], SearchResult],
    plain: SearchResult,
    question: str,
    help: Help,
    guide: Guide,
) -> tuple[list[tuple[float, SearchResult]], list[EndpointError], list[str]]:
    """Returns (weighted searches, the plain one first; what failed; notes)."""
    llm, notes, failures = guide.settings.llm, [], []
    requests: list[Request[Any]] = []
    if help.reword:
        requests.append(reword(question, llm, guide.prompts))
    if help.decompose:
        requests.append(decompose(question, llm, guide.prompts))
    searches = [(1.0, plain)]
    depth = max(len(plain.hits), DEPTH)
    for request, found in zip(requests, _asked(guide.session, requests), strict=True):
        if isinstance(found, EndpointError):
            failures.append(found)
            notes.append(f"{FAILED[request.call.stage]}: {found}")
            continue
        texts = _texts(found, question)
        searches += [(weight, search(text, depth)) for _, weight, text in texts]
        notes += [f"{label}: {text}" for label, _, text in texts]
    return searches, failures, notes


def _asked(session: Asks, requests: Sequence[Request[Any]]) -> list[Any]:
    return session.ask(*requests) if requests else []


def _texts(found: Rewording | Parts, question: str) -> list[tuple[str, float, str]]:
    """Returns (label, weight, text) of the searches to add; none that repeats the question."""
    if isinstance(found, Rewording):
        offers = [("also searched", REWORDED, found.text)]
    else:
        offers = [(f"{level} part", PARTS[level], part) for level, part in found.items()]
    asked = " ".join(question.split()).lower()
    return [offer for offer in offers if offer[2].lower() != asked]
