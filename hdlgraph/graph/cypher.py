"""Cypher statements that create a graph in Neo4j, one a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS, Graph
from hdlgraph.model.kinds import entities, relation

EDGE_FIELDS = EDGE_COLUMNS[2:]

_NO_NAME = re.compile(r"\W")
CYPHER_PLAIN = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
CYPHER_SPECIAL = re.compile("\\\\[uU]?|['\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def cypher_string(value: str) -> str:
    r"""Returns a Cypher string literal; no content can end it.

    After a backslash `u` becomes an escape of its own: Neo4j replaces `\uXXXX` in the whole
    statement before it looks for strings, and might see one in an escaped backslash and `u0027`.
    """
    return "'" + CYPHER_SPECIAL.sub(_cypher_escape, value) + "'"


def _cypher_escape(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 2:
        return f"\\\\\\u{ord(found[1]):04X}"
    if "\ud800" <= found <= "\udfff":
        return "\ufffd"  # half a character: no encoding has it
    return CYPHER_PLAIN.get(found) or f"\\u{ord(found):04X}"


def _cypher_value(value: Any) -> str:
    return repr(value) if isinstance(value, int | float) else cypher_string(str(value))


def cypher(graph: Graph) -> Iterator[str]:
    """Yields one statement a line for Neo4j; every node has the label HDL besides its kind."""
    labels = {kind.name: kind.label for kind in entities()}
    yield "CREATE CONSTRAINT hdl_id IF NOT EXISTS FOR (n:HDL) REQUIRE n.id IS UNIQUE;\n"
    for node in graph.nodes:
        fields = ", ".join(f"{name}: {_cypher_value(getattr(node, name))}" for name in NODE_COLUMNS)
        label = labels.get(node.kind, "Other")
        yield f"CREATE (:HDL:{label} {{{fields}}});\n"
    for edge in graph.edges:
        kind = _NO_NAME.sub("_", edge.kind)
        names = [name for name in EDGE_FIELDS if name != "kind"]
        fields = ", ".join(f"{name}: {_cypher_value(getattr(edge, name))}" for name in names)
        fields += f", label: {cypher_string(relation(edge.kind).forward)}"
        ends = f"(a:HDL {{id: {cypher_string(edge.source)}}}), "
        ends += f"(b:HDL {{id: {cypher_string(edge.target)}}})"
        yield f"MATCH {ends} CREATE (a)-[:{kind} {{{fields}}}]->(b);\n"
