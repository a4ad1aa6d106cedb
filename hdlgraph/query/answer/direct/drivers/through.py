"""Finds what a register without a reset of its own takes while reset: a value chosen before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.parsers.text.expressions import clean
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.direct.drivers.words import lines_of
from hdlgraph.query.answer.facts.page import FactPage

DEEP = 8  # nets before the register that are looked at
CONSTANTS, PLACES = 3, 3  # of a choice whose declarations are told, and of each
_RESET = re.compile(r"(?:^|_)(?:[a-z]?rsts?|[a-z]?resets?)(?:_?n?[io]?|\d*)$", re.I)
_NAME = re.compile(r"(?<![\w$'.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?")
_LITERAL = re.compile(r"(?:\d+)?'s?[bodh][\da-f_xz?]+|'[01]|(?<![\w'.])\d+(?![\w'])", re.I)
_SAME = re.compile(r"\.\s*([A-Za-z_]\w*)\s*[,)]")
"""A port that is connected to what is called as it is."""
_ASSIGNS = re.compile(r"^.*?(?<![<>=!])<?=(?!=)\s*")
"""What a statement begins with before the value that it assigns."""
_CHOICE = re.compile(r"\?([^?:]*):([^?:;]*)")


def add_through(
    page: FactPage,
    graph: Graph,
    label: str,
    nets: Sequence[Mapping[str, Any]],
    moved: set[str],
) -> bool:
    """Adds where a value that a reset chooses goes into a register; False where none is found.

    Args:
        page: the answer so far.
        graph: the design graph.
        label: what the register is called.
        nets: what drives it, the nearest first, as `trace` tells them.
        moved: files that changed since they were indexed.
    """
    unit = nets[0]["signal"].partition(".")[0]
    for net in nets[1 : 1 + DEEP]:
        if not net["signal"].startswith(f"{unit}."):
            continue
        for step in net["steps"]:
            if step["path"] in moved:
                continue
            constants, reset = _chosen(page, graph, step)
            if constants:
                _add(page, graph, label, nets[0], net["signal"], step, constants, reset, moved)
                return True
    return False


def _add(
    page: FactPage,
    graph: Graph,
    label: str,
    held: Mapping[str, Any],
    net: str,
    step: Mapping[str, Any],
    constants: Sequence[str],
    reset: str,
    moved: set[str],
) -> None:
    page.add(f"{label} has no reset of its own; it takes its value from:")
    for one in held["steps"][:1]:
        page.code(one["path"], page.source(one["path"]), list(lines_of(page, one)))
    name = net.partition(".")[2]
    page.add(f"{name}, before it, is made of {' and '.join(constants)} and of the reset `{reset}`:")
    page.code(step["path"], page.source(step["path"]), list(lines_of(page, step)))
    for constant in constants[:CONSTANTS]:
        _declared(page, graph, constant.rpartition(".")[2], moved)
    page.add()


def _chosen(page: FactPage, graph: Graph, step: Mapping[str, Any]) -> tuple[list[str], str]:
    """Returns the constants that a step is made of, and its reset; none where it has not both."""
    one = page.outline(step["path"]).at(step["line"])
    while one is not None and one.kind not in ("instance", "assign", "set", "declaration"):
        one = one.parent
    parts = list(_parts(one)) if one is not None else []
    reset = next((part for part in parts if _RESET.search(part.lstrip("~! "))), "")
    if not reset:
        return [], ""
    return [name for part in parts if (name := _constant(graph, part))], reset


def _parts(one: Statement) -> Iterator[str]:
    """Yields what an instance is connected to, or what an assignment chooses from, and by what."""
    if one.kind == "instance":
        yield from one.connections.values()
        inside = clean(one.text.partition(one.name)[2])
        yield from _SAME.findall(inside) if one.connections else _listed(inside)
        return
    value = _ASSIGNS.sub("", clean(one.right_side))
    if "?" in value:
        yield value.partition("?")[0].strip(" ()")
        for found in _CHOICE.finditer(value):
            yield from (part.strip(" ()") for part in found.groups())


def _listed(text: str) -> Iterator[str]:
    """Yields the arguments between the first parentheses of a text."""
    depth, begin = 0, 0
    for at, sign in enumerate(text):
        if sign in "([{":
            depth += 1
            begin = at + 1 if depth == 1 else begin
        elif sign in ")]}":
            depth -= 1
        if (sign == "," and depth == 1) or (sign == ")" and depth == 0):
            yield text[begin:at].strip()
            begin = at + 1
        if sign == ")" and depth == 0:
            return


def _constant(graph: Graph, part: str) -> str:
    """Returns the parameter or number that a part is, without its range; "" for anything else."""
    bare = re.sub(r"\[[^\]]*\]\s*$", "", part).strip()
    if _LITERAL.fullmatch(bare):
        return bare
    found = _NAME.fullmatch(bare)
    return bare if found and _rows(graph, bare.rpartition(".")[2]) else ""


def _rows(graph: Graph, name: str) -> list[int]:
    """Returns the rows of the parameters of a name that have a value."""
    nodes = graph.nodes
    kinds, names, details = (nodes.column(key) for key in ("kind", "name", "detail"))
    return [
        row
        for row in graph.ending(name)
        if kinds[row] == NodeKind.PARAMETER.value and "=" in details[row]
        if names[row].rpartition(".")[2] == name
    ]


def _declared(page: FactPage, graph: Graph, name: str, moved: set[str]) -> None:
    """Adds the lines that give a parameter its value."""
    nodes = graph.nodes
    rows = _rows(graph, name) if name else []
    places = sorted({(nodes.column("path")[row], int(nodes.column("line")[row])) for row in rows})
    places = [(path, line) for path, line in places if path and path not in moved]
    for path, line in places[:PLACES]:
        page.add(f"- {name} is declared with a value:")
        page.code(path, page.source(path), [line])
    if len(places) > PLACES:
        page.add(f"- and {len(places) - PLACES} more: `hdlgraph show {name}` lists all")
