"""Answers how the two units that a question names differ: ports, parameters, parts and bodies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.direct.units.bodies import add_bodies
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_LISTED = 6  # of each kind, of each unit
PURPOSE = 300  # characters of what a unit is described as
_ASKED = re.compile(
    r"\b(?:differ(?:s|ent)?|dif+e?r[ae]n[cs]e?s?|distinguish(?:es)?|compare[sd]?|comparison|versus|vs|"
    r"instead of|rather than|unlike)\b",
    re.I,
)
_KINDS = (("parameters", "parameter"), ("ports", "port"))


def add_difference(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds how two units differ; False where the question does not ask that of two units."""
    if not _ASKED.search(question):
        return False
    words = units_named(question, queries.graph())
    if len(words) != 2:
        return False
    try:
        first, second = (queries.show(one, None)["definitions"][0] for one in words)
    except UsageError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    if {first["path"], second["path"]} & moved:
        return False
    apart = first["path"] != second["path"]  # what one file is for says of neither what it is
    for one in (first, second):
        page.fact(f"{one['kind']} {one['name']}", (one["name"],), one["path"], one["line"])
        explanation = queries.explanations().get(one["path"])
        if explanation and explanation.purpose and apart:
            page.add(f"Described as: {explanation.purpose[:PURPOSE]}")
    for key, word in _KINDS:
        _members(page, first, second, key, word)
    _inside(page, first, second)
    add_bodies(page, queries, first, second)
    return True


def _unit(one: Mapping[str, Any]) -> str:
    """Returns what an instance is of, "" where the index does not tell."""
    return str(one["units"][0]["name"]) if one["units"] else ""


def _last(one: Mapping[str, Any]) -> str:
    return str(one["name"]).rpartition(".")[2]


def _members(
    page: FactPage, first: Mapping[str, Any], second: Mapping[str, Any], key: str, word: str
) -> None:
    """Adds the ports or parameters that one unit alone has, and those that are not alike."""
    ours = {_last(one): one for one in first[key]}
    theirs = {_last(one): one for one in second[key]}
    shared = [name for name in ours if name in theirs]
    unlike = [name for name in shared if ours[name]["detail"] != theirs[name]["detail"]]
    if not (ours or theirs):
        return
    page.add(f"{word.capitalize()}s: {len(shared)} in both, {len(unlike)} of them unlike.")
    for unit, own, other in ((first, ours, theirs), (second, theirs, ours)):
        alone = [own[name] for name in own if name not in other]
        _some(page, f"only {unit['name']} has", alone, lambda one: f"{_last(one)}: {one['detail']}")
    for name in unlike[:MAX_LISTED]:
        for unit, one in ((first, ours[name]), (second, theirs[name])):
            page.fact(f"- {unit['name']} has {name}: {one['detail']}",
                      (name,), one["path"], one["line"])  # fmt: skip


def _inside(page: FactPage, first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Adds the units that one of two units alone instantiates."""
    ours, theirs = ({_unit(one): one for one in unit["instances"]} for unit in (first, second))
    if not (ours or theirs):
        return
    page.add(f"Instances: {len(ours.keys() & theirs.keys())} kinds in both.")
    for unit, own, other in ((first, ours, theirs), (second, theirs, ours)):
        alone = [own[name] for name in own if name not in other]
        _some(
            page,
            f"only {unit['name']} instantiates",
            alone,
            lambda one: f"{_unit(one)} as {_last(one)}",
            lambda one: (_unit(one), _last(one)),
        )


def _some(
    page: FactPage,
    head: str,
    found: Sequence[Mapping[str, Any]],
    text_of: Callable[[Mapping[str, Any]], str],
    names: Callable[[Mapping[str, Any]], Sequence[str]] = lambda one: (_last(one),),
) -> None:
    for one in found[:MAX_LISTED]:
        page.fact(f"- {head} {text_of(one)}", names(one), one["path"], one["line"])
    if len(found) > MAX_LISTED:
        rest = ", ".join(_last(one) for one in found[MAX_LISTED : 3 * MAX_LISTED])
        more = f", and {len(found) - 3 * MAX_LISTED} more" if len(found) > 3 * MAX_LISTED else ""
        page.add(f"- {head} {len(found) - MAX_LISTED} further: {rest}{more}")
