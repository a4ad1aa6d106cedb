"""Reads processes (always, initial, final, assign): clocks, resets, names read and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hdlgraph.model import Process
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText
from hdlgraph.parsers.text.expressions import distinct, names, targets

_EDGE = re.compile(r"\b(posedge|negedge|edge)\s+\(?\s*([A-Za-z_][\w$.]*)")
_LABEL = re.compile(r"\bbegin\s*:\s*([A-Za-z_]\w*)")
_FIRST_IF = re.compile(r"^\s*(?:begin\b\s*(?::\s*\w+)?)?\s*if\s*\(((?:[^()]|\([^()]*\))*)\)")
_RESET = re.compile(r"rst|reset|clear|clr", re.IGNORECASE)
# A left side stands at the start of a statement.
_LEFT = re.compile(
    r"(?:^|[;:)]|\b(?:begin|else|assign|do|initial|always_comb|always_latch))\s*(\{[^{};=]*\}|[A-Za-z_][\w$.]*(?:\s*\[[^\]=;]*\])*"
    r"(?:\.\w+)*)\s*(?:<=|[-+|&^]?=)(?!=)"
)
_assignments: list[Any] = []


def assignment_kinds() -> list[Any]:
    """Returns the syntax kinds that write their left side."""
    if not _assignments:
        from pyslang.syntax import SyntaxKind

        _assignments.extend(
            getattr(SyntaxKind, name)
            for name in dir(SyntaxKind)
            if name.endswith("AssignmentExpression")
            or name
            in (
                "NonblockingAssignmentExpression",
                "PostincrementExpression",
                "PostdecrementExpression",
            )
        )
    return _assignments


def read_process(node: Any, kind: str, at: NodeText) -> Process | None:
    """Returns the process of one procedural block or continuous assignment of pyslang."""
    line = at.line(node)
    if not line:
        return None
    written: list[str] = []

    def assigned(item: Any) -> None:
        left = getattr(item, "left", None) or getattr(item, "operand", None)
        if left is not None:
            written.extend(targets(at.raw(left)))

    node.visit(lookup_table=dict.fromkeys(assignment_kinds(), assigned))
    comment = at.inventory.comments.of(line)
    return _process(at.raw(node), kind, (line, max(at.end_line(node), line)), written, comment)


def process_of_text(
    text: str,
    kind: str,
    line: int,
    end_line: int,
    comment: str,
    assigned: Sequence[str] | None = None,
) -> Process:
    """Returns a process by its text alone (comments blanked).

    `assigned` are the left sides where they are known; else they are found in the text.
    """
    if assigned is None:
        assigned = [match[1] for match in _LEFT.finditer(text)]
    written = [name for left in assigned for name in targets(left)]
    return _process(text, kind, (line, end_line), written, comment)


def _process(
    text: str, kind: str, lines: tuple[int, int], written: list[str], comment: str
) -> Process:
    body, clocks, resets = _timing(text, kind)
    uses = Counter(names(body))
    uses.subtract(Counter(written))
    label = _LABEL.search(body) if kind != "assign" else None
    return Process(
        kind=kind,
        line=lines[0],
        end_line=lines[1],
        label=label[1] if label else "",
        clocks=clocks,
        resets=resets,
        reads=tuple(name for name, count in uses.items() if count > 0),
        writes=distinct(written),
        comment=comment,
    )


def _timing(text: str, kind: str) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Returns (text after the event control, clocks, resets)."""
    if not kind.startswith("always") or kind == "always_comb":
        return text, (), ()
    match = re.match(r"\s*always\w*\s*@\s*", text)
    if not match:
        return text, (), ()
    end = _group_end(text, match.end())
    event, body = text[match.end() : end], text[end:]
    edges = _EDGE.findall(event)
    first = _FIRST_IF.match(body)
    tested = set(names(first[1])) if first else set()
    if not edges:
        return text, (), ()
    resets = [name for _, name in edges if name in tested] if len(edges) > 1 else []
    clocks = tuple(edge for edge in edges if edge[1] not in resets)
    if not clocks:
        clocks, resets = tuple(edges[:1]), [name for _, name in edges[1:]]
    if not resets and first:
        resets = [name for name in distinct(names(first[1])) if _RESET.search(name)]
    return body, tuple(clocks), tuple(resets)


def _group_end(text: str, start: int) -> int:
    if text[start : start + 1] != "(":
        match = re.match(r"[\w.*]+", text[start:])
        return start + (match.end() if match else 0)
    depth = 0
    for at in range(start, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                return at + 1
    return start


def within(process: Process, declared: frozenset[str] | set[str]) -> Process:
    """Returns a process whose reads and writes are only names that its unit declares."""
    cap = limits.NAMES_PER_PROCESS
    return Process(
        kind=process.kind,
        line=process.line,
        end_line=process.end_line,
        label=process.label,
        clocks=process.clocks,
        resets=process.resets,
        reads=tuple(name for name in process.reads if name in declared)[:cap],
        writes=tuple(name for name in process.writes if name in declared)[:cap],
        comment=process.comment,
    )
