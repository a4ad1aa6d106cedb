"""Writes a graph as GraphML, GEXF, JSON or Cypher text, one record at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS, Graph
from hdlgraph.model.kinds import entities, entity, relation
from hdlgraph.safety.safe_files import create_file

SCHEMA = 1
NUMBERS = {"line": "int", "end_line": "int", "confidence": "double"}
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped; sources do hold such characters."""

_NO_NAME = re.compile(r"\W")

NODE_FIELDS = NODE_COLUMNS[1:]
EDGE_FIELDS = EDGE_COLUMNS[2:]


def export(graph: Graph, fmt: str, path: Path) -> None:
    """Writes the graph to a file, which appears when it is complete.

    Raises:
        UsageError: the format is unknown.
        HdlgraphError: the file cannot be written.
    """
    pieces = lines(graph, fmt)
    if path.exists() and not path.is_file():
        raise HdlgraphError(f"{path}: is no regular file; name another")
    partial = path.with_name(f".{path.name}.partial")
    try:
        with create_file(partial) as stream:
            stream.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = error.strerror or error
        raise HdlgraphError(f"{path}: cannot be written ({reason}); name another file") from error


def lines(graph: Graph, fmt: str) -> Iterator[str]:
    """Returns the text of an export piece by piece, each ending in a newline.

    Raises:
        UsageError: the format is unknown.
    """
    writer = FORMATS.get(fmt)
    if writer is None:
        raise UsageError(f"{fmt!r} is no export format: use {', '.join(FORMATS)}")
    return writer(graph)


def _xml(value: Any) -> str:
    return escape(
        NOT_XML.sub("\ufffd", str(value)),
        {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"},
    )


def _graphml(graph: Graph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for letter, scope, names in (("n", "node", NODE_FIELDS), ("e", "edge", EDGE_FIELDS)):
        for name in names:
            kind = NUMBERS.get(name, "string")
            key = f'id="{letter}_{name}" for="{scope}" attr.name="{name}" attr.type="{kind}"'
            yield f"<key {key}/>\n"
    yield '<key id="e_label" for="edge" attr.name="label" attr.type="string"/>\n'
    yield '<graph edgedefault="directed">\n'
    for node in graph.nodes:
        data = "".join(
            f'<data key="n_{name}">{_xml(getattr(node, name))}</data>' for name in NODE_FIELDS
        )
        yield f'<node id="{_xml(node.id)}">{data}</node>\n'
    for row, edge in enumerate(graph.edges):
        data = "".join(
            f'<data key="e_{name}">{_xml(getattr(edge, name))}</data>' for name in EDGE_FIELDS
        )
        data += f'<data key="e_label">{_xml(relation(edge.kind).forward)}</data>'
        ends = f'source="{_xml(edge.source)}" target="{_xml(edge.target)}"'
        yield f'<edge id="e{row}" {ends}>{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _gexf(graph: Graph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<gexf xmlns="http://www.gexf.net/1.2draft" '
    yield 'xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">\n'
    yield '<graph defaultedgetype="directed" mode="static">\n'
    for scope, names in (("node", NODE_FIELDS), ("edge", EDGE_FIELDS)):
        yield f'<attributes class="{scope}">\n'
        for name in names:
            kind = {"int": "integer"}.get(NUMBERS.get(name, ""), NUMBERS.get(name, "string"))
            yield f'<attribute id="{scope}_{name}" title="{name}" type="{kind}"/>\n'
        yield "</attributes>\n"
    yield "<nodes>\n"
    for node in graph.nodes:
        values = _gexf_values("node", node, NODE_FIELDS) + _gexf_colour(entity(node.kind).colour)
        yield f'<node id="{_xml(node.id)}" label="{_xml(node.name)}">{values}</node>\n'
    yield "</nodes>\n<edges>\n"
    for row, edge in enumerate(graph.edges):
        ends = f'source="{_xml(edge.source)}" target="{_xml(edge.target)}"'
        about = relation(edge.kind)
        values = _gexf_values("edge", edge, EDGE_FIELDS) + _gexf_colour(about.colour)
        yield f'<edge id="{row}" {ends} label="{_xml(about.forward)}">{values}</edge>\n'
    yield "</edges>\n</graph>\n</gexf>\n"


def _gexf_values(scope: str, record: Any, names: tuple[str, ...]) -> str:
    pairs = ((name, _xml(getattr(record, name))) for name in names)
    inner = "".join(f'<attvalue for="{scope}_{name}" value="{value}"/>' for name, value in pairs)
    return f"<attvalues>{inner}</attvalues>"


def _gexf_colour(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f'<viz:color r="{red}" g="{green}" b="{blue}"/>'


def _json(graph: Graph) -> Iterator[str]:
    """Node-link form, as `networkx.node_link_graph(data, edges="edges")` reads it."""
    yield f'{{"schema": {SCHEMA}, "directed": true, "multigraph": true, "graph": {{}},\n'
    yield '"nodes": [\n'
    last = len(graph.nodes) - 1
    for row, node in enumerate(graph.nodes):
        record = {name: getattr(node, name) for name in NODE_COLUMNS}
        yield json.dumps(record) + (",\n" if row < last else "\n")
    yield '],\n"edges": [\n'
    last = len(graph.edges) - 1
    for row, edge in enumerate(graph.edges):
        record = {name: getattr(edge, name) for name in EDGE_COLUMNS}
        record |= {"label": relation(edge.kind).forward, "key": row}
        yield json.dumps(record) + (",\n" if row < last else "\n")
    yield "]}\n"


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


def _cypher(graph: Graph) -> Iterator[str]:
    """Statements for Neo4j; every node has the label HDL besides its kind."""
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


FORMATS: dict[str, Callable[[Graph], Iterator[str]]] = {
    "graphml": _graphml,
    "gexf": _gexf,
    "json": _json,
    "cypher": _cypher,
}
