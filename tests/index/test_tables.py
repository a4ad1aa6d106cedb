"""GraphRAG's tables of a small graph: entities, relations, text units, vectors, searches."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import _warm
import pytest
from _tables import (
    FILES,
    changed,
    nodes_and_edges,
    table,
    vectors,
    write_code,
    write_generation,
)

from hdlgraph.settings.records import Settings, render_settings

pytestmark = pytest.mark.graphrag


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
    done = _warm.run_script(Path(__file__).with_name("_graphrag_scenarios.py"), str(folder))
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return folder, json.loads((folder / "results.json").read_text())


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
    for name in ["documents", "text_units", "entities", "relationships"]:
        assert table(folder / "first", name) == table(folder / "second", name)
    for name in ("communities", "community_reports"):
        assert table(folder / "first", name) == table(folder / "lexical", name)
    assert vectors(folder / "first") == vectors(folder / "second")


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
