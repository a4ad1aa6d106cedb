"""Answers how often the unit that a question names is instantiated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_INSTANCES = 30  # instances that are named
_ASKED = re.compile(
    r"\b(?:how many|how often|number of|count of)\b(?=.*\b(?:instan\w+|copies|times)\b)"
    r"|\bhow often (?:is|are) (?:the )?(?:module |unit |block )?\w+ (?:used|placed)\b",
    re.I,
)
_HAS = re.compile(r"^how many (?:\w+ )?\w+ (?:does|do) \w+ (?:instantiate|contain|have)\b", re.I)
"""Asks the same where it names two units."""
_OF_WHOM = re.compile(
    r"\bhow many (?:(?:different|distinct|other|rtl|design) )?"
    r"(?:modules?|units?|blocks?|files?|places|ips?|cores|designs?|peripherals|parents"
    r"|(?-i:[A-Z]+s)) "
    r"(?:\w+ )?(?:instantiate|use|contain|include|have)s? "
    r"|\b(?:where|which \w+|what|who)\b.{1,60}\b(?:instantiat\w+|used?|placed)\b.{0,60}"
    r"\bhow (?:often|many times)\b",
    re.I,
)
"""Asks for the units around the instances."""


def add_instances(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds how often a unit is instantiated, in the second one named if there is one.

    An instance in a generate loop, and an array of instances, counts once. False where the
    question does not ask that of a unit.
    """
    parents = _OF_WHOM.search(question) is not None
    has = _HAS.search(question) is not None
    if not parents and not has and not _ASKED.search(question):
        return False
    graph = queries.graph()
    units = units_named(question, graph)
    if len(units) not in ((1,) if parents else (2,) if has else (1, 2)):
        return False
    if units[1:] and _is_second(question, *units):
        units.reverse()
    elif not parents and re.search(r"\binstantiates? (?:\w+ )?" + units[0], question):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in instances_of(graph, units[0], units[1:]) if one[0] not in moved]
    if not found:
        return False
    if parents:
        _add_parents(page, units[0], found)
        return True
    paths = list(dict.fromkeys(one[0] for one in found)) if units[1:] else []
    for path in paths if len(paths) > 1 else [""]:  # units of one name
        _add_instances(page, units, [one for one in found if path in ("", one[0])], path)
    return True


def _add_instances(
    page: FactPage, units: Sequence[str], found: Sequence[tuple[str, int, str]], path: str
) -> None:
    """Adds how often a unit is instantiated, in a second one of a file where there is one."""
    inside = f" in {units[1]}{' of ' + path if path else ''}" if units[1:] else ""
    page.add(
        f"{units[0]} is instantiated {_times(found)}{inside} (a loop or an array counts once):"
    )
    for place, line, name in found[:MAX_INSTANCES]:
        page.fact(f"- {name}", (name.rpartition(".")[2],), place, line)
    if len(found) > MAX_INSTANCES:
        page.add(f"- and {len(found) - MAX_INSTANCES} more: `hdlgraph who {units[0]}` lists all")


def _is_second(question: str, first: str, second: str) -> bool:
    """Returns whether the second unit is the one that is counted: `how often does A have B`."""
    ways = r"(?:instantiates?|contains?|has|have|uses?)"
    return re.search(rf"\b{first} (?:\w+ )?{ways} (?:\w+ ){{0,3}}{second}\b", question) is not None


def _times(found: Sequence[object]) -> str:
    return f"{len(found)} time" + "s" * (len(found) != 1)


def _add_parents(page: FactPage, unit: str, found: Sequence[tuple[str, int, str]]) -> None:
    """Adds the units that instantiate one, each with how often, those with most first."""
    by_parent: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
    for one in found:
        by_parent.setdefault((one[2].partition(".")[0], one[0]), []).append(one)
    count = len(by_parent)
    page.add(
        f"{count} unit{'s' * (count != 1)} instantiate{'s' * (count == 1)} {unit}, "
        f"{_times(found)} in all (a loop or an array counts once):"
    )
    order = sorted(by_parent, key=lambda one: (not of_design(one[1]), -len(by_parent[one]), one))
    for parent in order[:MAX_INSTANCES]:
        own = by_parent[parent]
        path, line, name = own[0]
        last = name.rpartition(".")[2]
        more = f", {_times(own)}, first" if len(own) > 1 else ""
        page.fact(f"- {parent[0]}{more} as {last}", (last,), path, line)
    if count > MAX_INSTANCES:
        page.add(f"- and {count - MAX_INSTANCES} more: `hdlgraph who {unit}` lists all")


def instances_of(graph: Graph, unit: str, owners: Sequence[str] = ()) -> list[tuple[str, int, str]]:
    """Returns (path, line, name) of the instances of a unit, those of the design first."""
    nodes, edges = graph.nodes, graph.edges
    kinds, names = nodes.column("kind"), nodes.column("name")
    sources, relations = edges.column("source"), edges.column("kind")
    found = set()
    for row in graph.ending(unit):
        for edge in graph.in_edges(row).tolist() if names[row] == unit else ():
            at = sources[edge]
            is_one = relations[edge] == EdgeKind.INSTANTIATES.value
            is_one = is_one and kinds[at] == NodeKind.INSTANCE.value
            if is_one and (not owners or names[at].startswith(f"{owners[0]}.")):
                found.add((nodes.column("path")[at], nodes.column("line")[at], names[at]))
    return sorted(found, key=lambda one: (not of_design(one[0]), one))
