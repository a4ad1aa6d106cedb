"""Answers how the two units that a question names are connected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

STEPS = 12  # of a walk that are told
_ASKED = re.compile(
    r"\bhow (?:do(?:es)?|is|are|can)\b.{0,80}\b(?:get|gets|reach(?:es)?|connected|linked|arrives?"
    r"|goes|go|travels?|propagates?|talks?|communicates?)\b"
    r"|\b(?:path|way|route|connection)s? (?:from|between)\b"
    r"|\bwhat (?:connects|joins|links|lies between|is between)\b",
    re.I,
)


def add_ways(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the shortest walk between two units; False where the question asks for none."""
    if not _ASKED.search(question):
        return False
    words = units_named(question, queries.graph())
    if len(words) != 2:
        return False
    try:
        walks = queries.path(words[0], words[1], 1)["walks"]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    if not walks or any(step["path"] in moved for step in walks[0]["steps"]):
        return False
    page.add(f"From {words[0]} to {words[1]}, the shortest way:")
    _walk(page, walks[0])
    page.add()
    return True


def _walk(page: FactPage, walk: Mapping[str, Any]) -> None:
    """Adds the steps of a walk, each with the line that says so."""
    name = walk["start"]["name"]
    for step in walk["steps"][:STEPS]:
        to = step["to"]["name"]
        page.add(f"- {name} {step['words']} {to}")
        page.code(step["path"], page.source(step["path"]), [step["line"]])
        name = to
    if len(walk["steps"]) > STEPS:
        page.add(f"- and {len(walk['steps']) - STEPS} more steps: `hdlgraph path` tells all")
