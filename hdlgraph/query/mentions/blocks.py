"""Generate blocks by their label: where each stands, its condition, and what it declares."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.query.design.names import is_unit, matching, place
from hdlgraph.query.design.show import member
from hdlgraph.query.design.uses import code_of
from hdlgraph.query.mentions import lines as texts
from hdlgraph.query.mentions.lines import FILES, LIKELY, SURE, Line, Sources, around, holding, use

DEFINES, INSTANTIATES = EdgeKind.DEFINES.value, EdgeKind.INSTANTIATES.value
INSTANCE = NodeKind.INSTANCE.value
BLOCK = "generate block"
SECTIONS = {
    NodeKind.PARAMETER.value: "parameters",
    NodeKind.TYPE.value: "types",
    NodeKind.SIGNAL.value: "signals",
    NodeKind.INSTANCE.value: "instances",
    NodeKind.FUNCTION.value: "routines",
    NodeKind.TASK.value: "routines",
}
"""The list of a block in which each kind of what it declares stands."""
DEEP, HEADER = 64, 300
"""Labels in each other, and characters of what stands before a `begin`."""
_LABEL = r"[A-Za-z_][\w$]*"
_WORD = re.compile(rf"\b(begin|end)\b(?:\s*:\s*({_LABEL}))?")
_INDEX = re.compile(r"\[[^\[\]]{0,40}\]")
_PROCESS = re.compile(r"\b(?:always\w*|initial|final|function|task)\b")


class Block(NamedTuple):
    """A labelled block of a unit; `labels` are those around it and its own, outermost first."""

    unit: int
    labels: tuple[str, ...]
    path: str
    line: int
    end_line: int
    header: str


def blocks_of(graph: Graph, sources: Sources, name: str) -> list[Block]:
    """Returns the generate blocks of a name, by path and line.

    A name is `LABEL` or `OUTER.LABEL`, after a unit or an instance or alone; indices may stand in
    it, and outer labels may be left out.
    """
    words = [word for word in _INDEX.sub("", name.strip()).split(".") if word][:DEEP]
    if not words or not all(word.isidentifier() for word in words):
        return []
    units: set[int] | None = None
    for count in range(len(words) - 1, 0, -1):
        rows = matching(graph, ".".join(words[:count]))
        if units := {one for row in rows for one in _units(graph, row)}:
            words = words[count:]
            break
    found = []
    for path in holding(sources.lexicon, words[-1])[:FILES]:
        text = sources.text(path)
        if re.search(rf"\bbegin\s*:\s*{re.escape(words[-1])}(?![\w$])", text):
            found += [
                Block(unit, labels, path, line, end, header)
                for labels, line, end, header in _labelled(text)
                if _fits(labels, words) and (unit := around(graph, path, line)) >= 0
                and is_unit(graph.nodes.column("kind")[unit]) and (not units or unit in units)
            ]  # fmt: skip
    return found


def block_record(graph: Graph, sources: Sources, block: Block) -> dict[str, Any]:
    """Returns what `show` answers on a block: place, header, condition, and what it declares."""
    nodes, edges = graph.nodes, graph.edges
    found: dict[str, Any] = {
        **target(graph, block),
        "end_line": block.end_line,
        "doc": "",
        "detail": block.header,
        "confidence": 1.0,
        "condition": _condition(sources, block),
        "external": False,
        **{section: [] for section in SECTIONS.values()},
    }
    for edge in graph.out_edges(block.unit).tolist():
        row = int(edges.column("target")[edge])
        section = SECTIONS.get(nodes.column("kind")[row], "")
        within = block.line <= nodes.column("line")[row] <= block.end_line
        if edges.column("kind")[edge] == DEFINES and section and within:
            found[section].append(member(graph, row))
    return found


def target(graph: Graph, block: Block) -> dict[str, Any]:
    """Returns the place of a block and what it is `declared_by`."""
    name = ".".join((graph.nodes.column("name")[block.unit], *block.labels))
    return {
        "id": "",
        "kind": BLOCK,
        "name": name,
        "path": block.path,
        "line": block.line,
        "location": str(Location(block.path, block.line)),
        "declared_by": [place(graph, block.unit)],
    }


def uses_of(graph: Graph, sources: Sources, blocks: list[Block]) -> list[dict[str, Any]]:
    """Returns the lines that reach into blocks by their label, as `who` lists users."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for block in blocks:
        label = block.labels[-1]
        reach = re.compile(rf"(?<![\w$]){re.escape(label)}\s*(?:\[[^\[\]\n]*\])?\s*\.\s*{_LABEL}")
        for path in holding(sources.lexicon, label)[:FILES]:
            for number, text in texts.matching(sources.text(path), reach):
                own = around(graph, path, number) == block.unit
                if not own and not re.search(rf"\.\s*{re.escape(label)}(?![\w$])", text):
                    continue
                line, sure = Line(path, number, text), SURE if own else LIKELY
                resolved = "unique" if own else "candidate"
                one = use(graph, block.unit, line, sure=sure, resolved=resolved)
                found.setdefault((path, number), {**one, "target": ""})
    return [found[key] for key in sorted(found)]


def _units(graph: Graph, row: int) -> list[int]:
    """Returns a unit itself, of an instance its units."""
    kinds, edges = graph.nodes.column("kind"), graph.edges
    if is_unit(kinds[row]):
        return [row]
    if kinds[row] != INSTANCE:
        return []
    return [
        int(edges.column("target")[edge])
        for edge in graph.out_edges(row).tolist()
        if edges.column("kind")[edge] == INSTANTIATES
    ]


def _fits(labels: tuple[str, ...], words: list[str]) -> bool:
    """Returns whether words are the last labels in their order; others may stand between."""
    if not labels or labels[-1] != words[-1]:
        return False
    left = iter(labels)
    return all(word in left for word in words)


@lru_cache(maxsize=16)
def _labelled(text: str) -> tuple[tuple[tuple[str, ...], int, int, str], ...]:
    """Returns the labelled blocks of a text outside of processes: labels, lines, header."""
    code = code_of(text)
    found: list[tuple[tuple[str, ...], int, int, str]] = []
    open_blocks: list[tuple[str, int, str, bool]] = []
    closed, last = "", 0
    line, counted = 1, 0
    for word in _WORD.finditer(code):
        line += code.count("\n", counted, word.start())
        counted = word.start()
        if word[1] == "begin":
            header = " ".join(_before(code, last, word.start()).split())
            process = bool(_PROCESS.search(header)) or bool(open_blocks and open_blocks[-1][3])
            if header.startswith("else"):
                header = f"{header} of {closed}"
            open_blocks.append((word[2] or "", line, _short(header), process))
        elif open_blocks:
            label, begin, header, process = open_blocks.pop()
            closed = header
            if label and not process:
                around_it = tuple(one[0] for one in open_blocks if one[0])
                found.append(((*around_it, label), begin, line, header))
        last = word.end()
    return tuple(sorted(found, key=lambda one: (one[1], one[0])))


def _before(code: str, last: int, end: int) -> str:
    """Returns what stands between the last statement and a place; a loop has `;` in brackets."""
    depth, first = 0, max(last, end - HEADER)
    for at in range(end - 1, first - 1, -1):
        depth += (code[at] == ")") - (code[at] == "(")
        if code[at] == ";" and depth <= 0:
            return code[at + 1 : end]
    return code[first:end]


def _short(header: str) -> str:
    """Returns the test or loop that ends what stands before a `begin`, else all of that."""
    found = re.search(r"(?:\belse\b|\bif\s*\(|\bfor\s*\(|\bcase\s*\().*", header)
    return (found[0] if found else header)[:HEADER]


def _condition(sources: Sources, block: Block) -> str:
    """Returns the condition of a block as its instances state it, else as it stands before it."""
    record = sources.facts(block.path)
    for unit in record.units:
        for instance in unit.instances:
            for scope in instance.scopes:
                if scope.label == block.labels[-1] and scope.line == block.line:
                    return str(scope.condition)
    return block.header
