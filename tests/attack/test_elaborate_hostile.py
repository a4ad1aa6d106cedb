"""Hostile designs and index folders: elaboration has limits, opens nothing, and loses nothing."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from _elaborating import copied, project, tree

from hdlgraph.errors import HdlgraphError, IndexDamagedError, IndexUnsafeError
from hdlgraph.project import Project
from hdlgraph.settings.elaborate import ElaborateSettings
from hdlgraph.settings.records import Settings
from hdlgraph.store.design import configurations
from hdlgraph.store.design.elaborated import Body, Child, Chosen, Configuration, Elaborated

HUGE = """
module leaf #(parameter int W = 1) (input logic [W-1:0] a); endmodule
module top;
  for (genvar i = 0; i < 100000; i++) begin : g
    leaf #(.W(i + 1)) u (.a('0));
  end
endmodule
"""
SMALL = "module top; leaf l (.a('0)); endmodule\nmodule leaf (input a); endmodule\n"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("small"), {"top.sv": SMALL})


@pytest.fixture
def small(indexed: Project, tmp_path: Path) -> Project:
    return copied(indexed, tmp_path / "repo")


def limited(made: Project, **limits: float) -> Project:
    """Returns the same project with limits of elaborations."""
    settings = dataclasses.replace(Settings(), elaborate=ElaborateSettings(**limits))
    return Project(made.root, settings=settings)


def test_too_much_memory_or_time_is_said_and_the_former_result_stays(small: Project) -> None:
    assert small.elaborate()["instances"] == 1
    (small.root / "top.sv").write_text(HUGE)
    small.index(embeddings=False, graphrag="never", jobs=1)
    for limits, words in (
        ({"memory_mb": 64}, "needs more than 64 MiB of memory.*elaborate.memory_mb"),
        ({"deadline_s": 0.5}, "took more than 0.5 s.*elaborate.deadline_s"),
    ):
        again = limited(small, **limits)
        with pytest.raises(HdlgraphError, match=words):
            again.elaborate()
        assert again.elaborations()["configurations"][0]["changed"] == ["top.sv"]
    assert set(tree(small)) == {"l"}


def test_an_index_run_is_not_failed_by_its_elaboration(small: Project) -> None:
    def notes(made: Project) -> tuple[str, ...]:
        report = made.index(embeddings=False, graphrag="never", jobs=1, elaborate=True)
        assert not report.failed
        assert not report.problems
        return report.notes

    assert "elaborated top: 1 instances, 0 errors, 0 warnings" in notes(small)
    (small.root / "top.sv").write_text(HUGE)
    told = notes(limited(small, deadline_s=0.2))
    assert any("not elaborated: elaborating top: took more" in note for note in told)


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A repository whose design reaches for files beside it, in two ways."""
    folder = tmp_path_factory.mktemp("around")
    file = folder / "outside.svh"
    file.write_text("module secret; endmodule\n")
    paths = (f'"{file}"', '"../outside.svh"', '"../../../../../../..' + f'{file}"')
    lines = "".join(f"`include {path}\n" for path in paths)
    files = {
        "top.sv": f'{lines}`define WHERE "{file}"\n`include `WHERE\n'
        f'`define ALSO `include "{file}"\n`ALSO\nmodule top; secret s (); endmodule\n',
        "linking.sv": "module linking; linked s (); endmodule\n",
        "linked.sv": "module linked; endmodule\n",
    }
    return project(folder / "repo", files)


def test_nothing_outside_of_the_repository_is_read(outside: Project) -> None:
    outside.elaborate(["top"])
    assert tree(outside)["s"]["note"] == "external"


def test_a_link_out_of_the_repository_is_not_followed(outside: Project, tmp_path: Path) -> None:
    outside.elaborate(["linking"], name="own")
    assert "note" not in tree(outside, "own")["s"]
    (tmp_path / "outside.sv").write_text("module linked; endmodule\n")
    (outside.root / "linked.sv").unlink()
    (outside.root / "linked.sv").symlink_to(tmp_path / "outside.sv")
    outside.elaborate(["linking"], name="link")
    assert tree(outside, "link")["s"]["note"] == "external"


def kept(folder: Path, result: Elaborated, name: str = "default") -> Path:
    """Writes a configuration as a stranger may: with a checksum that fits."""
    found = Configuration(name=name, key="", tops=("module:top.sv#top",), result=result)
    data = msgspec.msgpack.encode(found)
    path = folder / configurations.FOLDER / f"{name}.msgpack"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    return path


UNIT = Chosen("top", "module", "top.sv", 1)


@pytest.mark.parametrize(
    "result",
    [
        Elaborated(tops=(("top", 1),), units=(UNIT,), bodies=(Body(0),)),
        Elaborated(tops=(("top", -1),), units=(UNIT,), bodies=(Body(0),)),
        Elaborated(tops=(("top", 0),), units=(), bodies=(Body(0),)),
        Elaborated(units=(UNIT,), bodies=(Body(0, children=(Child("a", 7, "", 1),)),)),
        Elaborated(units=(UNIT,), bodies=(Body(0, children=(Child("a", 0, "", 1),)),)),
        Elaborated(
            units=(UNIT,),
            bodies=(
                Body(0, children=(Child("a", 1, "", 1),)),
                Body(0, children=(Child("b", 0, "", 1),)),
            ),
        ),
    ],
)
def test_positions_that_lead_nowhere_are_refused(small: Project, result: Elaborated) -> None:
    made = small
    kept(made.folder, result)
    with pytest.raises(IndexDamagedError, match="run `hdlgraph elaborate --name default` again"):
        made.elaborated_tree()
    assert made.elaborate()["instances"] == 1  # it is made anew
    assert set(tree(made)) == {"l"}


def test_damaged_files_and_links_are_refused(small: Project, tmp_path: Path) -> None:
    made = small
    made.elaborate()
    path = made.folder / configurations.FOLDER / "default.msgpack"
    data = path.read_bytes()
    for bad in (b"", data[:-1], data[:70] + b"\xff" + data[71:]):
        path.write_bytes(bad)
        with pytest.raises(IndexDamagedError):
            made.elaborated_tree()
    path.unlink()
    other = tmp_path / "other"
    other.write_bytes(data)
    path.symlink_to(other)
    with pytest.raises(IndexUnsafeError, match="is a link"):
        made.elaborated_tree()
    with pytest.raises(IndexUnsafeError, match="is a link"):
        made.elaborate()
    path.unlink()
    os.link(other, path)
    with pytest.raises(IndexUnsafeError, match="has a second name"):
        made.elaborate(fresh=True)
    assert other.read_bytes() == data


def test_a_tree_that_unfolds_without_end_is_counted_at_once(small: Project) -> None:
    made = small
    depth = 200
    bodies = tuple(
        Body(0, children=tuple(Child(f"u{i}", at + 1, "top.sv", 1) for i in range(8)))
        for at in range(depth)
    )
    kept(made.folder, Elaborated(tops=(("top", 0),), units=(UNIT,), bodies=(*bodies, Body(0))))
    found = made.elaborated_tree("", 100)
    assert found["truncated"]
    assert made.elaborations()["configurations"][0]["instances"] == 10**12
