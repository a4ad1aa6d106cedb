"""Writes a graph as GraphML, GEXF, JSON or Cypher text, one record at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.graph.cypher import cypher
from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS, Graph
from hdlgraph.graph.graph_xml import gexf, graphml
from hdlgraph.model.kinds import relation
from hdlgraph.safety.safe_files import create_file

SCHEMA = 1


def export(graph: Graph, fmt: str, path: Path) -> None:
    """Writes the graph to a file, which appears when it is complete.

    Raises:
        UsageError: the format is unknown, or the file's folder is not there.
        HdlgraphError: the file cannot be written.
    """
    _write_file(path, lines(graph, fmt))


def write_pieces(pieces: Iterable[str], target: Path | BinaryIO) -> None:
    """Writes text to a file, which appears when it is complete, or to an open stream.

    Raises:
        HdlgraphError: the file cannot be written.
    """
    if isinstance(target, Path):
        _write_file(target, pieces)
    else:
        target.writelines(_encoded(pieces))
        target.flush()


def _write_file(path: Path, pieces: Iterable[str]) -> None:
    if path.exists() and not path.is_file():
        raise HdlgraphError(f"{path}: is no regular file; name another")
    partial = path.with_name(f".{path.name}.partial")
    try:
        with create_file(partial) as stream:
            stream.writelines(_encoded(pieces))
        partial.replace(path)
    except HdlgraphError:
        partial.unlink(missing_ok=True)
        raise
    except OSError as error:
        partial.unlink(missing_ok=True)
        kind = HdlgraphError if path.parent.is_dir() else UsageError
        reason = error.strerror or error
        raise kind(f"{path}: cannot be written ({reason}); name another file") from error


def export_to(graph: Graph, fmt: str, stream: BinaryIO) -> None:
    """Writes the graph to an open stream.

    Raises:
        UsageError: the format is unknown.
    """
    write_pieces(lines(graph, fmt), stream)


def _encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    return (piece.encode("utf-8", "backslashreplace") for piece in pieces)


def lines(graph: Graph, fmt: str) -> Iterator[str]:
    """Returns the text of an export in pieces, each of whole lines.

    Raises:
        UsageError: the format is unknown.
    """
    writer = FORMATS.get(fmt)
    if writer is None:
        raise UsageError(f"{fmt!r} is no export format: use {', '.join(FORMATS)}")
    return writer(graph)


def _json(graph: Graph) -> Iterator[str]:
    """Yields the node-link form, which `networkx.node_link_graph(data, edges="edges")` reads.

    networkx's own `node_link_data` needs the whole graph in memory three times.
    """
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


FORMATS: dict[str, Callable[[Graph], Iterator[str]]] = {
    "graphml": graphml,
    "gexf": gexf,
    "json": _json,
    "cypher": cypher,
}
