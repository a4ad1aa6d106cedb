"""Of several definitions of a name the one of the same fileset is meant, by project files."""

from __future__ import annotations

from pathlib import Path

import pytest
from _graphs import module, record

from hdlgraph.index.filesets.read import read_filesets
from hdlgraph.index.link.link import link

CORE = """CAPI=2:
name: "acme:ip:{name}:0.1"
filesets:
  files_rtl:
    depend:
      - {depend}
    files:
{files}
    file_type: systemVerilogSource
targets:
  default: &default
    filesets:
      - files_rtl
  lint:
    <<: *default
"""


def core(name: str, *files: str, depend: str = "acme:lib:none") -> str:
    listed = "\n".join(f"      - {file}" for file in files)
    return CORE.format(name=name, depend=depend, files=listed)


def chosen(files: dict[str, str], user: str, *cells: str, root: Path) -> tuple[str, str]:
    """Returns the path of the likeliest definition of `cell` for a user, and why it is that."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    records = [record(user, module("top", "cell")), *(record(one, module("cell")) for one in cells)]
    found = read_filesets(root, files, [one.path for one in records])
    graph = link(records, filesets=found)
    (edge,) = [
        e for e in graph.edges
        if e.kind == "INSTANTIATES" and e.source.startswith("module:") and e.reason
    ]  # fmt: skip
    return edge.target.partition(":")[2].partition("#")[0], edge.reason


def test_nearest_folder_without_project_files(tmp_path: Path):
    found = chosen({}, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("a/near/cell.sv", "nearest folder")


def test_same_fileset_of_a_core(tmp_path: Path):
    files = {"x.core": core("x", "a/top.sv", "b/far/cell.sv : {file_type: user}")}
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("b/far/cell.sv", "same fileset")


def test_fileset_of_a_dependency(tmp_path: Path):
    files = {
        "a/top.core": core("top", "top.sv", depend="acme:ip:mid"),
        "m/mid.core": core("mid", "mid.sv", depend="'>=acme:ip:far:0.1'"),
        "b/far.core": core("far", "far/cell.sv"),
    }
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("b/far/cell.sv", "fileset of a dependency")


def test_a_circle_of_dependencies_ends(tmp_path: Path):
    files = {
        "a/top.core": core("top", "top.sv", depend="acme:ip:far"),
        "b/far.core": core("far", "far/cell.sv", depend="acme:ip:top"),
    }
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found[0] == "b/far/cell.sv"


def test_sources_of_bender(tmp_path: Path):
    files = {
        "a/Bender.yml": "package:\n  name: acme\ndependencies:\n  far: { path: ../b }\nsources:\n"
        "  - top.sv\n  - target: test\n    files:\n      - tb.sv\n",
        "b/Bender.yml": "package:\n  name: far\nsources:\n  - files:\n    - far/cell.sv\n",
    }
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("b/far/cell.sv", "fileset of a dependency")


def test_a_filelist_names_both(tmp_path: Path):
    files = {"sim/all.f": "+incdir+x\n../a/top.sv\n../b/far/cell.sv\n"}
    for path in ("a/top.sv", "b/far/cell.sv"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("\n")
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("b/far/cell.sv", "same fileset")


def test_a_file_in_no_list_means_the_nearest(tmp_path: Path):
    files = {"x.core": core("x", "other.sv", "b/far/cell.sv")}
    found = chosen(files, "a/top.sv", "a/near/cell.sv", "b/far/cell.sv", root=tmp_path)
    assert found == ("a/near/cell.sv", "nearest folder")


def test_an_included_file_comes_first(tmp_path: Path):
    records = [
        record("a/top.sv", module("top", "cell"), includes=(("far/cell.v", 1),)),
        record("a/near/cell.v", module("cell")),
        record("b/far/cell.v", module("cell")),
    ]
    graph = link(records)
    (edge,) = [e for e in graph.edges if e.source == "module:a/top.sv#top" and e.reason]
    assert (edge.target, edge.reason) == (
        "module:b/far/cell.v#cell", "in a file that the user includes"
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "filesets:\n" + "  a:\n" * 100_000,
        "filesets:\n  a:\n    files: [" + "x.sv, " * 100_000 + "]\n",
        "filesets:\n  a:\n    files:\n      - ../../../etc/passwd\n      - /etc/passwd\n",
        "\x00\xff: [[[[[{{{{",
        "filesets: &a [*a, *a]\n",
        "- " * 100_000,
    ],
)
def test_hostile_project_files_are_read_or_passed_over(text: str, tmp_path: Path):
    from time import process_time

    (tmp_path / "x.core").write_text(text, "latin-1")
    (tmp_path / "Bender.yml").write_text(text, "latin-1")
    begun = process_time()
    found = read_filesets(tmp_path, ["x.core", "Bender.yml"], ["a.sv"])
    assert process_time() - begun < 2
    assert all(path == "a.sv" for one in found for path in one.files)


def test_project_files_beyond_a_link_are_not_read(tmp_path: Path):
    outside = tmp_path / "outside.core"
    outside.write_text(core("x", "a.sv"))
    root = tmp_path / "repo"
    root.mkdir()
    (root / "x.core").symlink_to(outside)
    assert read_filesets(root, ["x.core"], ["a.sv"]) == ()


def test_a_library_that_is_used_otherwise_comes_before_a_nearer_folder():
    parts = ("cell", "lib_a", "lib_b", "lib_c")
    records = [
        record("core/src/top.sv", module("top", *parts)),
        record("board/cell.sv", module("cell")),
        *(record(f"external/lib/{part}/{part}.sv", module(part)) for part in parts),
    ]
    graph = link(records)
    (edge,) = [
        e for e in graph.edges
        if e.source == "module:core/src/top.sv#top" and e.target.endswith("#cell") and e.reason
    ]  # fmt: skip
    assert (edge.target, edge.reason) == (
        "module:external/lib/cell/cell.sv#cell", "in a library that its folder uses otherwise"
    )  # fmt: skip


def test_another_core_calls_for_a_new_index(tmp_path: Path):
    from hdlgraph.project import Project

    for path, unit in (("a/top.sv", "top"), ("a/near/cell.sv", "leaf"), ("b/far/cell.sv", "leaf")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        inside = "leaf u_leaf ();" if unit == "top" else ""
        (tmp_path / path).write_text(f"module {unit};\n{inside}\nendmodule\n")

    def cell() -> str:
        Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
        (found,) = Project(tmp_path).show("top.u_leaf")["definitions"]
        return str(found["units"][0]["path"])

    assert cell() == "a/near/cell.sv"
    (tmp_path / "x.core").write_text(core("x", "a/top.sv", "b/far/cell.sv"))
    assert cell() == "b/far/cell.sv"
    (tmp_path / "x.core").unlink()
    assert cell() == "a/near/cell.sv"
