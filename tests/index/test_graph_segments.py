"""The graph in segments: what an edit leaves is what a first run writes, and reads as one table."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hdlgraph import Project
from hdlgraph.errors import IndexVersionError
from hdlgraph.graph import file_edges
from hdlgraph.graph.graph import Graph
from hdlgraph.graph.segments import ENDS, LIST, edges_file, read_list
from hdlgraph.index.kept.unchanged import SHARE
from hdlgraph.index.lexical import segments
from hdlgraph.store.tables import GRAPH_SCHEMA
from hdlgraph.store.tables.columns import number_array

FOLDERS = ("rtl", "rtl/sub", "vendor/one", "vendor/two")
UNITS = ("alpha", "beta", "gamma", "delta", "lib_cell", "lib_x_cell")
PORTS = "(input logic clk_i, input logic [3:0] d_i, output logic q_o)"
TEXTS: dict[str, Callable[[random.Random], str]] = {
    "p.sv": lambda made: (
        f"package {made.choice(UNITS)}_pkg;\n"
        f"  typedef enum logic {{A, B}} t_{made.choice('xyz')};\nendpackage\n"
    ),
    "defs.svh": lambda made: f"`define WIDTH_{made.choice('XYZ')} 4\n",
    "bind.sv": lambda made: (
        f"module checks {PORTS};\nendmodule\n"
        f"bind {made.choice(UNITS)} checks u_checks (.clk_i(clk_i), .d_i(d_i));\n"
    ),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LEAST", 3 * SHARE)
    monkeypatch.setattr(segments, "USUAL", 2 * SHARE)
    monkeypatch.setattr(segments, "MOST", 6 * SHARE)
    # A new interpreter, as beside a server that an earlier test left, would not hear of these.
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)


def design(made: random.Random) -> str:
    """Returns the text of a file with a module that uses others, a package, macros and types."""
    name, unit = made.choice(UNITS), made.choice(UNITS)
    lines = ['`include "defs.svh"', f"// The {name} of a bank.", f"module {name} {PORTS};"]
    lines += [f"  import {made.choice(UNITS)}_pkg::*;", f"  t_{made.choice('xyz')} state;"]
    lines += [instance(made, at) for at in range(made.randint(0, 3))]
    lines += [f"  assign q_o = d_i[`WIDTH_{made.choice('XYZ')}-1];", "endmodule", ""]
    return "\n".join([*lines, f"// after {unit}", ""])


def instance(made: random.Random, at: int) -> str:
    return f"  {made.choice((*UNITS, 'nowhere'))} u_{at} (.clk_i(clk_i), .d_i(d_i), .q_o());"


def write(root: Path, made: random.Random) -> None:
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True)
        for name in ("a.sv", "b.sv", "c.sv"):
            (root / folder / name).write_text(design(made))
        for name, text in TEXTS.items():
            if made.random() < 0.6:
                (root / folder / name).write_text(text(made))


def edit(root: Path, made: random.Random) -> str:
    """Changes one file in one of several ways; returns which."""
    files = sorted(path for path in root.rglob("*.sv*") if ".hdlgraph" not in path.parts)
    path = made.choice(files)
    lines = path.read_text().splitlines()
    ways = ("line before", "line behind", "instance", "rename", "remove", "add")
    way = made.choice(ways if len(files) > 12 else ways[:4])
    if way == "line before":
        lines.insert(0, "// One line more.")
    elif way == "line behind":
        lines.append("// One line more.")
    elif way == "instance":
        at = next((n for n, line in enumerate(lines) if line.startswith("module ")), -1)
        lines.insert(at + 1, instance(made, 7) if at >= 0 else "// No module.")
    elif way == "rename":
        old, new = made.sample(UNITS, 2)
        lines = [line.replace(f"module {old} ", f"module {new} ") for line in lines]
        lines.append("// Renamed.")
    elif way == "remove":
        path.unlink()
        return way
    else:
        path, lines = path.with_name(f"n{made.randint(0, 9)}.sv"), design(made).splitlines()
    path.write_text("\n".join([*lines, ""]))
    return way


def contents(generation: Path) -> list[object]:
    graph = Graph.load(generation)
    return [
        *(list(one) for one in (graph.nodes, graph.edges, graph.unresolved)),
        file_edges.load(generation),
    ]


def index(root: Path, folder: Path) -> Path:
    """Indexes a design; returns the folder of the generation."""
    project = Project(root, folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return folder / f"gen-{project.manifest().generation}"


def sums(generation: Path) -> dict[str, object]:
    manifest = Project(generation, generation.parent).manifest()
    return {"counts": manifest.counts, **manifest.checksums}


@pytest.mark.parametrize("seed", range(3))
def test_after_random_edits_the_graph_is_that_of_a_first_run(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, root = random.Random(seed), tmp_path / "design"
    write(root, made)
    before = sums(index(root, tmp_path / "kept"))
    kept = made_anew = 0
    for number in range(8):
        way = edit(root, made)
        now, fresh = (index(root, tmp_path / name) for name in ("kept", f"fresh-{number}"))
        after = sums(now)
        assert after == sums(fresh), way
        assert contents(now) == contents(fresh), way
        tables = {name for name in after if name.endswith(".parquet") and "/" in name}
        kept, made_anew = (
            kept + len(tables & before.keys()),
            made_anew + len(tables - before.keys()),
        )
        before = after
    assert kept > made_anew > 0
    monkeypatch.setattr(segments, "MOST", 1000)
    monkeypatch.setattr(segments, "LEAST", 1000)
    assert read_list(now) is not None
    whole = index(root, tmp_path / "whole")
    assert read_list(whole) is None
    assert contents(whole) == contents(now)


@pytest.fixture
def generation(tmp_path: Path) -> Path:
    write(tmp_path / "design", random.Random(7))
    return index(tmp_path / "design", tmp_path / "index")


def test_a_line_behind_all_leaves_the_tables_as_they_are(generation: Path) -> None:
    """Of the graph nothing says how long a file is but its node."""
    root, before = generation.parents[1] / "design", sums(generation)
    inodes = {path.name: path.stat().st_ino for path in (generation / "graph").iterdir()}
    path = root / "rtl" / "b.sv"
    path.write_text(path.read_text() + "// One line more.\n")
    now = index(root, generation.parent)
    changed = {name for name, value in sums(now).items() if before.get(name) != value}
    assert len({name for name in changed if name.startswith("graph/nodes-")}) <= 1
    assert not {name for name in changed if name.startswith(("graph/edges-", "file_edges/"))}
    assert {n: (now / "graph" / n).stat().st_ino for n in inodes if n.startswith("edges")} == {
        name: inode for name, inode in inodes.items() if name.startswith("edges")
    }


def test_a_signal_moves_no_row_of_another_segment(generation: Path) -> None:
    root, before = generation.parents[1] / "design", sums(generation)
    path = root / "rtl" / "a.sv"
    lines = path.read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("module "))
    path.write_text("\n".join([*lines[: at + 1], "  logic more;", *lines[at + 1 :]]))
    now = index(root, generation.parent)
    new = [name for name in sums(now) if name not in before]
    assert [name[:12] for name in sorted(new) if name.startswith("graph/")] == [
        "graph/edges-",
        "graph/nodes-",
    ]
    assert read_list(now) is not None
    assert len(read_list(now) or ()) > 4


def test_without_links_the_files_are_copied(
    generation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no links here")

    root = generation.parents[1] / "design"
    before = contents(generation)
    (root / "rtl" / "new.txt").write_text("")
    path = root / "vendor" / "two" / "a.sv"
    path.write_text(path.read_text() + "// One line more.\n")
    monkeypatch.setattr("os.link", refuse)
    now = index(root, generation.parent)
    assert contents(now)[1] == before[1]


def change(generation: Path, old: bytes, new: bytes) -> None:
    path = generation / LIST
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))


def test_a_list_that_is_none_is_refused(generation: Path) -> None:
    rows = read_list(generation)
    assert rows is not None
    key, count = rows[0].nodes, rows[0].rows[0]
    for old, new in (
        (key, "../../../etc/key"),
        (f"[{count},", f"[{count + 1},"),
        (f"[{count},", f"[-{count},"),
        ("[[", "[["[:1]),
    ):
        kept = (generation / LIST).read_bytes()
        change(generation, old.encode(), new.encode())
        with pytest.raises(IndexVersionError, match="hdlgraph index"):
            contents(generation)
        (generation / LIST).write_bytes(kept)
    (generation / LIST).write_bytes(b"[]")
    with pytest.raises(IndexVersionError, match="lists what is no segment"):
        Graph.load(generation)


def test_an_edge_of_a_segment_to_no_node_is_refused(generation: Path) -> None:
    from hdlgraph.store import tables

    rows = read_list(generation)
    assert rows is not None
    path = generation / edges_file(rows[0])
    table = tables.read(path)
    for wrong in (1 << 40, 1 << 62, (1 << 31) - 1):
        ends = number_array([wrong] * len(table), "int64")
        tables.write(path, table.set_column(0, "source", ends))
        with pytest.raises(IndexVersionError, match=r"edges-.*the source of an edge is no node"):
            Graph.load(generation)


def test_file_edges_whose_list_is_damaged_are_refused(generation: Path) -> None:
    (generation / file_edges.LIST).write_bytes(b'["../x"]')
    with pytest.raises(IndexVersionError, match="lists what is no segment"):
        file_edges.load(generation)


def test_the_page_on_the_format_names_the_files_and_their_columns(generation: Path) -> None:
    import pyarrow.parquet as pq

    page = (Path(__file__).parents[2] / "docs" / "index-format.md").read_text(encoding="utf-8")
    part = page.partition("### The graph in segments")[2].partition("\n### ")[0]
    told = set(re.findall(r"`gen-N/([\w/.-]+\.\w+)`", part))
    folders = (generation / "graph", generation / "file_edges")
    there = [path for folder in folders for path in folder.iterdir()]
    names = {re.sub(r"[0-9a-f]{16}", "KEY", f"{p.parent.name}/{p.name}") for p in there}
    assert told == names
    assert not [*generation.glob("nodes.parquet"), *generation.glob("*edges.parquet")]
    columns = page.partition("Columns of the tables, in order:")[2]
    for path in there:
        if path.suffix == ".parquet":
            kind = path.name.split("-")[0] if path.parent.name == "graph" else "file_edges"
            row = re.search(rf"^\| `{kind}.parquet` \| (.*) \|$", columns, re.M)
            schema = pq.read_schema(path)
            assert row is not None
            assert schema.names == re.findall(r"`(\w+)`", row[1])
            assert schema.metadata[b"hdlgraph_graph"].decode() == GRAPH_SCHEMA
            if kind == "edges":
                assert {str(schema.field(end).type) for end in ENDS} == {"int64"}


def test_an_index_whose_graph_stands_whole_is_read_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of an earlier version, or of a repository that has grown."""
    root = tmp_path / "design"
    write(root, random.Random(3))
    with monkeypatch.context() as patch:
        patch.setattr(segments, "LEAST", 1000)
        patch.setattr(segments, "MOST", 1000)
        whole = contents(index(root, tmp_path / "index"))
    (root / "new.sv").write_text("module new_one; endmodule\n")
    now = index(root, tmp_path / "index")
    assert read_list(now) is not None
    (root / "new.sv").unlink()
    assert contents(index(root, tmp_path / "index")) == whole


def test_an_edge_that_another_segment_states_is_told_of_where_it_begins(tmp_path: Path) -> None:
    """A bind adds an edge from a unit that lies elsewhere: the edges from there change with it."""
    root = tmp_path / "design"
    for folder in "ab":
        for name in "pqrstuvw":
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / f"{name}.sv").write_text(f"module {folder}_{name}; endmodule\n")
    (root / "b" / "z.sv").write_text("module chk; endmodule\nbind a_p chk u_chk ();\n")
    before = index(root, tmp_path / "index")
    rows = read_list(before) or []
    assert any(0 in row.sources for row in rows[2:])
    (root / "b" / "z.sv").write_text("\nmodule chk; endmodule\nbind a_p chk u_chk ();\n")
    now, fresh = (index(root, tmp_path / name) for name in ("index", "fresh"))
    assert contents(now) == contents(fresh)
    edges = file_edges.load(now)
    at = edges["src_name"].index("a_p")
    assert (edges["kind"][at], edges["path"][at], edges["line"][at]) == ("BINDS", "b/z.sv", 3)
