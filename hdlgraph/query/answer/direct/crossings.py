"""Answers whether data crosses between clocks in the unit that a question names, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_written
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 5  # crossings that are told
PAIRS = 8  # pairs of clocks that are counted
SECONDS = 4.0  # of each step of the analysis
_ASKED = re.compile(
    r"\b(?:cdcs?|clock[- ](?:domain[- ])?cross(?:es|ings?)|cross(?:es|ing|ings)?\b.{0,40}\bclock"
    r"(?:[- ]domains?|s)?|clock domain boundar(?:y|ies))\b",
    re.I,
)
_BEGINS = re.compile(
    r"\W*(?:is|are|does|do|has|which|what|where|list|show|find|cdcs?|clock)\b", re.I
)
_MORE = re.compile(r"\b(?:how|why|when|between|from|handled|wrong|fail\w*|bug)\b", re.I)
_WORDS = frozenset(
    "a all and any are cdc cdcs clock clocks cross crosses crossing crossings data do does domain "
    "domains find has have in inside is list module of on show signals signal the there unit what "
    "where which within without synchroniser synchronizer unsynchronised unsynchronized".split()
)
_KINDS = (
    ("synchroniser", "by a synchroniser"),
    ("fifo", "by a FIFO"),
    ("handshake", "by a handshake"),
    ("none", "with no synchroniser, FIFO or handshake in sight"),
)


def add_crossings(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the crossings between clocks below a unit; False where a question asks for more."""
    if not (_BEGINS.match(question) and _ASKED.search(question)) or _MORE.search(question):
        return False
    units, others = units_written(question, queries.graph())
    if len(units) != 1 or {word.lower() for word in others} - _WORDS:
        return False
    try:
        found = queries.crossings(units[0], "all", MOST, SECONDS)
    except HdlgraphError:
        return False
    path, _, line = found["location"].rpartition(":")
    moved = {*result.stale.changed, *result.stale.removed}
    if path in moved or any(_paths(one) & moved for one in found["crossings"]):
        return False
    far = f"{found['instances']} instances, {found['registers']} registers"
    if not found["total"]:
        page.add(f"No data is seen to cross between clocks in {units[0]} ({far}):")
        page.code(path, page.source(path), [int(line)])
    else:
        _add(page, found, units[0], far)
    if found["cut"] or found["left_out"]:
        page.add("Not all of the unit was looked at.")
    page.add(f"`hdlgraph crossings {units[0]}` tells all; {found['about']}.")
    return True


def _paths(one: Mapping[str, Any]) -> set[str]:
    return {one[key].rpartition(":")[0] for key in ("source_location", "target_location")}


def _add(page: FactPage, found: Mapping[str, Any], unit: str, far: str) -> None:
    """Adds the crossings of a unit by pairs of clocks, then the first ones with their lines."""
    page.add(f"Data is seen to cross between clocks in {unit} ({far}):")
    for pair in found["pairs"][:PAIRS]:
        ways = [f"{pair[key]} {words}" for key, words in _KINDS if pair[key]]
        page.add(f"- from {pair['source']} to {pair['target']}: {', '.join(ways)}")
    for one in found["crossings"][:MOST]:
        words = dict(_KINDS)[one["kind"]]
        page.add(f"{one['source']} of {one['source_clock']}, {words}:")
        _line(page, one["source_location"])
        page.add(f"goes to {one['target']} of {one['target_clock']}:")
        _line(page, one["target_location"])
    if found["total"] > MOST:
        page.add(f"and {found['total'] - MOST} more")


def _line(page: FactPage, location: str) -> None:
    path, _, line = location.rpartition(":")
    page.code(path, page.source(path), [int(line)])
