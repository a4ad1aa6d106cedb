from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hdlgraph.eval.stubs.server import Stub

from hdlgraph.errors import BuildError
from hdlgraph.graph.graph import Graph
from hdlgraph.index.graphrag import build
from hdlgraph.index.graphrag.build import build_graphrag
from hdlgraph.model import Edge, Explanation, Node
from hdlgraph.settings.records import Settings, render_settings
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


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory) -> tuple[Path, dict]:
    """Builds of hand-made graphs, all in one process: importing graphrag takes seconds."""
    folder = tmp_path_factory.mktemp("graphrag")
    whole = write_generation(folder / "gen-1", *nodes_and_edges())
    lonely = write_generation(folder / "gen-2", nodes_and_edges()[0][:1], [])
    write_code(folder / "repo")
    (folder / "bad").mkdir()
    bad = folder / "bad" / "settings.yaml"
    bad.write_text(render_settings().replace("type: text  #", "type: text  # $clog2"), "utf-8")
    (folder / "own").mkdir()
    own = folder / "own" / "settings.yaml"
    own.write_text(render_settings().replace("max_cluster_size: 10", "max_cluster_size: 3"))
    code, none = changed("graphrag", data_type="code"), changed("embedding", provider="none")
    jobs = {
        "first": (whole, Settings(), "", ""),
        "second": (whole, Settings(), "", str(own)),
        "code": (whole, code, str(folder / "repo"), ""),
        "nowhere": (whole, code, str(folder / "bad"), ""),
        "lexical": (whole, none, "", ""),
        "lonely": (lonely, Settings(), "", ""),
        "template": (whole, Settings(), "", str(bad)),
    }
    for name, (generation, settings, root, file) in jobs.items():
        job = {
            "generation": str(generation),
            "root": root,
            "settings": dataclasses.asdict(settings),
            "settings_file": file,
            "former": str(folder / "first"),
            "out": str(folder / name),
        }
        (folder / f"{name}.job.json").write_text(json.dumps(job))
    script = Path(__file__).parents[1] / "_graphrag_scenarios.py"
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder, json.loads((folder / "results.json").read_text())


def table(folder: Path, name: str) -> list[dict]:
    import pyarrow.parquet as pq

    return pq.read_table(folder / "output" / f"{name}.parquet").to_pylist()


def test_entities_keep_names_apart(scenarios):
    rows = {row["title"]: row for row in table(scenarios[0] / "first", "entities")}
    assert len(rows) == 5 + 6 + 1
    assert {"CELL (LIB/A/CELL.SV)", "CELL (LIB/B/CELL.SV)", "FIFO", "TOP"} <= rows.keys()
    assert rows["ADDER (MODULE RTL/PAIR.SV:1)"]["name"] == "adder"
    assert rows["ADDER (MODULE RTL/PAIR.SV:9)"]["name"] == "Adder"
    assert rows["ADDER (MODULE RTL/PAIR.SV:9)"]["description"].endswith("Adds with carry.")
    fifo = rows["FIFO"]
    assert (fifo["path"], fifo["line"], fifo["kind"], fifo["type"]) == (
        "rtl/fifo.sv", 3, "module", "MODULE",
    )  # fmt: skip
    assert fifo["description"].startswith("Module fifo (rtl/fifo.sv:3). Queue that buffers")
    assert "FLOW CONTROL" in rows
    assert "CARRY CHAIN" not in rows, "a concept of one file joins nothing"
    assert "MISSING.SVH" not in rows


def test_relationships_aggregate_edges_of_parts(scenarios):
    rows = {(r["source"], r["target"]): r for r in table(scenarios[0] / "first", "relationships")}
    row = rows["TOP", "FIFO"]
    assert row["kinds"] == "CONNECTS,INSTANTIATES"
    assert "[INSTANTIATES] top instantiates fifo: u_fifo (rtl/top.sv:8)" in row["description"]
    assert "(rtl/top.sv:9), wdata (rtl/top.sv:10)" in row["description"]
    assert row["weight"] > rows["RTL/FIFO.SV", "FIFO"]["weight"]
    entities = {row["title"]: row for row in table(scenarios[0] / "first", "entities")}
    assert row["combined_degree"] == entities["TOP"]["degree"] + entities["FIFO"]["degree"]


def test_tables_point_at_each_other(scenarios):
    folder = scenarios[0] / "first"
    documents = {row["id"]: row for row in table(folder, "documents")}
    assert sorted(row["title"] for row in documents.values()) == sorted(FILES)
    units = {row["id"]: row for row in table(folder, "text_units")}
    entities = {row["id"] for row in table(folder, "entities")}
    relations = {row["id"] for row in table(folder, "relationships")}
    for unit in units.values():
        assert unit["document_id"] in documents
        assert unit["text"].startswith(documents[unit["document_id"]]["title"])
        assert set(unit["entity_ids"]) <= entities
        assert set(unit["relationship_ids"]) <= relations
    for row in table(folder, "entities"):
        assert row["text_unit_ids"]
        assert set(row["text_unit_ids"]) <= units.keys()
    members = {one for row in table(folder, "communities") for one in row["entity_ids"]}
    assert members <= entities
    communities = {row["community"]: row for row in table(folder, "communities")}
    reports = table(folder, "community_reports")
    assert [row["community"] for row in reports] == sorted(communities)
    for row in reports:
        assert row["size"] == len(communities[row["community"]]["entity_ids"])
        assert row["children"] == communities[row["community"]]["children"]
        assert row["full_content"].startswith(f"# {row['title']}")


def test_graphrag_reads_all_columns_it_declares(scenarios):
    import ast
    from importlib.util import find_spec

    places = find_spec("graphrag").submodule_search_locations
    tree = ast.parse(Path(places[0], "data_model/schemas.py").read_text(encoding="utf-8"))
    values = {n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign)}
    import pyarrow.parquet as pq

    for name in "documents text_units entities relationships communities community_reports".split():
        listed = values[f"{name.upper()}_FINAL_COLUMNS"].elts
        expected = [
            getattr(values.get(getattr(e, "id", "")), "value", None) or e.value for e in listed
        ]
        found = pq.read_schema(scenarios[0] / "first" / "output" / f"{name}.parquet").names
        assert found[: len(expected)] == expected


def test_local_search_finds_the_file(scenarios):
    found = scenarios[1]["search"]
    assert found["answer"] == "It is rtl/fifo.sv"
    assert found["context"]["sources"][0]["text"].startswith("rtl/fifo.sv")
    assert any(row["entity"] == "FIFO" for row in found["context"]["entities"])
    assert any("[INSTANTIATES]" in row["description"] for row in found["context"]["relationships"])


def test_global_search_reads_the_reports(scenarios):
    found = scenarios[1]["global"]
    reports = [row for row in table(scenarios[0] / "first", "community_reports")]
    tops = {row["title"] for row in reports if row["level"] == 0}
    assert {row["title"] for row in found["reports"]} == tops
    assert all(f"# {title}" in found["answer"] for title in tops)


def test_neither_network_nor_working_directory_is_touched(scenarios):
    assert scenarios[1]["network"] == []
    assert scenarios[1]["cwd"] is True


def test_a_second_build_is_equal_and_embeds_nothing(scenarios):
    folder, results = scenarios
    assert results["first"]["counts"]["embedded"] > 0
    assert results["second"]["counts"]["embedded"] == 0
    for name in "documents text_units entities relationships".split():
        assert table(folder / "first", name) == table(folder / "second", name)
    for name in ("communities", "community_reports"):
        assert table(folder / "first", name) == table(folder / "lexical", name)
    assert vectors(folder / "first") == vectors(folder / "second")


def vectors(folder: Path) -> dict[str, list[float]]:
    import lancedb

    rows = lancedb.connect(folder / "output" / "lancedb").open_table("entity_description")
    return {row["id"]: row["vector"] for row in rows.to_arrow().to_pylist()}


def test_every_entity_has_a_vector(scenarios):
    rows = vectors(scenarios[0] / "first")
    assert rows.keys() == {row["id"] for row in table(scenarios[0] / "first", "entities")}
    assert {len(row) for row in rows.values()} == {384}


def test_code_as_documents(scenarios):
    folder = scenarios[0] / "code"
    paths = {row["id"]: row["title"] for row in table(folder, "documents")}
    units = table(folder, "text_units")
    per_file = [paths[row["document_id"]] for row in units]
    assert per_file.count("rtl/fifo.sv") > 1, "long files are cut"
    assert len({row["id"] for row in units}) == len(units)
    assert {"lib/a/cell.sv", "lib/b/cell.sv"} <= set(per_file), "equal texts stay apart"
    fifo = next(row for row in table(folder, "entities") if row["title"] == "FIFO")
    first = next(row["id"] for row in units if paths[row["document_id"]] == "rtl/fifo.sv")
    assert fifo["text_unit_ids"] == [first], "the chunk that holds its line"


def test_without_embedder_there_are_tables_and_a_note(scenarios):
    folder, results = scenarios
    assert "without vectors" in results["lexical"]["counts"]["note"]
    assert len(table(folder / "lexical", "entities")) == 12
    assert not (folder / "lexical" / "output" / "lancedb").exists()


def test_a_graph_without_edges(scenarios):
    folder, results = scenarios
    assert results["lonely"]["counts"]["entities"] == 1
    assert table(folder / "lonely", "communities") == []


def test_errors_are_results(scenarios):
    results = scenarios[1]
    assert "clog2" in results["template"]["error"]
    assert "settings.yaml" in results["template"]["error"]
    assert "no file of the index can be read" in results["nowhere"]["error"]


@pytest.fixture
def index(tmp_path) -> Path:
    write_generation(tmp_path / "gen-1", *nodes_and_edges())
    (tmp_path / "graphrag").mkdir()
    (tmp_path / "graphrag" / "former").write_text("former")
    return tmp_path


def names(index: Path) -> list[str]:
    return sorted(path.name for path in index.iterdir())


def test_failed_build_leaves_the_former_tables(index, monkeypatch):
    (index / "gen-1" / "explanations.jsonl").unlink()
    with pytest.raises(BuildError, match="explanations"):
        build_graphrag(index, index / "gen-1", Settings())
    assert names(index) == ["gen-1", "graphrag"]
    assert (index / "graphrag" / "former").exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [({"deadline_s": 0.3}, "raise graphrag.deadline_s"), ({"memory_mb": 5}, "graphrag.memory_mb")],
)
def test_limits_end_the_process(index, values, words):
    with pytest.raises(BuildError, match=words):
        build_graphrag(index, index / "gen-1", changed("graphrag", **values))
    assert names(index) == ["gen-1", "graphrag"]
    assert (index / "graphrag" / "former").exists()


def test_a_process_that_dies_is_reported(index, monkeypatch):
    monkeypatch.setattr(build, "_environment", lambda: {**os.environ, "PYTHONHOME": "/nowhere"})
    with pytest.raises(BuildError, match=r"ended with code 1: .*No module named .encodings"):
        build_graphrag(index, index / "gen-1", Settings())


def test_build_replaces_the_tables_and_recovers_a_killed_swap(index):
    (index / "graphrag").rename(index / "graphrag.old")
    (index / "graphrag.part").mkdir()
    (index / "gen-1" / "evil").mkdir()
    # A module of this name beside the data must not be imported.
    (index / "pandas.py").write_text("raise SystemExit('imported from the working directory')")
    found = build_graphrag(index, index / "gen-1", Settings())
    assert found["entities"] == 12
    assert found["documents"] == 5
    assert names(index) == ["gen-1", "graphrag", "pandas.py"]
    inside = sorted(path.name for path in (index / "graphrag").iterdir())
    assert inside == ["build.json", "logs", "output", "parts.npz", "result.json"]
    assert len(table(index / "graphrag", "entities")) == 12


@pytest.fixture(scope="module")
def by_model(tmp_path_factory) -> tuple[Path, dict]:
    """Builds whose graph a model draws, all in one process, against the stub endpoint."""
    folder = tmp_path_factory.mktemp("by_model")
    write_generation(folder / "gen-1", *nodes_and_edges())
    script = Path(__file__).parents[1] / "_graphrag_model_scenarios.py"
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder, json.loads((folder / "results.json").read_text())


def test_the_model_alone_draws_the_graph(by_model):
    folder, _ = by_model
    rows = {row["title"]: row for row in table(folder / "faulty", "entities")}
    assert rows.keys() == {
        "CELL", "FIFO", "TOP", "FLOW CONTROL",
        "LIB/A/CELL.SV", "LIB/B/CELL.SV", "RTL/FIFO.SV", "RTL/TOP.SV",
    }  # fmt: skip
    fifo = rows["FIFO"]
    assert (fifo["name"], fifo["path"], fifo["kind"]) == ("fifo", "rtl/fifo.sv", "instance")
    assert fifo["frequency"] == 2, "two types of one name stay one row with all its mentions"
    assert rows["CELL"]["description"] == "Summary of both."
    assert len(rows["FLOW CONTROL"]["text_unit_ids"]) == 4
    relations = {(r["source"], r["target"]): r for r in table(folder / "faulty", "relationships")}
    row = relations["FIFO", "FLOW CONTROL"]
    assert (row["kinds"], row["weight"]) == ("IMPLEMENTS", 1.0)
    assert not [pair for pair in relations if "NOBODY" in pair]
    found = vectors(folder / "faulty")
    assert found.keys() == {row["id"] for row in rows.values()}


def test_no_text_unit_is_lost_silently(by_model):
    results = by_model[1]
    faulty = results["faulty"]
    assert faulty["counts"]["note"] == "1 of 5 text units named nothing (rtl/pair.sv)"
    by_stage = {one["stage"]: one for one in faulty["usage"]}
    assert by_stage["extract_graph"]["calls"] == 5
    assert by_stage["extract_graph"]["retries"] > 0, "the faults were met"
    assert faulty["sent"] > faulty["answered"]
    refused = results["one_refused"]["counts"]
    assert "1 of 5 text units got no answer (lib/a/cell.sv: " in refused["note"]
    assert "refused" in refused["note"]
    assert "1 of 5 text units named nothing (rtl/pair.sv)" in refused["note"]


def test_answers_are_paid_once_for_one_model(by_model):
    folder, results = by_model
    assert results["again"]["sent"] == 0
    assert {one["stage"]: one["stored"] for one in results["again"]["usage"]} == {
        "extract_graph": 5,
        "summarize_descriptions": 3,  # CELL, FLOW CONTROL and what joins them
    }
    assert table(folder / "again", "entities") == table(folder / "faulty", "entities")
    assert results["other_model"]["sent"] > 0
    assert results["other_model"]["models"] == ["other"]


def test_a_model_words_the_reports_and_their_facts_stay(by_model):
    folder, results = by_model
    assert results["reports"]["counts"]["note"] == ""
    (row,) = [row for row in table(folder / "reports", "community_reports") if row["level"] == 0][
        :1
    ]
    (plain,) = [
        one
        for one in table(folder / "reports_refused", "community_reports")
        if one["community"] == row["community"]
    ]
    assert row["title"] == "Buffering"
    assert row["summary"].startswith("Parts that hold words back. ")
    assert "It buffers: Words wait in rtl/fifo.sv." in row["full_content"]
    told, facts = json.loads(row["full_content_json"]), json.loads(plain["full_content_json"])
    assert (told["model"], facts["model"]) == (Settings().llm.build_model, "")
    for key in ("members", "top_units", "roles", "folders", "community"):
        assert told[key] == facts[key]


def test_reports_that_a_model_refuses_keep_their_facts(by_model):
    note = by_model[1]["reports_refused"]["counts"]["note"]
    wanted = [
        row
        for row in table(by_model[0] / "reports_refused", "community_reports")
        if row["level"] < 2
    ]
    assert note == f"{len(wanted)} of {len(wanted)} reports keep facts alone"
    assert "Buffering" not in {row["title"] for row in wanted}


def test_a_refused_summary_costs_a_summary_only(by_model):
    folder, results = by_model
    assert "descriptions joined without the model" in results["no_summary"]["counts"]["note"]
    rows = {row["title"]: row for row in table(folder / "no_summary", "entities")}
    assert rows["CELL"]["description"].startswith("Once as an instance; The cell of lib/a/cell.sv")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "the model named no entity in any of 5 text units"),
        ("budget", "--max-tokens 6000 is reached"),
        ("prompt", "extract_graph.txt: cannot be filled"),
        ("wrong_key", "extraction stopped"),
        ("reports_wrong_key", "community reports stopped"),
    ],
)
def test_what_ends_a_build_by_a_model(by_model, name, words):
    found = by_model[1][name]
    assert words in found["error"]
    assert "counts" not in found
    if name == "prompt":
        assert found["sent"] == 0


def test_local_search_streams_from_the_query_model(by_model):
    found = by_model[1]["search"]
    assert found["model"] == Settings().llm.query_model
    assert found["stream"] is True
    assert "fifo.sv" in found["answers"][0]
    assert found["answers"][1] == found["answers"][0]
    assert found["sent"] == 1, "the second answer was stored"


def test_the_key_stays_in_the_environment(by_model):
    assert by_model[1]["leaks"] == []
    assert by_model[1]["network"] == []


def test_a_file_that_says_little_leaves_our_defaults(by_model):
    types, gleanings, prompt, models = by_model[1]["config"]
    assert types == ["module", "instance", "port", "signal", "parameter", "file", "concept"]
    assert gleanings == 2, "what the file says counts"
    assert prompt == str(by_model[0] / "own" / "prompts" / "extract_graph.txt")
    assert models == ["hdlgraph"]


def test_the_build_process_reports_answers_and_usage(index, monkeypatch):
    def reply(body):
        path = body["messages"][0]["content"].rsplit("Text: ", 1)[1].split("\n")[0]
        return f'("entity"<|>{path}<|>file<|>A file)'

    monkeypatch.setenv("STUB_KEY", "sesame")
    told: list[int] = []
    with Stub(reply=reply, key="sesame") as stub:
        llm = {"provider": "openai", "base_url": stub.base_url, "key_env": "STUB_KEY"}
        settings = changed("llm", **llm)
        extract = dataclasses.replace(settings.extract, method="llm")
        none = dataclasses.replace(settings.embedding, provider="none")
        settings = dataclasses.replace(settings, extract=extract, embedding=none)
        found = build_graphrag(index, index / "gen-1", settings, on_answer=told.append)
    assert (found["entities"], found["relationships"], found["communities"]) == (5, 0, 0)
    assert [(one.stage, one.calls) for one in found["usage"]] == [("extract_graph", 5)]
    assert told == sorted(told)
    inside = sorted(path.name for path in (index / "graphrag").iterdir())
    assert inside == ["build.json", "logs", "output", "result.json"]
