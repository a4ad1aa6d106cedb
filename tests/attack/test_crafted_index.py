"""What a stranger may put into an index folder on purpose, with fitting checksums."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdlgraph.errors import HdlgraphError, IndexDamagedError, IndexMissingError, IndexVersionError
from hdlgraph.graph.export import export
from hdlgraph.graph.graph import Graph
from hdlgraph.index.graphrag.entity_vectors import KeptVectors
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.model import Edge, Node
from hdlgraph.model.community import Community
from hdlgraph.project import Project
from hdlgraph.store.cache import Cache
from hdlgraph.store.checksums import checksums_of
from hdlgraph.store.communities import encode, read_communities
from hdlgraph.store.explanations import read_jsonl
from hdlgraph.store.manifest import read_manifest, write_manifest
from hdlgraph.store.tables import GRAPH_SCHEMA, read, read_foreign, write

MAGIC = bytes.fromhex("d9d505f920a163d7")
LIMIT_BYTES = 1_500_000_000


def write_journal(database: Path, victim: str) -> None:
    """Writes a journal that names `victim` as its super-journal (sqlite.org/fileformat2.html)."""
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE IF NOT EXISTS x (y)")
    db.close()
    pages = database.stat().st_size // 4096
    head = (MAGIC + struct.pack(">IIIII", 0, 0, pages, 512, 4096)).ljust(512, b"\0")
    name = victim.encode()
    tail = struct.pack(">I", 0x40000000 // 4096 + 1) + name
    tail += struct.pack(">II", len(name), sum(name)) + MAGIC
    database.with_name(database.name + "-journal").write_bytes(head + tail)


def test_a_journal_that_names_a_users_file_removes_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "thesis.txt"
    for kind, name in ((Cache, "cache.sqlite"), (AnswerStore, "answers.sqlite")):
        victim.write_text("precious")
        write_journal(tmp_path / name, str(victim))
        kind(tmp_path / name).close()
        assert victim.read_text() == "precious"
    # The same beside the file to which damaged answers are moved.
    (tmp_path / "answers.sqlite").write_bytes(b"no database" * 100)
    write_journal(tmp_path / "answers.sqlite.damaged", str(victim))
    AnswerStore(tmp_path / "answers.sqlite").close()
    assert victim.read_text() == "precious"


def test_without_the_check_sqlite_removes_the_file(tmp_path: Path) -> None:
    """The journal of these tests does what it should: else they would show nothing."""
    victim = tmp_path / "thesis.txt"
    victim.write_text("precious")
    write_journal(tmp_path / "plain.sqlite", str(victim))
    with sqlite3.connect(tmp_path / "plain.sqlite") as db:
        db.execute("SELECT * FROM sqlite_master").fetchall()
    db.close()
    assert not victim.exists()


@pytest.mark.parametrize(
    "table",
    [
        "value BLOB AS (zeroblob(60000000)), crc INTEGER, UNIQUE (namespace, key))",
        "value BLOB NOT NULL, crc INTEGER, UNIQUE (namespace, key), CHECK (length(key) < 0))",
        "value BLOB NOT NULL, crc INTEGER, more TEXT NOT NULL, UNIQUE (namespace, key))",
    ],
)
def test_a_table_that_computes_or_refuses_is_made_anew(tmp_path: Path, table: str) -> None:
    with sqlite3.connect(tmp_path / "cache.sqlite") as db:
        db.execute(f"CREATE TABLE kv (namespace TEXT NOT NULL, key TEXT NOT NULL, {table}")
    db.close()
    cache = Cache(tmp_path / "cache.sqlite")
    cache.put_many("a", {"k": b"v"})
    assert cache.get_many("a", ["k"]) == {"k": b"v"}
    cache.close()


@pytest.mark.parametrize("name", ["lexical/../../../../dev/zero", "/dev/zero", "../lock", ""])
def test_checksums_name_only_files_of_the_index(indexed_soc: Path, name: str) -> None:
    manifest = read_manifest(indexed_soc / ".hdlgraph")
    for field in ("checksums", "tables"):
        crafted = msgspec.structs.replace(manifest, **{field: {name: (0, "00")}})
        write_manifest(indexed_soc / ".hdlgraph", crafted)
        with pytest.raises(IndexMissingError, match=r"manifest\.json is damaged"):
            Project(indexed_soc).search("fifo")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    assert Project(indexed_soc).search("fifo").hits


def test_a_pipe_that_checksums_name_is_not_waited_for(indexed_soc: Path) -> None:
    folder = indexed_soc / ".hdlgraph"
    os.mkfifo(folder / "gen-1" / "pipe")
    manifest = read_manifest(folder)
    sums = {**manifest.checksums, "pipe": (0, "00")}
    write_manifest(folder, msgspec.structs.replace(manifest, checksums=sums))
    with pytest.raises(HdlgraphError, match="pipe"):
        Project(indexed_soc).search("fifo")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    assert Project(indexed_soc).search("fifo").hits


def test_only_project_files_are_shown_as_such(indexed_soc: Path) -> None:
    folder = indexed_soc / ".hdlgraph"
    for name in ("team.env", "soc.core"):
        (indexed_soc / name).write_text("TOKEN=1\n")
    manifest = read_manifest(folder)
    named = {"team.env": (8, 0), "soc.core": (8, 0)}
    write_manifest(folder, msgspec.structs.replace(manifest, projects=named))
    project = Project(indexed_soc)
    assert project.has_page("soc.core")
    assert project.file_page("soc.core")["role"] == "project"
    assert not project.has_page("team.env")
    with pytest.raises(HdlgraphError, match="is no file of the index"):
        project.file_page("team.env")


def test_a_table_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    named = {"hdlgraph_graph": GRAPH_SCHEMA}
    long = pa.table({"text": pa.array(["x" * 100_000_000])}).replace_schema_metadata(named)
    many = pa.table({"text": pa.array([""]).take(pa.array([0] * 3_000_000))})
    for table in (long, many.replace_schema_metadata(named)):
        pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd")
        with pytest.raises(IndexVersionError, match="unpacks to more"):
            read(tmp_path / "bomb.parquet")


def test_a_text_that_stands_in_every_row_is_refused(tmp_path: Path) -> None:
    """Stored once and a number in each row: 95 kB that would take a gigabyte."""
    once = pa.DictionaryArray.from_arrays(pa.array([0] * 900_000, pa.int32()), ["x" * 1000])
    table = pa.table({"text": once})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd", store_schema=False)
    with pytest.raises(IndexVersionError, match="unpacks to more"):
        read_foreign(tmp_path / "bomb.parquet")
    few = table.slice(0, 1000)
    pq.write_table(few, tmp_path / "few.parquet", compression="zstd", store_schema=False)
    assert read_foreign(tmp_path / "few.parquet").column("text").to_pylist() == ["x" * 1000] * 1000


@pytest.mark.parametrize(
    "values",
    [pa.array([[None] * 9]), pa.array([b"x" * 9], pa.binary(9))],
    ids=["a list", "bytes of one length"],
)
def test_columns_that_need_more_than_they_say_are_refused(tmp_path: Path, values: pa.Array) -> None:
    table = pa.table({"text": values}).replace_schema_metadata({"hdlgraph_graph": GRAPH_SCHEMA})
    pq.write_table(table, tmp_path / "bomb.parquet")
    with pytest.raises(IndexVersionError, match="column"):
        read(tmp_path / "bomb.parquet")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("witnesses", None),
        ("witnesses", [7]),
        ("trust", [b"agreed"]),
        ("confidence", ["high"]),
        ("confidence", [None]),
        ("source", [0.5]),
        ("line", ["1"]),
    ],
)
def test_columns_of_other_types_are_told(tmp_path: Path, name: str, values: Any) -> None:
    nodes = [Node(id=n, kind="module", name=n, path="a.v", line=1, end_line=1) for n in "ab"]
    Graph.of(nodes, [Edge("a", "b", "INSTANTIATES", "a.v", 1)]).save(tmp_path)
    table = read(tmp_path / "edges.parquet")
    place = table.column_names.index(name)
    table = table.remove_column(place)
    if values is not None:
        table = table.add_column(place, name, pa.array(values))
    write(tmp_path / "edges.parquet", table)
    with pytest.raises(IndexVersionError, match=rf"edges\.parquet: column {name} is not"):
        Graph.load(tmp_path)


def test_a_gap_in_a_column_is_told_when_that_is_looked_at(tmp_path: Path) -> None:
    nodes = [Node(id=n, kind="module", name=n, path="a.v", line=1, end_line=1) for n in "ab"]
    Graph.of(nodes, [Edge("a", "b", "INSTANTIATES", "a.v", 1)]).save(tmp_path)
    table = read(tmp_path / "edges.parquet")
    place = table.column_names.index("confidence")
    gap = pa.array([None], pa.float64())
    write(tmp_path / "edges.parquet", table.set_column(place, "confidence", gap))
    graph = Graph.load(tmp_path)
    assert list(graph.edges.column("kind")) == ["INSTANTIATES"]
    with pytest.raises(IndexVersionError, match=r"edges\.parquet: column confidence is not"):
        graph.edges.column("confidence")


def test_files_of_nothing_but_lines_take_little_memory(tmp_path: Path, soc: Path) -> None:
    (tmp_path / "lines.jsonl").write_bytes(b"\n" * 6_000_000)
    (soc / ".hdlgraph").mkdir()
    with (soc / ".hdlgraph" / "CACHEDIR.TAG").open("wb") as stream:
        stream.truncate(3_000_000_000)
    code = (
        "import sys; from pathlib import Path; from hdlgraph.store.jsonl import read_lines\n"
        "from hdlgraph.store.explanations import read_jsonl\n"
        "from hdlgraph.model import Explanation\n"
        "from hdlgraph.store.guard import check_writable\n"
        "assert read_jsonl(Path(sys.argv[1])) == {} == read_lines(Path(sys.argv[1]), Explanation)\n"
        "check_writable(Path(sys.argv[2]))"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "lines.jsonl")]
    done = subprocess.run(
        [*command, str(soc / ".hdlgraph")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (50_000_000, 50_000_000)),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-600:]


def test_an_endless_line_of_explanations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long.jsonl").write_bytes(b"x" * 17_000_000)
    with pytest.raises(HdlgraphError, match=r"long\.jsonl:1: longer than"):
        read_jsonl(tmp_path / "long.jsonl")


def test_kinds_of_a_stranger_are_no_statements(tmp_path: Path) -> None:
    nodes = [Node(id=n, kind="module", name=n, path="a.v", line=1, end_line=1) for n in "ab"]
    kind = 'X]->(b) MATCH (n) DETACH DELETE n //"/></edges><evil x="'
    graph = Graph.of(nodes, [Edge("a", "b", kind, "a.v", 1)])
    export(graph, "cypher", tmp_path / "out.cypher")
    text = (tmp_path / "out.cypher").read_text()
    assert "DETACH DELETE" not in text
    assert "[:X____b__MATCH" in text
    export(graph, "gexf", tmp_path / "out.gexf")
    assert "<evil" not in (tmp_path / "out.gexf").read_text()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HdlgraphError, match="no regular file"):
        export(graph, "json", tmp_path / "pipe")


def test_init_does_not_write_through_a_link(soc: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (soc / "prompts").symlink_to(tmp_path / "home")
    with pytest.raises(HdlgraphError, match="prompts: is a link"):
        Project(soc).init(everything=True)
    assert list((tmp_path / "home").iterdir()) == []


def test_kept_vectors_that_are_damaged_are_made_anew(tmp_path: Path) -> None:
    import numpy as np

    file = tmp_path / "parts.npz"
    keys = np.asarray(["0" * 40], "U40")
    np.savez(file, embedder=np.asarray("e"), keys=keys, vectors=np.zeros((1, 4), np.float16))
    assert KeptVectors(file, "e")._rows
    data = bytearray(file.read_bytes())
    at = data.index(b"0\0\0\0" * 8)
    data[at : at + 8] = b"\xff" * 8
    file.write_bytes(data)
    assert KeptVectors(file, "e").get(["x"]) == {}
    np.savez(file, embedder=np.asarray("e"), keys=keys, vectors=np.zeros((0, 4), np.float16))
    assert KeptVectors(file, "e").get(["x"]) == {}


def test_nested_folders_and_contents_of_a_stranger_are_told(indexed_soc: Path) -> None:
    folder = indexed_soc / ".hdlgraph"
    (folder / "gen-1" / "/".join("d" * 40)).mkdir(parents=True)
    with pytest.raises(HdlgraphError, match="nested folders"):
        Project(indexed_soc).search("fifo")
    shutil.rmtree(folder / "gen-1" / "d")
    (folder / "gen-1" / "lexical" / "paths.json").write_text("[" * 200_000)
    manifest = read_manifest(folder)
    sums = checksums_of(folder / "gen-1")
    write_manifest(folder, msgspec.structs.replace(manifest, checksums=sums))
    with pytest.raises(IndexDamagedError, match="--fresh"):
        Project(indexed_soc).search("fifo")
    Project(indexed_soc).index(embeddings=False, graphrag="never", fresh=True, jobs=1)
    assert Project(indexed_soc).search("fifo").hits
    assert json.loads((folder / "manifest.json").read_text())["generation"] == 2


@pytest.mark.parametrize("level", [-1, 1 << 40])
def test_reports_of_a_level_that_cannot_be_are_told(tmp_path: Path, level: int) -> None:
    one = Community(
        community=0, level=level, parent=-1, title="t", purpose="", files=1, units=1, roles={}
    )
    (tmp_path / "output").mkdir()
    table = pa.table({"full_content_json": [encode(one)]})
    pq.write_table(table, tmp_path / "output" / "community_reports.parquet")
    with pytest.raises(IndexDamagedError, match="levels are 0 to"):
        read_communities(tmp_path)
