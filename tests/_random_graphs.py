"""Random small design graphs for properties of walks."""

from __future__ import annotations

import hypothesis.strategies as st

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Edge, Node

KINDS = ("module", "package", "class", "interface", "concept")
PARTS = ("port", "signal", "type", "instance", "macro", "class")
USES = (
    *("INSTANTIATES", "BINDS", "IMPORTS", "INCLUDES", "EXTENDS", "USES", "CONNECTS"),
    *("PARAMETERIZES", "IMPLEMENTS", "DESCRIBED_BY", "NEW_KIND"),
)


@st.composite
def graphs(draw) -> Graph:
    """Draws a graph of a few files, units and parts with any edges between them."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def add(kind: str, path: str, parents: list[str]) -> None:
        name = f"n{len(nodes)}"
        nodes.append(Node(f"{kind}:{name}", kind, name, path, len(nodes) + 1))
        if parents:
            parent = draw(st.sampled_from(parents))
            edges.append(Edge(parent, nodes[-1].id, "DEFINES", path, len(nodes)))

    files = draw(st.integers(1, 4))
    for number in range(files):
        add("file", f"f{number}.sv", [])
    for kind in draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6)):
        outside = kind == "concept" or draw(st.integers(0, 9)) == 0  # a stub
        path = "" if outside else f"f{draw(st.integers(0, files - 1))}.sv"
        add(kind, path, [node.id for node in nodes[:files] if node.path == path])
    units = [node.id for node in nodes[files:] if node.path]
    for kind in draw(st.lists(st.sampled_from(PARTS), max_size=6)):
        add(kind, "f0.sv", units or [nodes[0].id])
    ids = st.sampled_from([node.id for node in nodes])
    for kind in draw(st.lists(st.sampled_from(USES), max_size=16)):
        sure = draw(st.sampled_from((0.5, 1.0)))
        place = draw(st.sampled_from(("f0.sv", "f1.sv")))
        edges.append(Edge(draw(ids), draw(ids), kind, place, len(edges) + 1, confidence=sure))
    return Graph.of(nodes, edges)
