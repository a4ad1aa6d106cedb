"""Who uses a unit: the whole instances with what is connected, and why they are there."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import find, is_unit
from hdlgraph.query.design.who import BOUND, who
from hdlgraph.words import terms

LINES = 30  # users of one answer
WHOLE = 6  # instances that are shown whole
_SCOPE = re.compile(r"\b(?:in|inside|within|of|for) (?:the |an? )?(\w+(?: \w+)?)")
_PLAIN = frozenset("the design which what and core unit module each one it for of in this".split())
CODE = 90  # lines of them, after which users are named alone


def add_users(
    page: FactPage, graph: Graph, name: str, most: int = LINES, whole: int = WHOLE
) -> bool:
    """Adds where a unit is defined and who uses it; a user of the design before a test.

    Args:
        page: the answer so far.
        graph: the design graph.
        name: of the unit.
        most: users that are named.
        whole: instances of the design that are shown with their parameters and connections.
    """
    found = who(graph, name)
    defined(page, found["targets"])
    every = [one for one in found["users"] if one["kind"] != "CONNECTS"]
    users = [one for one in every if one["words"] != BOUND]
    direct = [one for one in users if one["kind"] in ("INSTANTIATES", "BINDS")]
    listed = direct or users or every
    if not listed:
        page.add(f"Nothing in this repository uses {name}.")
        return True
    meant = _meant(listed, page.scope)
    listed.sort(key=lambda one: (not of_design(one["path"]), -meant.get(one["path"], 0)))
    most_meant = max(meant.values(), default=0)
    spots = _instances(graph, name)
    count = len(listed)
    verb = "instantiated" if direct else "used"
    page.add(f"{name} is {verb} in {count} place{'s' if count > 1 else ''}:")
    before = len(page.lines)
    for number, one in enumerate(listed[:most]):
        label, condition = spots.get((one["path"], one["line"]), ("", ""))
        label = label or (one["text"] if one["kind"] == "BINDS" else "")
        text = f"- {called(one)} {one['words']} {last(name)}" + (f" as {label}" if label else "")
        names = filter(None, (last(name), "" if one["words"] == BOUND else label))
        stands = page.fact(text, names, one["path"], one["line"])
        if condition:
            page.add(f"    {in_words(condition)}")
        fits = number < whole and len(page.lines) - before < CODE
        fits = fits and meant.get(one["path"], 0) == most_meant
        if stands and fits and (of_design(one["path"]) or not number):
            instance = page.instance(one["path"], one["line"])
            if instance is not None:
                page.whole(one["path"], instance)
    if count > most:
        page.add(f"- and {count - most} more: `hdlgraph who {name}` lists all")
    return True


def _meant(users: list[dict[str, Any]], scope: Collection[str]) -> dict[str, int]:
    """Returns how many of some words the path of each user has that not all of them have."""
    has = {one["path"]: {t for t in scope if t in one["path"].lower()} for one in users}
    common = set.intersection(*has.values()) if has else set()
    return {path: len(found - common) for path, found in has.items()}


def _instances(graph: Graph, name: str) -> dict[tuple[str, int], tuple[str, str]]:
    """Returns (path, line) -> (instance name, condition) of the instances of a unit."""
    nodes, edges = graph.nodes, graph.edges
    kinds, sources = edges.column("kind"), edges.column("source")
    found = {}
    for row in find(graph, name):
        for edge in graph.in_edges(row).tolist():
            source = sources[edge]
            if kinds[edge] == "INSTANTIATES" and nodes.column("kind")[source] == "instance":
                where = nodes.column("path")[source], nodes.column("line")[source]
                label = last(nodes.column("name")[source])
                found[where] = (label, nodes.column("detail")[source])
    return found


def in_words(condition: str) -> str:
    """Returns in words when an instance is there, or how often: its generate branch or loop."""
    looped = re.search(r"(?:^|: )for ", condition)
    return f"once for each of: {condition}" if looped else f"only if {condition}"


def called(user: dict[str, Any]) -> str:
    """Returns the name of a user: of a file without its folders, of others the last part."""
    name = str(user["user_name"])
    return name.rpartition("/")[2] if user["user_kind"] == NodeKind.FILE.value else last(name)


def last(name: str) -> str:
    """Returns the last part of a name with dots."""
    return name.rpartition(".")[2] or name


def defined(page: FactPage, targets: list[dict[str, Any]]) -> None:
    """Adds where units are defined."""
    for one in targets[:3]:
        if one["path"] and is_unit(one["kind"]):
            page.fact(f"{one['kind']} {one['name']}", (one["name"],), one["path"], one["line"])


def asked_terms(question: str) -> frozenset[str]:
    """Returns the terms of a question."""
    return frozenset(terms(question))


def scope_of(question: str) -> frozenset[str]:
    """Returns the words after "in", "of" and the like, which may name the part that is meant."""
    found = _SCOPE.findall(question.lower())
    return frozenset(word for phrase in found for word in re.findall(r"\w+", phrase)) - _PLAIN
