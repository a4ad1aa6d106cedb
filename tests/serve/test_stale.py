"""Commands tell when files moved since they were indexed, and say nothing false of these."""

from __future__ import annotations

import json
import os
import shutil
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index import moved
from hdlgraph.project import Project
from hdlgraph.results import LISTED
from hdlgraph.serve.cli.main import run
from hdlgraph.store.manifest import FileEntry, Manifest

QUERIES = (
    ["search", "uart receiver"],
    ["ask", "uart receiver"],
    ["show", "soc_top"],
    ["tree"],
    ["who", "uart_rx"],
    ["path", "soc_top", "uart_rx"],
    ["impact", "uart_rx"],
    ["unresolved"],
)


@pytest.fixture
def edited(indexed_soc: Path) -> Path:
    """The little system with one file changed, one removed and two new ones since its index."""
    changed = indexed_soc / "rtl" / "uart_tx.sv"
    changed.write_text("// one more line\n" + changed.read_text())
    (indexed_soc / "rtl" / "uart_rx.sv").unlink()
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    (indexed_soc / "extra" / "deep").mkdir(parents=True)
    (indexed_soc / "extra" / "deep" / "more.sv").write_text("module more; endmodule\n")
    (indexed_soc / "extra" / "notes.txt").write_text("no design\n")
    return indexed_soc


@pytest.mark.parametrize("arguments", QUERIES, ids=lambda arguments: arguments[0])
def test_every_query_tells_what_moved(
    edited: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    at = [*arguments, "--index", str(edited)]
    assert run(at) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "older than its files" in line]
    assert len(said) == 1
    assert "1 changed (rtl/uart_tx.sv), 1 removed (rtl/uart_rx.sv), 2 new" in said[0]
    assert f"run `hdlgraph index {edited}`" in said[0]
    assert run([*at, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stale"] == {
        "added": ["extra/deep/more.sv", "rtl/brand_new.sv"],
        "changed": ["rtl/uart_tx.sv"],
        "removed": ["rtl/uart_rx.sv"],
        "unchecked": 0,
        "more": 0,
    }


@pytest.mark.parametrize("arguments", QUERIES, ids=lambda arguments: arguments[0])
def test_a_fresh_index_is_no_news(
    indexed_soc: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (indexed_soc / "rtl" / "uart_tx.sv").touch()  # another time, the same content
    assert run([*arguments, "--index", str(indexed_soc), "--json"]) == 0
    stale = json.loads(capsys.readouterr().out)["stale"]
    assert stale == {"added": [], "changed": [], "removed": [], "unchecked": 0, "more": 0}
    assert run([*arguments, "--index", str(indexed_soc)]) == 0
    assert "older" not in capsys.readouterr().err


def test_a_removed_file_is_no_hit_and_not_cited(edited: Path) -> None:
    project = Project(edited)
    before = Project(edited)
    assert all(hit.path != "rtl/uart_rx.sv" for hit in before.search("uart_rx", k=50).hits)
    for hit in project.search("uart receiver start bit", k=50).hits:
        assert all(one.path != "rtl/uart_rx.sv" for one in hit.evidence)
        assert all("rtl/uart_rx.sv" not in step for one in hit.evidence for step in one.walk)
    answer = project.ask("which module is the uart receiver")
    assert all(citation.path != "rtl/uart_rx.sv" for citation in answer.citations)
    assert "rtl/uart_rx.sv" not in answer.text


def test_a_walk_over_a_line_that_says_something_else_is_not_told(indexed_soc: Path) -> None:
    top = indexed_soc / "rtl" / "soc_top.sv"

    def walks() -> list[str]:
        hits = Project(indexed_soc).search("round robin", k=50).hits
        found = [step for hit in hits for one in hit.evidence for step in one.walk]
        return [step for step in found if "rtl/soc_top.sv:" in step]

    assert walks()
    top.write_text("\n" * 3 + top.read_text())
    lines = top.read_text().splitlines()
    for step in walks():
        line = lines[int(step.rsplit(":", 1)[1].rstrip(")")) - 1]
        assert any(word in line for word in step.split(" (")[0].split())


def test_citations_of_a_changed_file_stand_in_it(indexed_soc: Path) -> None:
    file = indexed_soc / "rtl" / "bus_arbiter.sv"
    file.write_text("\n\n\n" + file.read_text())
    answer = Project(indexed_soc).ask("how does the bus arbiter grant hosts")
    lines = file.read_text().splitlines()
    cited = [c for c in answer.citations if c.path == "rtl/bus_arbiter.sv"]
    assert cited
    for citation in cited:
        assert "".join(lines[citation.line - 1 : citation.end_line]).strip()


def test_show_of_a_new_module_says_where_it_may_be(
    edited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "brand_new", "--index", str(edited)]) == 2
    said = capsys.readouterr().err
    assert "nothing is called" not in said
    assert "rtl/brand_new.sv" in said
    assert f"run `hdlgraph index {edited}`" in said
    assert run(["show", "nowhere_at_all", "--index", str(edited)]) == 2
    assert "nothing is called" in capsys.readouterr().err


def test_what_stands_in_a_removed_file_is_marked(
    edited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Project(edited).show("uart_rx")
    assert found["definitions"][0]["removed"] is True
    assert run(["show", "uart_rx", "--index", str(edited)]) == 0
    assert "told here of removed files: rtl/uart_rx.sv" in capsys.readouterr().err


def test_new_files_that_are_ignored_or_excluded_are_no_news(soc: Path) -> None:
    (soc / ".hdlgraphignore").write_text("build/\n")
    Project(soc).index(embeddings=False, graphrag="never", jobs=1, exclude=["*_gen.sv"])
    (soc / "rtl" / "one_gen.sv").write_text("module one_gen; endmodule\n")
    (soc / "build").mkdir()
    (soc / "build" / "two.sv").write_text("module two; endmodule\n")
    assert Project(soc).moved().added == ()


def test_with_a_filelist_only_headers_are_new(soc: Path) -> None:
    (soc / "all.f").write_text("rtl/uart_tx.sv\nrtl/soc_pkg.sv\n")
    Project(soc).index(embeddings=False, graphrag="never", jobs=1, filelist=soc / "all.f")
    (soc / "rtl" / "fresh.sv").write_text("module fresh; endmodule\n")
    (soc / "rtl" / "fresh.svh").write_text("`define FRESH\n")
    assert Project(soc).moved().added == ("rtl/fresh.svh",)


def test_an_index_without_its_repository_still_answers(indexed_soc: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    shutil.move(indexed_soc / ".hdlgraph", index)
    shutil.rmtree(indexed_soc)
    result = Project(indexed_soc, index).search("uart receiver")
    assert result.hits
    assert any("is not there" in note for note in result.notes)


def test_many_paths_are_counted_and_not_listed(indexed_soc: Path) -> None:
    for number in range(LISTED + 7):
        (indexed_soc / "rtl" / f"new_{number:03}.sv").write_text("module m; endmodule\n")
    told = Project(indexed_soc).search("uart").to_dict()["stale"]
    assert (len(told["added"]), told["more"]) == (LISTED, 7)


def test_content_is_compared_within_limits(
    indexed_soc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moved, "COMPARED", 2)
    files = sorted((indexed_soc / "rtl").glob("*.sv"))
    for file in files:
        file.touch()
    found = Project(indexed_soc).moved()
    assert found.unchecked == len(files) - 2
    assert "not compared" in found.note("R")


def test_names_that_lead_out_of_the_repository_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.sv"
    secret.write_text("module secret; endmodule\n")
    root = tmp_path / "root"
    root.mkdir()
    entry = FileEntry("0" * 64, secret.stat().st_size, 1, "rtl")
    known = {"../secret.sv": entry, "a\0b": entry}
    made = Manifest(generation=1, version="", root=str(root), inputs="", files=known)
    assert moved.look(root, made).changed == ("../secret.sv", "a\0b")


def test_the_look_takes_a_tenth_of_a_second_for_four_thousand_files(tmp_path: Path) -> None:
    files: dict[str, FileEntry] = {}
    folders: dict[str, int] = {}
    for number in range(200):
        folder = tmp_path / f"f{number:03}"
        folder.mkdir()
        for one in range(20):
            (folder / f"m{one}.sv").write_text("module m; endmodule\n")
            state = (folder / f"m{one}.sv").stat()
            path = f"{folder.name}/m{one}.sv"
            files[path] = FileEntry("0" * 64, state.st_size, state.st_mtime_ns, "rtl")
        folders[folder.name] = folder.stat().st_mtime_ns
    made = Manifest(
        generation=1, version="", root=str(tmp_path), inputs="", files=files, folders=folders,
        suffixes=(".sv",),
    )  # fmt: skip
    times = []
    for _ in range(5):
        begun = time.process_time()
        assert not moved.look(tmp_path, made).any
        times.append(time.process_time() - begun)
    assert min(times) < 0.1
    os.utime(tmp_path / "f000", ns=(1, 1))
    assert not moved.look(tmp_path, made).any


def test_searches_of_a_large_repository_share_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.sv").write_text("module m; endmodule\n")
    state = (tmp_path / "m.sv").stat()
    entry = FileEntry("0" * 64, state.st_size, state.st_mtime_ns, "rtl")
    one, other = (
        Manifest(generation=n, version="", root=str(tmp_path), inputs="", files={"m.sv": entry})
        for n in (1, 2)
    )
    last = moved.LastLook()

    def removed(manifest: Manifest) -> tuple[str, ...]:
        return last.moved(manifest, partial(moved.look, tmp_path)).removed

    assert removed(one) == ()
    (tmp_path / "m.sv").unlink()
    assert removed(one) == ("m.sv",)  # of few files each look is a new one
    monkeypatch.setattr(moved, "FEW", 0)
    monkeypatch.setattr(moved, "HOLDS", 1.0)  # as if there were 10,000 files
    assert removed(other) == ("m.sv",)
    (tmp_path / "m.sv").write_text("module m; endmodule\n")
    assert removed(other) == ("m.sv",)
    assert removed(one) == ()
    time.sleep(1.01)
    assert removed(one) == ()


def test_a_slow_look_holds_ten_times_as_long_as_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = FileEntry("0" * 64, 0, 0, "rtl")
    made = Manifest(
        generation=1, version="", root=str(tmp_path), inputs="", files=dict.fromkeys("ab", entry)
    )
    monkeypatch.setattr(moved, "FEW", 0)
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(moved, "time", SimpleNamespace(monotonic=lambda: clock.now))
    last, looks = moved.LastLook(), []

    def look(_: Manifest) -> moved.Moved:
        looks.append(clock.now)
        clock.now += 0.05
        return moved.Moved()

    for after in (0.0, 0.4, 0.2, 0.4):
        clock.now += after
        last.moved(made, look)
    assert looks == [100.0, 100.65]


def test_a_name_of_a_stranger_is_one_argument(edited: Path) -> None:
    with pytest.raises(UsageError, match="nothing is called"):
        Project(edited).show("(((((")
