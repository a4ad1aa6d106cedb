"""Several repositories at once: hits with their repository, names across them, what is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from _workspaces import build

from hdlgraph.errors import SettingsError, UsageError
from hdlgraph.project import Project
from hdlgraph.project.workspace import Workspace
from hdlgraph.query.workspace.plain import plain_answer, plain_result


@pytest.fixture(scope="module")
def chips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace file of the board and its cells; read only."""
    return build(tmp_path_factory.mktemp("chips"))


@pytest.fixture
def private(chips: Path, tmp_path: Path) -> Path:
    """A private copy of them, free to be damaged."""
    return Path(shutil.copytree(chips.parent, tmp_path / "chips")) / chips.name


def test_each_question_finds_its_repository(chips: Path) -> None:
    workspace = Workspace.open(chips)
    for question, place in (
        ("counter up to 255", "board:rtl/press_counter.v"),
        ("asynchronous level into the clock domain", "cells:src/pulse_sync.v"),
        ("pulse_sync", "cells:src/pulse_sync.v"),
        ("board_top", "board:rtl/board_top.v"),
    ):
        found = workspace.search(question)
        first = found.hits[0]
        assert f"{first.repository}:{first.path}" == place, question
        assert sum(hit.probability for hit in found.hits) <= 1.0001
        assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))


def test_files_of_one_content_are_one_hit(chips: Path) -> None:
    found = Workspace.open(chips).search("edge_cell")
    edges = [hit for hit in found.hits if hit.path.endswith("edge_cell.v")]
    assert len(edges) == 1
    also = [at.location for at in edges[0].also]
    names = sorted(
        [f"{edges[0].repository}:{edges[0].path}", *(at.partition(".v")[0] + ".v" for at in also)]
    )
    assert names == ["board:vendor/edge_cell.v", "cells:src/edge_cell.v"]


def test_a_search_is_the_same_again_whatever_the_order_of_the_file(
    chips: Path, tmp_path: Path
) -> None:
    other = tmp_path / "turned.yaml"
    home = chips.parent
    other.write_text(f"repositories:\n  cells: {home}/cells\n  board: {home}/board\n")
    first = Workspace.open(chips).search("clock pulse")
    second = Workspace.open(other).search("clock pulse")
    assert [hit.place for hit in first.hits] == [hit.place for hit in second.hits]
    assert first.confidence == second.confidence


def test_who_lists_users_in_the_other_repository(chips: Path) -> None:
    found = Workspace.open(chips).who("pulse_sync")
    assert [(one["repository"], one["location"]) for one in found["targets"]] == [
        ("cells", "src/pulse_sync.v:2")
    ]
    (user,) = found["users"]
    assert (user["repository"], user["location"]) == ("board", "rtl/board_top.v:4")
    (defined,) = user["defined_in"]
    assert (defined["repository"], defined["fits"], defined["missing_ports"]) == ("cells", True, [])


def test_a_namesake_with_other_ports_is_told(chips: Path) -> None:
    found = Workspace.open(chips).who("strobe_gen")
    (user,) = found["users"]
    (defined,) = user["defined_in"]
    assert defined["fits"] is False
    assert defined["missing_ports"] == ["period_i"]


def test_show_says_who_defines_it_and_what_is_a_copy(chips: Path) -> None:
    workspace = Workspace.open(chips)
    (sync,) = workspace.show("pulse_sync")["definitions"]
    assert sync["repository"] == "cells"
    assert [(one["repository"], one["user_name"]) for one in sync["parents"]] == [
        ("board", "board_top")
    ]
    (top,) = workspace.show("board_top")["definitions"]
    units = {one["name"]: one["units"][0] for one in top["instances"]}
    assert [one["repository"] for one in units["board_top.u_sync"]["defined_in"]] == ["cells"]
    assert "defined_in" not in units["board_top.u_count"]
    told = {one["repository"]: one["copies"] for one in workspace.show("edge_cell")["definitions"]}
    assert [one["same"] for one in told["board"]] == ["identical"]
    hold = workspace.show("hold_cell")
    assert {one["copies"][0]["same"] for one in hold["definitions"]} == {"differs"}


def test_an_ambiguous_name_lists_the_candidates_and_can_be_chosen(chips: Path) -> None:
    workspace = Workspace.open(chips)
    (note,) = workspace.show("hold_cell")["notes"]
    assert "board:vendor/hold_cell.v:2, cells:src/hold_cell.v:2" in note
    assert "board:hold_cell" in note
    only = workspace.show("cells:hold_cell")
    assert [one["repository"] for one in only["definitions"]] == ["cells"]
    users = workspace.who("cells:edge_cell")["users"]
    assert {one["repository"] for one in users} == {"cells"}


def test_an_unknown_name_says_where_it_was_looked_for(chips: Path) -> None:
    with pytest.raises(UsageError, match="nothing is called 'puls_sync' in board, cells") as told:
        Workspace.open(chips).who("puls_sync")
    assert "did you mean" in str(told.value)


def test_an_answer_names_the_repository_of_each_place(chips: Path) -> None:
    answer = Workspace.open(chips).ask("what does pulse_sync do?", writer="extractive")
    assert answer.answered[0] == "cells"
    assert "[cells:src/pulse_sync.v:" in answer.text
    assert all(one["place"].startswith(one["repository"] + ":") for one in answer.citations)


def test_an_answer_on_users_tells_those_of_other_repositories(chips: Path) -> None:
    answer = Workspace.open(chips).ask("which modules instantiate pulse_sync?")
    assert "board_top instantiates it [board:rtl/board_top.v:4]" in answer.text
    assert "board:rtl/board_top.v:4" in [one["place"] for one in answer.citations]
    told = Workspace.open(chips).ask("which modules instantiate strobe_gen?")
    assert "[board:rtl/board_top.v:6]" not in told.text.partition("do not define it")[2]


def test_links_list_what_is_used_and_what_both_have(chips: Path) -> None:
    found = Workspace.open(chips).links()
    (pair,) = found["uses"]
    assert (pair["from"], pair["to"]) == ("board", "cells")
    assert [one["name"] for one in pair["names"]] == ["pulse_sync", "strobe_gen"]
    (shared,) = found["shared"]
    assert [one["name"] for one in shared["names"]] == ["edge_cell", "hold_cell"]


@pytest.mark.parametrize("how", ["missing", "older", "damaged"])
def test_what_cannot_be_asked_is_named_in_a_line_and_the_others_answer(
    private: Path, how: str
) -> None:
    index = private.parent / "cells" / ".hdlgraph"
    if how == "missing":
        shutil.rmtree(index)
    elif how == "older":
        manifest = json.loads((index / "manifest.json").read_text())
        manifest["schema"] = manifest["version"] = 1
        (index / "manifest.json").write_text(json.dumps(manifest))
    else:
        for file in index.glob("gen-*/lexical/*"):
            file.write_bytes(b"not what was written")
    workspace = Workspace.open(private)
    found = workspace.search("how often was the button pressed")
    assert found.hits[0].repository == "board"
    assert {one.name for one in found.repositories if one.error} == {"cells"}
    (note,) = [note for note in found.notes if note.startswith("cells was not asked: ")]
    assert "\n" not in note
    if how != "damaged":
        assert workspace.who("press_counter")["repositories"][1]["error"]


def test_where_all_say_the_same_it_is_the_error(chips: Path) -> None:
    with pytest.raises(UsageError, match=r"^the question is empty"):
        Workspace.open(chips).search("?!")
    with pytest.raises(UsageError, match="fpga: no repository of the workspace; it has board"):
        Workspace.open(chips).search("clock", repositories=("fpga",))


def test_a_question_about_nothing_here_is_refused(chips: Path) -> None:
    found = Workspace.open(chips).search("how are yeast and flour mixed for bread?")
    assert (found.confidence or 0.0) < 0.3


def test_plain_forms_carry_the_repository_in_each_place(chips: Path) -> None:
    workspace = Workspace.open(chips)
    plain = plain_result(workspace.search("edge_cell"))
    assert all(hit.path.partition(":")[0] in ("board", "cells") for hit in plain.hits)
    told = plain_answer(workspace.who("pulse_sync"))
    assert told["users"][0]["location"] == "board:rtl/board_top.v:4"
    assert told["users"][0]["defined_in"][0]["location"] == "cells:src/pulse_sync.v:2"


def test_one_repository_alone_orders_as_its_own_search(chips: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(f"repositories: {{cells: {chips.parent}/cells}}\n")
    for question in ("rising edge", "level into the clock domain", "hold_cell"):
        own = Project.open(chips.parent / "cells").search(question)
        found = Workspace.open(file).search(question)
        assert found.hits[0].path == own.hits[0].path


WRONG: dict[str, tuple[str, str]] = {
    "no mapping": ("- a\n- b\n", "a workspace file must hold"),
    "no section": ("{}\n", "has no `repositories:`"),
    "another key": ("repositories: {a: b}\nurl: c\n", r"unknown key 'url'.*:2\)"),
    "no repository": ("repositories: {}\n", "names 0 repositories"),
    "twice": ("repositories:\n  a: x\n  a: y\n", r"has 'a' twice.*:3\)"),
    "no name": ("repositories:\n  a/b: x\n", r"'a/b' is no name.*:2\)"),
    "a number": ("repositories:\n  a: 5\n", r"write a text here.*:2\)"),
    "no index": ("repositories:\n  a: {label: b}\n", r"`a` names no index.*:2\)"),
    "odd key": ("repositories:\n  a: {index: b, run: c}\n", r"unknown key 'run'.*:2\)"),
    "a list": ("repositories:\n  a: [b]\n", r"`a` must hold"),
    "a tag": ("repositories:\n  a: !!python/object/apply:os.getcwd []\n", "`a` must hold"),
    "no YAML": ("repositories: {\n", "not valid YAML"),
    "too deep": ("repositories: " + "[" * 60 + "]" * 60 + "\n", "more than 50 levels"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    file = tmp_path / "chips.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message) as told:
        Workspace.open(file)
    assert str(file) in str(told.value)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    for place in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(SettingsError, match=str(place)):
            Workspace.open(place)


def test_paths_are_taken_from_the_folder_of_the_file(chips: Path) -> None:
    entries: dict[str, Any] = Workspace.open(chips).members.entries
    assert entries["board"].index == chips.parent / "board"
    assert entries["cells"].label == "cells of the house"


def test_an_address_of_a_shared_index_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "chips.yaml"
    file.write_text("repositories: {cells: 's3://team-bucket/cells'}\n")
    assert Workspace.open(file).members.entries["cells"].place == "s3://team-bucket/cells"
    file.write_text("repositories:\n  cells: 's3://'\n")
    with pytest.raises(SettingsError, match=r"`cells`: .*chips.yaml:2"):
        Workspace.open(file)


def test_one_index_with_vectors_beside_one_without(
    soc_project: Project, chips: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mixed.yaml"
    file.write_text(f"repositories: {{soc: {soc_project.root}, cells: {chips.parent}/cells}}\n")
    workspace = Workspace.open(file)
    for question, place in (
        ("uart receiver samples the start bit", "soc:rtl/uart_rx.sv"),
        ("asynchronous level into the clock domain", "cells:src/pulse_sync.v"),
    ):
        first = workspace.search(question).hits[0]
        assert f"{first.repository}:{first.path}" == place
    alone = tmp_path / "soc.yaml"
    alone.write_text(f"repositories: {{soc: {soc_project.root}}}\n")
    found = Workspace.open(alone).search("uart receiver samples the start bit")
    assert found.hits[0].path == "rtl/uart_rx.sv"
    assert (found.confidence or 0.0) > 0.5


def test_a_file_in_a_repository_is_not_looked_for(private: Path) -> None:
    shutil.copy(private, private.parent / "board" / "workspace.yaml")
    shutil.copy(private, private.parent / "board" / "chips.yaml")
    found = Project.open(private.parent / "board").search("asynchronous level")
    assert all(not hit.path.startswith("src/") for hit in found.hits)
