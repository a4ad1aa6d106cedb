"""Both ends of a named port or signal: what drives it, what reads it, and what it is tied to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.facts.users import last
from hdlgraph.query.answer.passages.declared import ports
from hdlgraph.query.design.names import matching
from hdlgraph.query.design.show import who
from hdlgraph.words import split_identifier

OWNERS = 2  # units with a port of the name
INSTANCES = 4  # of an owner
WRITES = 3  # statements that assign a name; those of reset come last
READS = 4
LONG = 14  # lines of one of these that are shown
SIGNALS = frozenset({NodeKind.PORT.value, NodeKind.SIGNAL.value})
_ASKED = re.compile(
    r"\bwhere (?:do|does|is|are) (?:the )?(.{1,40}?) (?:come|taken|driven|generated|made|set)\b"
    r"|\bwhat (?:drives|generates|makes|feeds|sets) (?:the )?([\w' -]{1,40})",
    re.I,
)
_PLAIN = frozenset("the a an of its signal output input port bit".split())
_NET = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")


def meant_ports(page: FactPage, path: str, question: str) -> list[tuple[str, int]]:
    """Returns (name, line) of the ports of a file that a question describes and asks the end of.

    All words that it has for them stand in their names.
    """
    found: list[tuple[str, int]] = []
    for phrase in (next(filter(None, one), "") for one in _ASKED.findall(question)):
        words = {w for w in re.findall(r"[a-z0-9]+", phrase.lower()) if w not in _PLAIN}
        found += [
            (one.name, one.line)
            for one in (ports(page.view(path)) if words else ())
            if words <= {part.lower() for part in split_identifier(one.name)}
        ]
    return list(dict.fromkeys(found))


def owned(graph: Graph, name: str) -> list[tuple[str, str, str, int]]:
    """Returns (unit, kind, path, line) of the ports and signals of a name, those of units first."""
    nodes = graph.nodes
    found = []
    for row in matching(graph, name):
        kind, path = nodes.column("kind")[row], nodes.column("path")[row]
        if kind in SIGNALS and path:
            owner = nodes.column("name")[row].rpartition(".")[0]
            found.append((owner, kind, path, nodes.column("line")[row]))
    return sorted(found, key=lambda one: (not of_design(one[2]), one[1] != "port"))


def add_ends(page: FactPage, graph: Graph, name: str, units: Collection[str]) -> bool:
    """Adds where a port or signal is assigned, read and connected; False where there is none.

    Args:
        page: the answer so far.
        graph: the design graph.
        name: of the port or signal.
        units: that the question names; where one has the name, no other unit's is told.
    """
    found = owned(graph, name)
    meant = [one for one in found if one[0] in units]
    kept = list({one[2]: one for one in meant or found}.values())[:OWNERS]
    if not kept or (len(found) > 3 * OWNERS and not meant):
        return False
    for owner, kind, path, line in kept:
        add_within(page, path, name, line)
        if kind == NodeKind.PORT.value:
            _connected(page, graph, last(owner), name)
    return True


def add_within(page: FactPage, path: str, name: str, line: int) -> None:
    """Adds the declaration of a name, the statements that assign it and those that read it."""
    view, outline = page.view(path), page.outline(path, line)
    if line > len(view.source.lines) or name not in view.source.lines[line - 1]:
        return
    page.add(f"{name} in {path}:")
    above = line - 1
    begins = above if above and view.source.lines[above - 1].strip().startswith("//") else line
    numbers = set(range(begins, line + 1))
    writes = [one for one in outline.assigning(name) if one.kind != "declaration"]
    writes.sort(key=lambda one: any(outer.reset for outer in one.around()))
    reads = [one for one in outline.reading(name) if one.kind != "declaration" or one.writes]
    for one in (*writes[:WRITES], *reads[:READS]):
        numbers |= set(_lines(page, path, one, name))
    page.code(path, view.source, sorted(numbers))


def _lines(page: FactPage, path: str, one: Statement, name: str) -> Iterator[int]:
    """Yields the lines of a statement; of an instance those of its names and the connection."""
    lines = page.source(path).lines
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    if one.kind == "instance":
        named = re.compile(rf"(?<![\w$.]){re.escape(one.name)}(?![\w$])") if one.name else word
        for number in range(one.line, one.end_line + 1):
            code = lines[number - 1].split("//")[0]
            if number == one.line or word.search(code) or named.search(code):
                yield number
        return
    last_line = min(one.end_line, one.line + LONG - 1)
    if one.children:
        last_line = min(last_line, one.children[0].line)
    yield from range(one.line, last_line + 1)


def _connected(page: FactPage, graph: Graph, owner: str, name: str) -> None:
    """Adds what each instance of a unit connects to one of its ports, and where that goes."""
    users = [one for one in who(graph, owner)["users"] if one["kind"] == "INSTANTIATES"]
    design = [one for one in users if of_design(one["path"])]
    for user in (design or users)[:INSTANCES]:
        path = user["path"]
        one = page.instance(path, user["line"])
        if one is None or one.unit != owner:
            continue
        expression = one.connections.get(name)
        if expression is None:
            continue
        numbers = set(_lines(page, path, one, name))
        net = _NET.fullmatch(expression)
        outline = page.outline(path, one.line)
        if net and net[1] != name:
            others = [*outline.assigning(net[1]), *outline.reading(net[1])]
            near = [s for s in others if s is not one and s.kind != "declaration"]
            for other in near[:READS]:
                numbers |= set(_lines(page, path, other, net[1]))
        if not expression.strip():
            words = f"{last(user['user_name'])} leaves {name} of {one.name} open"
            page.state(f"- {words}", path, one.line, max(numbers))
        page.code(path, page.source(path), sorted(numbers))
