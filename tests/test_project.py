from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import hdlgraph
from hdlgraph.errors import IndexMissingError, SettingsError, UsageError
from hdlgraph.project import Project
from hdlgraph.settings.locate import find_index, load_settings
from hdlgraph.settings.records import Settings


def test_public_names_import_lazily_and_exist() -> None:
    for name in hdlgraph.__all__:
        assert getattr(hdlgraph, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hdlgraph.nothing


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("who decides which host gets the bus next", "rtl/bus_arbiter.sv"),
        ("first-in first-out queue", "rtl/sync_fifo.sv"),
        ("what reports a missing stop bit", "rtl/uart_rx.sv"),
        ("release of an asynchronous reset", "rtl/reset_sync.v"),
        ("uart_tx", "rtl/uart_tx.sv"),
        ("which test checks that the serial line is idle", "dv/soc_tb.sv"),
    ],
)
def test_search_puts_the_right_file_first(soc_project: Project, question: str, path: str) -> None:
    result = soc_project.search(question)
    assert result.hits[0].path == path
    assert result.hits[0].evidence
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))


def test_search_keeps_to_roles_and_candidates(soc_project: Project) -> None:
    hits = soc_project.search("serial line", roles=["testbench"]).hits
    assert hits
    assert {hit.role for hit in hits} == {"testbench"}
    only = {"rtl/timer.v", "rtl/uart.sv"}
    assert {hit.path for hit in soc_project.search("bus", candidates=only).hits} <= only
    with pytest.raises(UsageError, match="role nonsense: unknown"):
        soc_project.search("bus", roles=["nonsense"])


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_hops(soc_project: Project, hops: int) -> None:
    assert soc_project.search("round robin", hops=hops).hops == hops


def test_answer_cites_lines_that_exist(soc_project: Project) -> None:
    answer = soc_project.ask("how does the receiver notice a framing error")
    assert answer.citations
    for citation in answer.citations:
        lines = (soc_project.root / citation.path).read_text().splitlines()
        assert 1 <= citation.line <= citation.end_line <= len(lines)


def test_structure(soc_project: Project) -> None:
    (definition,) = soc_project.show("sync_fifo")["definitions"]
    assert definition["location"] == "rtl/sync_fifo.sv:2"
    (top,) = soc_project.tree("soc_top", depth=2)["tops"]
    units = [child["unit"] for child in top["children"]]
    assert units == ["reset_sync", "bus_if", "bus_arbiter", "uart", "timer", "vendor_sram_1k"]
    users = {user["user_name"] for user in soc_project.who("sync_fifo")["users"]}
    assert "uart" in users
    assert [one["name"] for one in soc_project.unresolved()["names"]] == ["vendor_sram_1k"]


def test_a_module_after_a_syntax_error_is_found(soc_project: Project) -> None:
    (definition,) = soc_project.show("read_mux")["definitions"]
    assert definition["location"] == "rtl/broken_decoder.sv:10"


def test_index_is_found_from_inside_the_repository(
    soc_project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(soc_project.root / "rtl")
    assert Project.open().root == soc_project.root
    assert find_index(soc_project.root) == soc_project.folder
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IndexMissingError, match="--index"):
        Project.open()


def test_a_moved_repository_keeps_its_index(soc_project: Project, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(soc_project.root, moved)
    project = Project.open(moved)
    assert project.root == moved
    assert project.ask("round robin").citations


def test_an_index_may_lie_outside_the_repository(soc: Path, tmp_path: Path) -> None:
    Project(soc, tmp_path / "index").index(graphrag="never", embeddings=False, jobs=1)
    assert not (soc / ".hdlgraph").exists()
    assert Project.open(tmp_path / "index").root == soc


def test_a_warm_project_sees_the_next_generation(indexed_soc: Path) -> None:
    project = Project(indexed_soc)
    assert "rtl/zebra.sv" not in {hit.path for hit in project.search("zebra crossing").hits}
    (indexed_soc / "rtl/zebra.sv").write_text(
        "// Zebra crossing light.\nmodule zebra;\nendmodule\n"
    )
    Project(indexed_soc).index(graphrag="never", embeddings=False, jobs=1)
    assert project.search("zebra crossing").hits[0].path == "rtl/zebra.sv"


def test_status_tells_what_moved(indexed_soc: Path) -> None:
    project = Project(indexed_soc)
    assert not any(project.status()["stale"].values())
    (indexed_soc / "rtl/timer.v").unlink()
    (indexed_soc / "rtl/new.sv").write_text("module new_one; endmodule\n")
    stale = project.status()["stale"]
    assert (stale["removed"], stale["added"]) == (["rtl/timer.v"], ["rtl/new.sv"])


def test_explanations_travel_and_count_only_for_the_same_content(
    indexed_soc: Path, tmp_path: Path
) -> None:
    project = Project(indexed_soc)
    shared = tmp_path / "shared.jsonl"
    assert project.export_explanations(shared) == 14
    text = shared.read_text()
    line = next(part for part in text.splitlines() if '"rtl/timer.v"' in part)
    purpose = project.explanations()["rtl/timer.v"].purpose
    by_team = line.replace('"deterministic"', '"team"')
    shared.write_text(by_team.replace(purpose, "Counts the heartbeats of a sleeping walrus."))
    counts = project.import_explanations(shared)
    assert counts == {"read": 1, "matching": 1, "refused": 0, "imported": 1}
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert "walrus" in project.explanations()["rtl/timer.v"].purpose
    assert project.search("walrus heartbeats").hits[0].path == "rtl/timer.v"
    with (indexed_soc / "rtl/timer.v").open("a") as file:
        file.write("// edited\n")
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert "walrus" not in project.explanations()["rtl/timer.v"].purpose


def test_imports_with_a_bad_line_change_nothing(indexed_soc: Path, tmp_path: Path) -> None:
    project = Project(indexed_soc)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"path": "rtl/timer.v"}\n')
    with pytest.raises(UsageError, match=r"bad\.jsonl:1"):
        project.import_explanations(bad)
    assert not (project.folder / "imported.jsonl").exists()


def test_init_writes_once(tmp_path: Path) -> None:
    done = Project(tmp_path).init()
    assert "settings.yaml" in done["written"]
    assert Settings.load(tmp_path / "settings.yaml") == Settings()
    assert Project(tmp_path).init()["kept"] == done["written"]


def test_a_foreign_settings_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("database: {host: localhost}\n")
    assert load_settings(tmp_path) == Settings()


def test_a_repository_may_not_send_its_text_away_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("hdlgraph:\n  embedding:\n    provider: openai\n    api_base: http://x\n")
    with pytest.raises(SettingsError, match="--settings"):
        load_settings(tmp_path)
    assert load_settings(tmp_path, path).embedding.provider == "openai"


def test_exports(soc_project: Project, tmp_path: Path) -> None:
    for name in ("graphml", "gexf", "json", "cypher"):
        counts = soc_project.export_graph(name, tmp_path / f"graph.{name}")
        assert counts["nodes"] > 100
        assert (tmp_path / f"graph.{name}").stat().st_size > 1000


def test_doctor_finds_nothing_wrong_here(soc_project: Project) -> None:
    checks = soc_project.doctor()
    assert {check["name"] for check in checks} >= {"python", "packages", "weights", "index"}
    assert [check for check in checks if check["state"] == "fail"] == []
