"""Covergroups, coverpoints, assertions and properties by name: their places and users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.query.design.names import is_unit, place
from hdlgraph.query.mentions.lines import FILES, LIKELY, SURE, Line, Sources, around, holding, use

LONG = 60
"""Lines of one of them that are looked through for its end."""
MOST = 100
"""Places of one name in a file that are listed."""
_ENDS = {"covergroup": "endgroup", "property": "endproperty", "sequence": "endsequence"}


class Check(NamedTuple):
    """One of them: its kind as written, the row of the unit around it, its place and text."""

    kind: str
    unit: int
    name: str
    path: str
    line: int
    end_line: int
    text: str


def checks_of(graph: Graph, sources: Sources, name: str) -> list[Check]:
    """Returns the covergroups, coverpoints, assertions and properties of a name, by path and line.

    A name is `NAME` or `UNIT.NAME`; of a coverpoint the covergroup may stand before it.
    """
    words = [word for word in name.strip().replace("::", ".").split(".") if word]
    if not words or len(words) > 4 or not all(word.isidentifier() for word in words):
        return []
    found = []
    names, kinds = graph.nodes.column("name"), graph.nodes.column("kind")
    for path in holding(sources.lexicon, words[-1])[:FILES]:
        text = sources.text(path)
        for kind, line, last, text_there, group in _declared(text, words[-1]):
            unit = around(graph, path, line)
            if unit < 0 or not is_unit(kinds[unit]):
                continue
            parts = [*names[unit].split("."), *([group] if group else [])]
            if all(word in parts for word in words[:-1]):
                found.append(Check(kind, unit, words[-1], path, line, last, text_there))
    return found


def _declared(text: str, name: str) -> Iterator[tuple[str, int, int, str, str]]:
    """Yields (kind, first line, last line, text, covergroup around) of what has a name."""
    word = re.escape(name)
    form = re.compile(
        rf"(?<![\w$.])(?:(?P<group>covergroup|property|sequence)\s+{word}(?![\w$])"
        rf"|{word}\s*:\s*(?P<label>coverpoint|cross|assert|assume|cover|restrict)(?![\w$])"
        rf"|`(?P<macro>\w{{0,60}}(?:ASSERT|ASSUME|COVER)\w{{0,60}})\s*\(\s*{word}\s*,)"
    )
    if name not in text or not form.search(text):
        return
    plain = without_comments(text)
    lines = plain.split("\n")
    for found in islice(form.finditer(plain), MOST):
        kind = found["group"] or found["label"] or found["macro"].lower().lstrip("_")
        first = plain.count("\n", 0, found.start()) + 1
        last = _last(lines, first, "" if found["macro"] else _ENDS.get(kind, ";"))
        group = ""
        if kind in ("coverpoint", "cross"):
            before = re.findall(r"(?<![\w$])covergroup\s+(\w+)", plain[: found.start()])
            group = before[-1] if before else ""
        excerpt = " ".join(" ".join(lines[first - 1 : min(last, first + 3)]).split())[:300]
        yield kind, first, last, excerpt, group


def _last(lines: list[str], first: int, end: str) -> int:
    """Returns the line on which what begins on a line ends: with a text, or "" a bracket."""
    depth = 0
    for number in range(first, min(first + LONG, len(lines) + 1)):
        line = lines[number - 1]
        depth += line.count("(") - line.count(")")
        if end in line if end else depth <= 0:
            return number
    return first


def check_record(graph: Graph, one: Check) -> dict[str, Any]:
    """Returns what `show` answers on one: place, kind, text."""
    return {
        **target(graph, one),
        "end_line": one.end_line,
        "doc": "",
        "detail": one.text,
        "confidence": 1.0,
        "condition": "",
        "external": False,
    }


def target(graph: Graph, one: Check) -> dict[str, Any]:
    """Returns the place of one and what it is `declared_by`."""
    return {
        "id": "",
        "kind": one.kind,
        "name": f"{graph.nodes.column('name')[one.unit]}.{one.name}",
        "path": one.path,
        "line": one.line,
        "location": str(Location(one.path, one.line)),
        "declared_by": [place(graph, one.unit)],
    }


def users_of(graph: Graph, sources: Sources, checks: list[Check]) -> list[dict[str, Any]]:
    """Returns the lines that name them, as `who` lists users: in their unit, else behind a dot."""
    if not checks:
        return []
    name, places = checks[0].name, {(one.path, one.line) for one in checks}
    word = re.compile(rf"(\.\s*)?(?<![\w$]){re.escape(name)}(?![\w$])")
    units = {one.unit for one in checks}
    found = []
    for path in holding(sources.lexicon, name)[:FILES]:
        for number, text in enumerate(without_comments(sources.text(path)).split("\n"), 1):
            match = word.search(text) if name in text else None
            if match is None or (path, number) in places:
                continue
            own = around(graph, path, number) in units
            if not own and not match[1]:
                continue
            sampled = re.search(r"\.\s*sample\s*\(", text[match.end() :])
            verb = "samples" if sampled else "uses"
            sure = SURE if own or len(checks) == 1 else LIKELY
            line = Line(path, number, text)
            one = use(
                graph,
                checks[0].unit,
                line,
                verb,
                sure=sure,
                resolved="unique" if sure == SURE else "candidate",
            )
            found.append({**one, "target": ""})
    return found
