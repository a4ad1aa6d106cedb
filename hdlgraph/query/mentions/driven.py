"""The lines that assign a signal of an interface through a handle, a port or an instance of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.design.members.typed import TYPED
from hdlgraph.query.mentions.holders import HOLDING, Holders
from hdlgraph.query.mentions.lines import (
    FILES,
    LIKELY,
    SURE,
    Line,
    Sources,
    around,
    holding,
    naming,
    use,
)

_BEGINS = (
    r"(?:^|;|\bbegin\b|\belse\b|\b(?:assign|force|initial|final|always\w*)\b|\)|(?<!:):(?!:))\s*"
)
_CHAIN = r"(?P<chain>(?:[A-Za-z_]\w*(?:\s*\[[^\]]*\])*\s*\.\s*)+)"
_REST = r"(?:\s*\.\s*[A-Za-z_]\w*|\s*\[[^\]]*\])*\s*"
_WORD = re.compile(r"[A-Za-z_]\w*")
_INDEX = re.compile(r"\[[^\]]*\]")


def driven_outside(graph: Graph, sources: Sources, unit: str, signal: str) -> list[dict[str, Any]]:
    """Returns the lines that assign `handle.signal` of an interface, as `who` lists users.

    What the names before the signal are declared as says whose it is, a clocking block between
    them or not. Where that is unknown, the only interface with such a signal is likely meant.
    """
    nodes = graph.nodes
    kinds, names = nodes.column("kind"), nodes.column("name")
    rows = {
        row
        for row in graph.ending(unit)
        if names[row] == unit and kinds[row] == NodeKind.INTERFACE.value
    }
    target = next((row for row in graph.ending(signal) if names[row] == f"{unit}.{signal}"), -1)
    if not rows or target < 0:
        return []
    holders, alone = Holders(graph, sources.text), _is_alone(graph, unit, signal)
    found = []
    for line, words in _assigning(sources, signal):
        meant = _holding(holders, around(graph, line.path, line.number), line, words)
        sure = SURE if meant and meant <= rows else LIKELY if not meant and alone else 0.0
        if sure:
            resolved = "unique" if sure == SURE else "candidate"
            found.append(use(graph, target, line, "drives", sure=sure, resolved=resolved))
    return sorted(found, key=lambda one: (one["path"], one["line"]))


def _assigning(sources: Sources, signal: str) -> Iterator[tuple[Line, list[str]]]:
    """Yields the lines that assign a member of a name, with the names before it."""
    name = re.escape(signal)
    pattern = re.compile(rf"{_BEGINS}{_CHAIN}{name}(?![\w$]){_REST}(?:<=|=)(?!=)")
    for path in holding(sources.lexicon, signal)[:FILES]:
        for number, text in naming(sources.text(path), signal, pattern):
            found = pattern.search(text.partition("//")[0])
            if found is not None:
                yield Line(path, number, text), _WORD.findall(_INDEX.sub("", found["chain"]))


def _holding(holders: Holders, unit: int, line: Line, words: list[str]) -> frozenset[int]:
    """Returns what the names are declared as, without a last one that is a clocking block."""
    found = holders.of(line.path, line.number, unit, words)
    if not found and words[1:]:
        found = holders.of(line.path, line.number, unit, words[:-1])
    return found


def _is_alone(graph: Graph, unit: str, signal: str) -> bool:
    """Returns whether no other interface, class or type declares a name."""
    nodes = graph.nodes
    kinds, names = nodes.column("kind"), nodes.column("name")
    owners = {
        names[row].rpartition(".")[0]
        for row in graph.ending(signal)
        if kinds[row] in TYPED and names[row].rpartition(".")[2] == signal
    }
    others = (
        row for owner in owners - {unit} for row in graph.ending(owner) if names[row] == owner
    )
    return not any(kinds[row] in HOLDING for row in others)
