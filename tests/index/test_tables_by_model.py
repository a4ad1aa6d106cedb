"""GraphRAG's tables whose graph a model draws, against the stub endpoint."""

from __future__ import annotations

import json
from pathlib import Path

import _warm
import pytest
from _tables import (
    nodes_and_edges,
    table,
    vectors,
    write_generation,
)

from hdlgraph.settings.records import Settings

pytestmark = pytest.mark.graphrag


@pytest.fixture(scope="module")
def by_model(tmp_path_factory) -> tuple[Path, dict]:
    """Builds whose graph a model draws, all in one process, against the stub endpoint."""
    folder = tmp_path_factory.mktemp("by_model")
    write_generation(folder / "gen-1", *nodes_and_edges())
    done = _warm.run_script(Path(__file__).with_name("_graphrag_model_scenarios.py"), str(folder))
    assert done.returncode == 0, done.stderr.decode()[-3000:]
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
