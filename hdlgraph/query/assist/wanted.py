"""Decides what a model does for a search: what was asked for, or by default ordering the files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hdlgraph.errors import UsageError
from hdlgraph.query.assist.switches import switches
from hdlgraph.query.question.script import foreign
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.query.assist.assisted import Guide
    from hdlgraph.results import Hit, SearchResult

PATIENCE_S = 30.0
"""Most seconds for an order that is asked for by default: a search is not to hang on a model."""


@dataclasses.dataclass(frozen=True, slots=True)
class Wanted:
    """The switches that are on; whether the order is so by default; why it is left out."""

    names: tuple[str, ...]
    by_default: bool = False
    notes: tuple[str, ...] = ()


def wanted(question: str, settings: Settings, given: Mapping[str, bool | None]) -> Wanted:
    """Returns what the model is to do for a question.

    Raises:
        UsageError: something is, and no model is configured.
    """
    names = tuple(switches(settings, given))
    if names and settings.llm.provider == "none":
        raise UsageError(
            f"{', '.join(names)}: needs a language model, and none is configured; name one in "
            "the `llm` section of a settings file and give that with --settings (or "
            "HDLGRAPH_SETTINGS)"
        )
    by_default = "rerank" in names and given.get("rerank") is None
    if by_default and foreign(question):
        note = "not re-ranked: the question is in another script; --rerank asks the model"
        return Wanted(tuple(name for name in names if name != "rerank"), notes=(note,))
    return Wanted(names, by_default)


def search_with(
    help: Wanted,
    alone: Callable[[], SearchResult],
    search: Callable[[str, int], SearchResult],
    question: str,
    k: int,
    guide: Callable[[float | None], Guide],
    fold: Callable[[Sequence[Hit]], tuple[Hit, ...]],
) -> tuple[SearchResult, tuple[str, ...]]:
    """Returns the result of a search with the help that is wanted, and notes on it.

    An order that nobody asked for is not waited for long, and never ends a search: where the key is
    missing or refused, the plain search remains.

    Args:
        help: what is wanted.
        alone: the search without help.
        search: as of `guided_search`, like the next two.
        question: as asked.
        k: hits wanted.
        guide: makes the model's guide from the most seconds that an order is waited for.
        fold: makes one hit of files that are nearly the same.

    Raises:
        UsageError: the question is empty, or the endpoint refuses what was asked for.
    """
    if not help.names:
        return alone(), help.notes
    from hdlgraph.query.assist.assisted import Help, guided_search

    on = Help(**dict.fromkeys(help.names, True))
    try:
        helper = guide(PATIENCE_S if help.by_default else None)
        return guided_search(search, question, k, on, helper, fold), help.notes
    except UsageError as error:
        if not help.by_default or help.names != ("rerank",):
            raise
        return alone(), (f"not re-ranked: {error}",)
