"""Files that are nearly the same are one hit, in every door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.result.fold import folded
from hdlgraph.serve.cli.main import run

MODULE = """// Counts the pulses of a wheel and reports its speed once a second.
module wheel_speed (
  input  logic clk_i, input logic rst_ni, input logic pulse_i, input logic second_i,
  output logic [15:0] speed_o
);
  logic [15:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      speed_o <= '0;
    end else if (second_i) begin
      speed_o <= count_q;
      count_q <= '0;
    end else if (pulse_i) begin
      count_q <= count_q + 16'd1;
    end
  end
endmodule
"""
QUESTION = "what counts the pulses of a wheel?"
COPIES = ("boards/one/wheel_speed.sv", "boards/two/wheel_speed.sv", "vendor/wheel_speed.sv")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("wheels")
    for path in COPIES:
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(MODULE)
    (root / "brake.sv").write_text("// Brakes the wheel.\nmodule brake; endmodule\n")
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def test_copies_are_one_hit_at_the_place_of_the_best(project: Project) -> None:
    whole = project.search(QUESTION, fold=False).hits
    assert [hit.copies for hit in whole] == [()] * 4
    hits = project.search(QUESTION).hits
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].path == whole[0].path
    assert hits[0].copies == tuple(sorted(set(COPIES) - {hits[0].path}))
    assert (hits[1].path, hits[1].copies) == ("brake.sv", ())


def test_as_many_hits_as_wanted_are_different_things(project: Project) -> None:
    assert len(project.search(QUESTION, k=2).hits) == 2
    assert len({hit.path for hit in project.search(QUESTION, k=2, fold=False).hits} - {*COPIES}) < 2


def test_only_candidates_are_named_as_copies(project: Project) -> None:
    (hit,) = project.search(QUESTION, candidates=COPIES[:2]).hits
    assert {hit.path, *hit.copies} == set(COPIES[:2])
    (vendored,) = project.search(QUESTION, roles=["vendored"]).hits
    assert (vendored.path, vendored.copies) == ("vendor/wheel_speed.sv", ())


def test_hits_of_several_searches_are_folded_too(project: Project) -> None:
    searcher = project.searcher()
    hits = searcher.search(QUESTION, fold=False).hits
    assert [hit.path for hit in searcher.folded(hits)] == [
        hit.path for hit in searcher.search(QUESTION).hits
    ]


def test_the_command_folds_unless_told_not_to(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["search", QUESTION, "--index", str(project.folder)]
    assert run([*at, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["hits"][0]
    assert len(first["copies"]) == 2
    assert run([*at, "--no-fold", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 4
    assert run(at) == 0
    shown = capsys.readouterr().out
    assert "+ 2 copies" in shown
    assert run([*at, "--explain"]) == 0
    shown = capsys.readouterr().out
    assert all(path in shown for path in COPIES)


def test_an_answer_lists_its_hits_folded(project: Project) -> None:
    answer = project.ask(QUESTION, writer="extractive")
    assert len(answer.result.hits) == 2
    assert len(answer.to_dict()["hits"][0]["copies"]) == 2


def test_folding_keeps_the_order_of_what_is_ranked() -> None:
    groups = dict.fromkeys(("b", "d"), ("b", "d"))
    found = list(folded(zip(range(4), "dabc", strict=True), groups))
    assert found == [(0, ("b",)), (1, ()), (3, ())]
    assert list(folded([(0, "d")], groups, among={"d"})) == [(0, ())]


def test_the_folder_of_a_search_is_not_written(project: Project) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path(project.folder).rglob("*")}
    project.search(QUESTION)
    assert {path: path.stat().st_mtime_ns for path in Path(project.folder).rglob("*")} == before
