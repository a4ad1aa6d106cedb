"""GraphML and GEXF text of a graph, written by networkx a batch of records at a time.

networkx's writers make a tree of XML elements and turn it into text at the end: a gigabyte for
200,000 records. So each batch is a small graph of its own, whose elements are written and let
go. What stands around them, the frame, is written once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.graph.graph import EDGE_COLUMNS, NODE_COLUMNS, Graph
from hdlgraph.model.kinds import entity, relation

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import networkx as nx

BATCH = 2000
"""Nodes or edges that are XML elements at one time."""
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped; sources do hold such characters."""

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_GAP = "\n"
"""Where a frame is cut; it has no other line break, as those of attributes are escaped."""


def graphml(graph: Graph) -> Iterator[str]:
    """Yields the GraphML text of a graph; the id of an edge is its row."""
    from networkx.readwrite.graphml import GraphMLWriter

    writer = GraphMLWriter(prettyprint=False)

    def add(batch: nx.MultiDiGraph) -> None:
        for _, _, data in batch.edges(data=True):
            data["label"] = relation(data["kind"]).forward
        writer.add_graph_element(batch)
        writer.attributes.clear()  # it keeps every element that was made

    return _document(graph, writer.xml, add, lambda made, _: made)


def gexf(graph: Graph) -> Iterator[str]:
    """Yields the GEXF 1.2 text of a graph; with the labels and colours of the kinds."""
    from networkx.readwrite.gexf import GEXFWriter

    writer = GEXFWriter(prettyprint=False)
    writer.xml.remove(writer.xml[0])  # `meta` names the day of the export
    writer.xml.set("xmlns:viz", writer.NS_VIZ)

    def add(batch: nx.MultiDiGraph) -> None:
        for _, data in batch.nodes(data=True):
            if data:
                data |= {"label": data["name"], "viz": _viz(entity(data["kind"]).colour)}
        for _, _, row, data in batch.edges(keys=True, data=True):
            kind = relation(data["kind"])
            data |= {"label": kind.forward, "id": row, "viz": _viz(kind.colour)}
        writer.add_graph(batch)

    def holder(made: Element, name: str) -> Element:
        found = made.find(f"{name}s")
        assert found is not None
        return found

    return _document(graph, writer.xml, add, holder)


def _viz(colour: str) -> dict[str, Any]:
    """Returns a colour such as "#1f77b4" as networkx's GEXF writer takes it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return {"color": {"r": red, "g": green, "b": blue, "a": 1.0}}


def _document(
    graph: Graph,
    root: Element,
    add: Callable[[nx.MultiDiGraph], None],
    holder: Callable[[Element, str], Element],
) -> Iterator[str]:
    """Yields a document; each record begins on a line of its own.

    Args:
        graph: what to write.
        root: the outermost element of networkx's writer.
        add: appends a networkx graph to `root`, as its last element.
        holder: returns, of that element, the one that holds those called "node" or "edge".
    """
    from xml.etree.ElementTree import tostring

    ids = _ids(graph)
    add(_batch(graph, ids, slice(1), slice(1)))  # declares the attributes: part of the frame
    frame = root[-1]
    for name in ("node", "edge"):
        gap = holder(frame, name)
        for one in gap.findall(name):
            gap.remove(one)
        gap.text = _GAP
    head, *rest = tostring(root, "unicode").split(_GAP)
    root.remove(frame)
    yield _DECLARATION + head + "\n"
    for name, count in (("node", len(graph.nodes)), ("edge", len(graph.edges))):
        for start in range(0, count, BATCH):
            rows = slice(start, start + BATCH)
            add(_batch(graph, ids, *((rows, slice(0)) if name == "node" else (slice(0), rows))))
            made = root[-1]
            root.remove(made)
            yield _lines(holder(made, name).findall(name))
        if len(rest) > 1:  # GEXF has a part for the nodes and one for the edges
            yield rest.pop(0) + "\n"
    yield rest.pop() + "\n"


def _lines(elements: Sequence[Element]) -> str:
    """Returns the text of some elements, each on its own line."""
    from xml.etree.ElementTree import Element, tostring

    for one in elements:
        one.tail = "\n"
    box = Element("_")
    box.extend(elements)
    text = tostring(box, "unicode")
    text = text[text.index(">") + 1 :].removesuffix("</_>")  # the frame declares the namespaces
    return text.replace("\r", "&#13;")  # in the text of an element ElementTree leaves it


def _ids(graph: Graph) -> list[str]:
    """Returns the ids of the nodes; those that XML cannot hold get their row, to stay unique."""
    return [
        f"{_plain(node)}#{row}" if NOT_XML.search(node) else node
        for row, node in enumerate(graph.nodes.column("id"))
    ]


def _batch(graph: Graph, ids: Sequence[str], nodes: slice, edges: slice) -> nx.MultiDiGraph:
    """Returns some rows of a graph for networkx; edges bring their ends without fields."""
    import networkx as nx

    batch = nx.MultiDiGraph()
    columns = [graph.nodes.column(name)[nodes] for name in NODE_COLUMNS[1:]]
    for node, *fields in zip(ids[nodes], *columns, strict=True):
        batch.add_node(node, **dict(zip(NODE_COLUMNS[1:], map(_plain, fields), strict=True)))
    columns = [graph.edges.column(name)[edges] for name in EDGE_COLUMNS]
    rows = enumerate(zip(*columns, strict=True), edges.start or 0)
    for row, (source, target, *fields) in rows:
        data = dict(zip(EDGE_COLUMNS[2:], map(_plain, fields), strict=True))
        data["instance"] = ids[data["instance"]] if data["instance"] >= 0 else ""
        batch.add_edge(ids[source], ids[target], key=row, **data)
    return batch


def _plain(value: Any) -> Any:
    """Returns a value with U+FFFD for each character that XML cannot hold."""
    return NOT_XML.sub("\ufffd", value) if isinstance(value, str) else value
