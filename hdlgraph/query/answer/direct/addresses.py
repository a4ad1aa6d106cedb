"""Answers with the address of the device, or the value of the parameter, that a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.catalogue.counted import counted
from hdlgraph.query.answer.direct.hosts import add_regions, regions_meant
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.direct.widths import add_parameter
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.members.typed import typed
from hdlgraph.query.design.names import having
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

MAX_LISTED = 4  # parameters or regions
FEW = 8  # parameters that fit: of more none is meant
_X = r"(?:the )?(?:parameter |localparam |constant |device |peripheral |block )?(?P<x>[\w ]{2,40}?)"
_ADDRESS = r"(?:(?:base|start|physical|memory|bus) )?address(?:es)?(?: range)?"
_PLACED = (
    r"(?:located|mapped|placed|found|based|reached|accessible|lie|live|sit|start|begin|reside)"
)
_SIZED = r"(?: and (?:[\w-]+ ){0,2}(?:size|range|mask|length|window))?"
_CODED = r"(?:csr|opcode|command|state) (?:address|code|encoding|number|value)"
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:at|to|on|from) (?:which|what) {_ADDRESS} (?:is|are|does|do|can) {_X}"
        rf"(?: (?:be )?{_PLACED})?(?: (?:at|to|from))?",
        rf"what(?:'s| is| are) the {_ADDRESS}{_SIZED} of {_X}",
        rf"(?:what|which) {_ADDRESS}{_SIZED} (?:is|are|does|do|has|have) {_X}"
        rf"(?: (?:be )?{_PLACED})?(?: (?:at|to|have|use|get|occupy|take))?",
        rf"where (?:is|are) {_X} {_PLACED}? ?in the (?:address|memory) (?:map|space)",
        rf"where in the (?:address|memory) (?:map|space) (?:is|are|does) {_X}(?: {_PLACED})?",
        rf"{_ADDRESS}{_SIZED} of {_X}",
        rf"(?:what(?:'s| is) )?(?:the )?{_CODED} (?:of|for|has) {_X}",
        rf"(?:what(?:'s| is) )?(?:the )?{_X} (?:{_CODED}|{_ADDRESS})",
    )
)
_WITHIN = re.compile(r" in (?:the )?[\w$-]+(?: [\w$-]+){0,4}$", re.I)
"""Says at the end of a question which design it is about."""
_VALUE = re.compile(
    r"(?:what(?:'s| is| are)? (?:the )?)?(?:default )?(?:value|setting|default)s? "
    r"(?:of|has|have|does|for) (?:the )?(?:parameter |localparam |constant )?(?P<x>[A-Za-z_]\w*)"
    r"(?: (?:parameter|localparam|constant|macro))?(?: (?:have|take))?"
    r"(?: (?:in|of|at) (?:the )?(?:module |unit )?(?P<unit>[A-Za-z_]\w*))?"
    r"|what is (?:the )?(?:parameter |localparam |constant )?(?P<y>[A-Za-z_]\w*) (?:set|equal) to",
    re.I,
)
_BASES = frozenset("base addr address start origin".split())
_PLAIN = _BASES | frozenset("p gp lp c lc dev device mem memory region space mmio".split())


def add_addresses(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds where a device or parameter stands; False where the question names none for sure."""
    asked = plain(question)
    moved = {*result.stale.changed, *result.stale.removed}
    if value := _VALUE.fullmatch(asked):
        return _add_value(page, queries.graph(), value["x"] or value["y"], value["unit"], moved)
    forms = filter(None, map(_form, dict.fromkeys((asked, _WITHIN.sub("", asked)))))
    return any(_add_place(page, queries, found["x"], moved) for found in forms)


def _add_value(page: FactPage, graph: Graph, name: str, unit: str | None, moved: set[str]) -> bool:
    """Adds the value of a parameter, of a unit where it is said, or of an enumeration's member."""
    rows = _called(graph, name, moved)
    if unit:
        names = graph.nodes.column("name")
        rows = [row for row in rows if names[row] == f"{unit}.{name}"]
        if not rows:
            return False
    return _add_rows(page, graph, rows, name, moved)


def _add_place(page: FactPage, queries: Queries, name: str, moved: set[str]) -> bool:
    """Adds the regions of a name, else the parameters with its address, else its code."""
    graph = queries.graph()
    rows = _called(graph, name, moved)
    if not rows and _regions(page, queries, name, moved):
        return True
    return _add_rows(page, graph, rows or _fitting(graph, name, moved), name, moved)


def _add_rows(
    page: FactPage, graph: Graph, rows: Sequence[int], name: str, moved: set[str]
) -> bool:
    """Adds parameters, or without any the member of an enumeration that has a name or its end."""
    for row in rows[:MAX_LISTED]:
        add_parameter(page, graph, row, "", moved)
    if not rows:
        whole = (name, _whole(graph, name))
        return any(_member(page, graph, one, moved) for one in whole if one)
    if len(rows) > MAX_LISTED:
        page.add(f"and {len(rows) - MAX_LISTED} more of the name: `hdlgraph show {name}` lists all")
    return True


def _form(asked: str) -> re.Match[str] | None:
    """Returns how a question asks for an address or a code, None where it asks for neither."""
    return next(filter(None, (form.fullmatch(asked) for form in _ASKED)), None)


def _whole(graph: Graph, name: str) -> str:
    """Returns the only value of an enumeration that ends with a name: `CSR_MSTATUS` for mstatus.

    It is "" where none or several do.
    """
    if not name.isidentifier():
        return ""
    ends = re.compile(rf"[{{,] ?(\w+_{re.escape(name)})(?=[,:}} ])", re.I)
    nodes = graph.nodes
    columns = (nodes.column(key) for key in ("path", "detail"))
    found = {
        one
        for path, detail in zip(*columns, strict=True)
        if detail.startswith("enum") and path and of_design(path)
        for one in ends.findall(detail)
    }
    return found.pop() if len(found) == 1 else ""


def _member(page: FactPage, graph: Graph, name: str, moved: set[str]) -> bool:
    """Adds the value that an enumeration gives to a name; False where none has it."""
    nodes, known = graph.nodes, typed(graph)
    for row in having(graph, name)[:MAX_LISTED]:
        path, first = nodes.column("path")[row], nodes.column("line")[row]
        value = known.fields(row).get(name)
        if value is None or path in moved or not nodes.column("detail")[row].startswith("enum"):
            continue
        lines = page.source(path).lines[first - 1 : max(first, nodes.column("end_line")[row])]
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        at = next((n for n, text in enumerate(lines, first) if word.search(text)), 0)
        if at:
            value = counted(nodes.column("detail")[row], name)
            page.add(f"{name} is a value of {nodes.column('name')[row]}{value}:")
            page.code(path, page.source(path), [at])
    return bool(page.lines)


def _regions(page: FactPage, queries: Queries, name: str, moved: set[str]) -> bool:
    """Adds the regions of addresses of a name, those that hosts are known of alone."""
    words = {word.lower() for word in re.findall(r"[A-Za-z]+|\d+", name)}
    if add_regions(page, words, queries, moved, hosts=False):
        return True
    try:
        meant = regions_meant(words, queries.regions())
        regions = [one for each in meant for one in queries.reach(each)["answers"]]
    except HdlgraphError:
        return False
    regions = [one for one in regions if one["path"] not in moved and one["base"] is not None]
    regions = list({(one["path"], one["line"]): one for one in regions}.values())
    regions = [one for one in regions if of_design(one["path"])] or regions
    for one in regions[:MAX_LISTED]:
        size = f", {one['size']} bytes" if (one["size"] or 0) > 0 else ""
        page.add(f"{one['instance']} is at 0x{one['base']:x}{size}:")
        page.code(one["path"], page.source(one["path"]), [one["line"]])
    return bool(regions)


def _called(graph: Graph, name: str, moved: set[str]) -> list[int]:
    """Returns the parameters that are called so, those of the design and of packages first."""
    nodes = graph.nodes
    names, kinds, paths = (nodes.column(key) for key in ("name", "kind", "path"))
    found = [
        row
        for row in graph.ending(name)
        if kinds[row] == NodeKind.PARAMETER.value
        and names[row].rpartition(".")[2] == name
        and paths[row]
        and paths[row] not in moved
    ]
    lines = nodes.column("line")
    return sorted(found, key=lambda row: (not of_design(paths[row]), paths[row], lines[row]))


def _fitting(graph: Graph, name: str, moved: set[str]) -> list[int]:
    """Returns the parameters called as a device's base: `uart_base_addr_p` for "uart"."""
    wanted = {word.lower() for word in name.split()}
    nodes = graph.nodes
    names, paths, lines = (nodes.column(key) for key in ("name", "path", "line"))
    found = []
    for row, kind in enumerate(nodes.column("kind")):
        if kind != NodeKind.PARAMETER.value or not paths[row] or paths[row] in moved:
            continue
        parts = {part.lower() for part in split_identifier(names[row].rpartition(".")[2])}
        if wanted <= parts and parts & _BASES and parts - wanted <= _PLAIN:
            found.append(row)
    design = [row for row in found if of_design(paths[row])] or found
    design.sort(key=lambda row: (paths[row], lines[row]))
    return design if len(design) <= FEW else []
