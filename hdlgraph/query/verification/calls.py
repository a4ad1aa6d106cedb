"""Finds the lines that call a function which DPI imports or exports."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location
from hdlgraph.parsers.text.source import read_source
from hdlgraph.query.mentions.lines import FILES, TEXT, Sources, around, holding

MOST = 500
"""Calls of one function that are counted."""
_DECLARES = re.compile(r"\b(?:function|task|import|export)\b[^;]*\Z")


def callers(graph: Graph, sources: Sources, name: str) -> list[dict[str, Any]]:
    """Returns the calls of a function in SystemVerilog, by path and line, each with its unit."""
    call = re.compile(rf"(?<![\w$.]){re.escape(name)}\s*\(")
    names, kinds = graph.nodes.column("name"), graph.nodes.column("kind")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in holding(sources.lexicon, name)[:FILES]:
        text = sources.text(path)
        if name not in text:
            continue
        source = read_source(text.encode())
        lines = source.bare.split("\n")
        for match in call.finditer(source.code):
            head = source.code[max(0, match.start() - 600) : match.start()]
            line = source.line_of(match.start())
            if _DECLARES.search(head[head.rfind(";") + 1 :]) or len(found) >= MOST:
                continue
            row = around(graph, path, line)
            found.setdefault(
                (path, line),
                {
                    "unit": names[row] if row >= 0 else "",
                    "kind": kinds[row] if row >= 0 else "",
                    "text": " ".join(lines[line - 1].split())[:TEXT],
                    "location": str(Location(path, line)),
                },
            )
    return list(found.values())
