"""Answers which instances give a parameter a value: all of them, or those with one value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.placed.overrides import (
    Given,
    given,
    parameters,
    parameters_of,
    same,
    tell,
)
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain, unit_at, units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 30  # instances that are told
_WHO = (
    r"(?:(?:which|what|list|show|find)(?: me)?(?: all)?(?: the)? (?:\w+ )?"
    r"(?:instances?|instantiations?|modules?|units?|blocks?|cells?|places?)"
    r"(?: of (?:the )?(?:module |unit )?(?P<unit>[A-Za-z_]\w*))?|who|what|where (?:is|are))"
)
_GIVES = (
    r"(?: (?:is|are|that|which|do|does|get|gets))* (?:sets?|uses?|used|ha(?:s|ve)|with|using"
    r"|overrid(?:es?|den|ing)|gives?|given|assigns?|pass(?:es)?|configures?|sets)"
)
_VALUE = (
    r"(?:(?: ?=+ ?| to be | to | of | with | as | at | is | value )(?:the )?(?:value )?(?:of )?| )"
    r"(?P<value>\"[^\"]+\"|[\w':.]+)"
)
_NAME = r"(?:an? |the )?(?:parameter )?(?P<name>[A-Za-z_]\w*)(?: (?:set|overridden|given))?"
_ASKED = (
    re.compile(rf"{_WHO}{_GIVES} {_NAME}(?:{_VALUE})?", re.I),
    re.compile(
        rf"(?:where|by whom|in which (?:instances?|modules?)) (?:is|does) {_NAME}"
        rf" (?:set|overridden|given|assigned)(?:{_VALUE})?",
        re.I,
    ),
)

_USES = re.compile(r"\b(?:uses?|used|using|ha(?:s|ve)|with)\b", re.I)
_INSTANCES = re.compile(r"\binsta(?:nces?|ntiations?)\b", re.I)
_OF_UNIT = tuple(
    re.compile(form, re.I)
    for form in (
        r"(?:what|which) (?:parameter )?values? (?:does|do|is|are) (?:the )?(?:parameters of )?"
        r"(?:the )?(?:module |unit )?(?P<unit>[A-Za-z_]\w*) (?:get|given|take|have)",
        r"(?:what|which) (?:parameter )?values? (?:is|are) (?:given|passed) to (?:the )?"
        r"(?:parameters of )?(?:the )?(?:module |unit |instances of )?(?P<unit>[A-Za-z_]\w*)",
        r"(?:how|with (?:which|what) (?:parameters?|values)) (?:is|are) (?:the )?"
        r"(?:instances of )?(?P<unit>[A-Za-z_]\w*) (?:parameteri[sz]ed|configured|instantiated)",
        r"(?:which|what) parameters of (?:the )?(?:module |unit )?(?P<unit>[A-Za-z_]\w*) (?:are"
        r"|get) (?:set|overridden|overriden|given|changed)(?: (?:and )?to (?:what|which values))?",
    )
)


def add_given_all(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what the instances of a unit give its parameters; False where none is asked for."""
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _OF_UNIT)), None)
    graph = queries.graph()
    if found is None or unit_at(graph, found["unit"]) is None:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    every = [
        one
        for row in parameters_of(graph, found["unit"])
        for one in given(graph, row)
        if not one.is_default and one.path not in moved
    ]
    every = [one for one in every if of_design(one.path)] or every
    every.sort(key=lambda one: (one.path, one.instance, one.line))
    if not every:
        return False
    instances = len({(one.path, one.instance) for one in every})
    page.add(
        f"{instances} instance{'s' * (instances != 1)} of {found['unit']} "
        f"set{'s' * (instances == 1)} parameters:"
    )
    for one in every[:MOST]:
        tell(page, one, "- ")
    if len(every) > MOST:
        page.add(f"- and {len(every) - MOST} more: `hdlgraph show {found['unit']}`")
    return True


def add_given(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the instances that give a parameter a value, in the unit that is named if there is one.

    Where a value is asked for, also those whose default it is. False where the question does not
    name a parameter so.
    """
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _ASKED)), None)
    if found is None:
        return False
    graph, name = queries.graph(), found["name"]
    unit, wanted = found.groupdict().get("unit") or "", found["value"] or ""
    if not wanted and _USES.search(question) and not _INSTANCES.search(question):
        return False  # who names it in any way
    units = [one for one in units_named(question, graph) if one not in (name, wanted)]
    if unit and unit not in units:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    every = [
        one
        for row in parameters(graph, name)
        for one in given(graph, row)
        if one.path not in moved and one.declared[0] not in moved
    ]
    every = [one for one in every if not unit or one.unit == unit]
    every = [one for one in every if of_design(one.path)] or every
    every.sort(key=lambda one: (one.path, one.line, one.instance))
    own = [one for one in every if not one.is_default and _fits(graph, wanted, one)]
    left = [one for one in every if one.is_default and wanted and same(graph, wanted, one)]
    if not (own or left):
        return False
    of = f" of {unit}" if unit else ""
    what = f"the value {wanted}" if wanted else "a value"
    if own:
        page.add(f"{_count(own)}{of} give{'s' * (len(own) == 1)} {name} {what}:")
        _list(page, own)
    else:
        page.add(f"No instance{of} gives {name} {what}.")
    if left:
        page.add(f"{_count(left)} leave{'s' * (len(left) == 1)} it at that default:")
        _list(page, left)
    return True


def _fits(graph: Graph, wanted: str, one: Given) -> bool:
    return not wanted or same(graph, wanted, one)


def _count(found: Sequence[Given]) -> str:
    return f"{len(found)} instance" + "s" * (len(found) != 1)


def _list(page: FactPage, found: Sequence[Given]) -> None:
    """Adds instances, each with its value and the line that gives it."""
    for one in found[:MOST]:
        tell(page, one, "- ", f" ({one.unit})" if not one.is_default else "")
    if len(found) > MOST:
        name = found[0].parameter
        page.add(f"- and {len(found) - MOST} more: `hdlgraph who {name}` lists all")
