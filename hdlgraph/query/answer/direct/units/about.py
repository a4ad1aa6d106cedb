"""Answers what a unit is that a question names and asks nothing else of, as in "what is uart_rx".

Its comment, who instantiates it and what it instantiates, its states, parameters and ports at their
lines, and the names of what else it declares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.comments import readable, sentences
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import unit_at, units_written
from hdlgraph.query.answer.direct.units.ports import add_listed
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_COMMENT = 24  # lines of the comment above a unit
MAX_ROWS = 8  # rows of one kind, such as instances
MAX_NAMES = 24  # names on one line, such as states
MAX_LISTED = 40  # ports or parameters
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_ASKING = frozenset(
    "about brief briefly do does describe description explain explanation find for function give "
    "is job located me meant overview please purpose quick responsible role shortly summarise "
    "summarize summary tell the there this used what what's whats where whole work works".split()
)
"""Words of a question that asks what something is; one of them at least stands in it."""
_BESIDE = frozenset("a an block can class could core design in interface module of package s "
                    "short this unit you".split())  # fmt: skip


def add_about(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what the unit is that a question names; False where it asks something else of it."""
    graph = queries.graph()
    units, written = units_written(question, graph)
    rest = {word.lower() for word in written}
    others = rest - _ASKING - _BESIDE
    if not units and len(others) == 1:  # "what is KMAC" of a unit kmac
        units = [one for one in others if unit_at(graph, one)]
        others -= {*units}
    if len(units) != 1 or not rest & _ASKING or others:
        return False
    try:
        definitions = queries.show(units[0], limit=None)["definitions"]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in definitions if "ports" in one and one["path"] not in moved]
    if not found:
        return False
    found.sort(key=lambda one: (not of_design(one["path"]), one["path"], one["line"]))
    add_unit(page, found[0], queries)
    if len(found) > 1:
        places = ", ".join(one["location"] for one in found[1 : 1 + MAX_ROWS])
        page.add(f"Also defined, and perhaps otherwise: {places}")
    page.add(f"`hdlgraph show {units[0]}` lists all of it.")
    return True


def add_unit(page: FactPage, unit: Mapping[str, Any], queries: Queries) -> None:
    """Adds one unit: what its comment says, its place in the design, and what it has."""
    page.fact(f"{unit['kind']} {unit['name']}", (unit["name"],), unit["path"], unit["line"])
    _add_comment(page, unit, queries)
    _add_rows(page, "Extends", [(row["name"], row["stated_at"]) for row in unit["extends"]])
    _add_parents(page, unit)
    _add_children(page, unit)
    _add_machines(page, unit, queries)
    for title, key in (("Types", "types"), ("Functions and tasks", "routines")):
        _add_names(page, title, [_last(row["name"]) for row in unit[key]])
    _add_names(page, "Checks", [row["name"] for row in unit.get("checks", ())])
    for kind, rows in (("parameter", unit["parameters"]), ("port", unit["ports"])):
        if rows:
            add_listed(page, unit, frozenset((kind,)), MAX_LISTED)


def _add_comment(page: FactPage, unit: Mapping[str, Any], queries: Queries) -> None:
    """Adds the comment before a unit; without one what its file is described as, uncited."""
    path, view = unit["path"], page.view(unit["path"])
    before = [one.line for one in view.units if one.line < unit["line"]]
    first = max(before, default=0)
    own = [
        one for one in sentences(view.source) if first < one.line and one.end_line < unit["line"]
    ]
    numbers = sorted({n for one in own for n in range(one.line, one.end_line + 1)})
    if any(readable(one.text) for one in own):
        page.code(path, view.source, numbers[:MAX_COMMENT])
        return
    explanation = queries.explanations().get(path)
    if explanation is not None and len(view.units) < 2:
        page.add(f"Described as: {explanation.sentence()}")


def _add_parents(page: FactPage, unit: Mapping[str, Any]) -> None:
    """Adds the units that instantiate or extend one, those of the design first."""
    rows = sorted(unit["parents"], key=lambda row: (not of_design(row["path"]), row["location"]))
    for row in rows[:MAX_ROWS]:
        called = row["text"].split() if row["kind"] == "INSTANTIATES" else []
        names = (unit["name"], *called[:1])
        text = (
            f"- {row['user_name']} {row['words']} it{''.join(f' as {one}' for one in called[:1])}"
        )
        page.fact(text, names, row["path"], row["line"])
    if unit["n_parents"] > MAX_ROWS:
        page.add(f"- and {unit['n_parents'] - MAX_ROWS} more: `hdlgraph who {unit['name']}`")


def _add_children(page: FactPage, unit: Mapping[str, Any]) -> None:
    """Adds what a unit instantiates, each unit once with the first of its instances."""
    by_unit: dict[str, list[Mapping[str, Any]]] = {}
    for row in unit["instances"]:
        for one in row["units"][:1]:
            by_unit.setdefault(one["name"], []).append(row)
    rows = []
    for name, own in by_unit.items():
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        rows.append((f"{name} as {_last(own[0]['name'])}{more}", own[0]["location"]))
    _add_rows(page, "Instantiates", rows)


def _add_machines(page: FactPage, unit: Mapping[str, Any], queries: Queries) -> None:
    """Adds the state machines of a unit with the names of their states."""
    if unit["kind"] == "package":
        return
    try:
        machines = queries.fsm(unit["name"])["machines"]
    except HdlgraphError:
        return
    for one in machines:
        if one["unit_id"] != unit["id"]:
            continue
        names = _listed([state["name"] for state in one["states"]])
        reset = f"; {one['reset']} after reset" if one["reset"] else ""
        text = f"State machine in {one['register']}: {names}{reset}"
        page.fact(text, (one["register"],), one["path"], one["line"])


def _add_rows(page: FactPage, title: str, rows: Sequence[tuple[str, str]]) -> None:
    """Adds rows of (text, path:line) below a title, a few of many."""
    if not rows:
        return
    page.add(f"{title} ({len(rows)}):" if len(rows) > 1 else f"{title}:")
    for text, place in rows[:MAX_ROWS]:
        path, _, line = place.rpartition(":")
        page.fact(f"- {text}", _WORD.findall(text)[:1], path, int(line))
    if len(rows) > MAX_ROWS:
        page.add(f"- and {len(rows) - MAX_ROWS} more")


def _add_names(page: FactPage, title: str, names: Sequence[str]) -> None:
    """Adds names after a title on one line."""
    if names:
        page.add(f"{title} ({len(names)}): {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    """Returns names with commas between, a few of many."""
    kept = list(dict.fromkeys(names))
    more = f" and {len(kept) - MAX_NAMES} more" if len(kept) > MAX_NAMES else ""
    return ", ".join(kept[:MAX_NAMES]) + more


def _last(name: str) -> str:
    return name.rpartition(".")[2]
