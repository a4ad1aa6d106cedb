"""A small graph made by hand, its generation and code, and what GraphRAG's tables of it hold."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Edge, Explanation, Node
from hdlgraph.settings.records import Settings
from hdlgraph.store.explanations import write_jsonl

FILES = ("lib/a/cell.sv", "lib/b/cell.sv", "rtl/fifo.sv", "rtl/pair.sv", "rtl/top.sv")
PURPOSES = {
    "lib/a/cell.sv": "Behavioural model of a clock gate.",
    "lib/b/cell.sv": "Clock gate of the cell library.",
    "rtl/fifo.sv": "Queue that buffers words between a producer and a consumer.",
    "rtl/pair.sv": "Two adders whose names differ only by case.",
    "rtl/top.sv": "Top level of the chip with all its pins.",
}


def nodes_and_edges() -> tuple[list[Node], list[Edge]]:
    def node(kind, path, name, line=1, text=""):
        return Node(f"{kind}:{path}#{name}", kind, name, path, line, text=text)

    found = [node("file", path, path) for path in FILES]
    found += [
        node("module", "lib/a/cell.sv", "cell"),
        node("module", "lib/b/cell.sv", "cell"),
        node("module", "rtl/fifo.sv", "fifo", 3),
        node("port", "rtl/fifo.sv", "fifo.wdata", 4),
        node("module", "rtl/pair.sv", "adder", 1),
        node("module", "rtl/pair.sv", "Adder", 9, "Adds with carry."),
        node("module", "rtl/top.sv", "top", 2),
        node("signal", "rtl/top.sv", "top.data", 5),
        node("instance", "rtl/top.sv", "top.u_fifo", 8),
        node("concept", "", "flow control", 0),
        node("concept", "", "carry chain", 0),
        node("file", "", "missing.svh", 0),
    ]
    by_name = {(n.kind, n.path, n.name): n.id for n in found}

    def edge(kind, source, target, line=1, text=""):
        path = source[1]
        return Edge(by_name[source], by_name[target], kind, path, line, text)

    edges = [
        edge("DEFINES", ("file", n.path, n.path), (n.kind, n.path, n.name), n.line)
        for n in found
        if n.kind == "module"
    ]
    fifo, top = ("module", "rtl/fifo.sv", "fifo"), ("module", "rtl/top.sv", "top")
    port, signal = ("port", "rtl/fifo.sv", "fifo.wdata"), ("signal", "rtl/top.sv", "top.data")
    instance, idea = ("instance", "rtl/top.sv", "top.u_fifo"), ("concept", "", "flow control")
    edges += [
        edge("DEFINES", fifo, port, 4),
        edge("DEFINES", top, signal, 5),
        edge("DEFINES", top, instance, 8),
        edge("INSTANTIATES", instance, fifo, 8, "u_fifo"),
        edge("CONNECTS", signal, port, 9, "wdata"),
        edge("CONNECTS", signal, port, 10, "wdata"),
        edge("IMPLEMENTS", fifo, idea, 3),
        edge("IMPLEMENTS", top, idea, 2),
        edge("IMPLEMENTS", ("module", "rtl/pair.sv", "Adder"), ("concept", "", "carry chain"), 9),
        edge("INCLUDES", ("file", "rtl/top.sv", "rtl/top.sv"), ("file", "", "missing.svh"), 1),
    ]
    return found, edges


def write_generation(folder: Path, nodes: list[Node], edges: list[Edge]) -> Path:
    Graph.of(nodes, edges).save(folder)
    known = [
        Explanation(path=path, purpose=text, sha256="0" * 64) for path, text in PURPOSES.items()
    ]
    write_jsonl(known, folder / "explanations.jsonl")
    return folder


def write_code(root: Path) -> None:
    texts = {path: f"module m; // {path}\nendmodule\n".encode() for path in FILES}
    texts["rtl/fifo.sv"] = b"// <|endoftext|> {a, b} ${x} $clog2 ##1 \x00\xff\n" * 400
    texts["lib/b/cell.sv"] = texts["lib/a/cell.sv"]
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)


def changed(section: str, **values) -> Settings:
    settings = Settings()
    part = dataclasses.replace(getattr(settings, section), **values)
    return dataclasses.replace(settings, **{section: part})


def table(folder: Path, name: str) -> list[dict]:
    import pyarrow.parquet as pq

    return pq.read_table(folder / "output" / f"{name}.parquet").to_pylist()


def vectors(folder: Path) -> dict[str, list[float]]:
    import lancedb

    rows = lancedb.connect(folder / "output" / "lancedb").open_table("entity_description")
    return {row["id"]: row["vector"] for row in rows.to_arrow().to_pylist()}
