"""Helpers of the graph tests: the graph of `designs/graph` and records made by hand."""

from functools import cache
from pathlib import Path

from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import Connection, FileRecord, Instance, Port, Unit
from hdlgraph.parsers.includes import IncludeIndex

DESIGN = Path(__file__).parent / "designs" / "graph"


@cache
def design_records() -> tuple[FileRecord, ...]:
    """Returns the records of the design, read through all layers."""
    paths = sorted(p.relative_to(DESIGN).as_posix() for p in DESIGN.rglob("*.sv*"))
    extractor = Extractor(DESIGN, IncludeIndex(paths))
    roles = {path: "testbench" if path.startswith("dv/") else "rtl" for path in paths}
    return tuple(extractor.extract(path, "", roles[path]) for path in paths)


@cache
def design_graph() -> Graph:
    return link(design_records())


def edges(graph: Graph, kind: str, **fields) -> list[tuple[str, str, str]]:
    """Returns (source name, target name, text) of the edges of a kind, in their order."""
    nodes = {node.id: node for node in graph.nodes}
    return [
        (nodes[edge.source].name, nodes[edge.target].name, edge.text)
        for edge in graph.edges
        if edge.kind == kind and all(getattr(edge, k) == v for k, v in fields.items())
    ]


def record(path: str, *units: Unit, role: str = "rtl", **fields) -> FileRecord:
    basic = {
        "sha256": "",
        "language": "systemverilog",
        "size": 1,
        "n_lines": 9,
        "encoding": "utf-8",
    }
    return FileRecord(path=path, role=role, units=units, **basic, **fields)


def module(name: str, *uses: str, kind: str = "module", ports: str = "", line: int = 1, **fields):
    """Returns a unit whose instances `u_x` of `x` are connected by name to all of `ports`."""
    names = ports.split()
    wires = tuple(Connection(port, port, (port,), line) for port in names)
    return Unit(
        kind=kind,
        name=name,
        line=line,
        end_line=line + 5,
        ports=tuple(Port(port, "input", "logic", line) for port in names),
        instances=tuple(
            Instance(f"u_{unit}", unit, line + 1, line + 2, (), wires) for unit in uses
        ),
        **fields,
    )
