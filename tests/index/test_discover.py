import hashlib
import os

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.files import discover, documents
from hdlgraph.index.discover.source_file import Known


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    for path in (
        "rtl/a.sv",
        "rtl/b.v",
        "rtl/notes.txt",
        "rtl/old/c.sv",
        "build/d.sv",
        "build/keep.sv",
        "gen/e.svh",
        ".git/f.sv",
        ".hdlgraph/g.sv",
    ):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"// {path}\n")
    return root


def paths(found):
    return [file.path for file in found.files]


def test_suffixes_and_skipped_folders(repo):
    found = discover(repo)
    assert paths(found) == [
        "build/d.sv",
        "build/keep.sv",
        "gen/e.svh",
        "rtl/a.sv",
        "rtl/b.v",
        "rtl/old/c.sv",
    ]
    assert found.source == "glob"
    a = next(file for file in found.files if file.path == "rtl/a.sv")
    assert a.sha256 == hashlib.sha256(b"// rtl/a.sv\n").hexdigest()


def test_nested_ignore_files(repo):
    found = discover(repo)
    assert found.notes == ()
    (repo / ".gitignore").write_text("build/*\n!build/keep.sv\n")
    (repo / "rtl/.hdlgraphignore").write_text("old/\n")
    assert paths(discover(repo)) == ["build/keep.sv", "gen/e.svh", "rtl/a.sv", "rtl/b.v"]


def test_include_brings_back_ignored_files_and_exclude_wins(repo):
    (repo / ".gitignore").write_text("build/\n")
    found = discover(repo, include=["build/", "rtl/**"], exclude=["*.v"])
    assert paths(found) == ["build/d.sv", "build/keep.sv", "rtl/a.sv", "rtl/old/c.sv"]


def test_an_include_glob_that_no_file_matches_is_told(repo):
    found = discover(repo, include=["rtl/**", "rlt/*.sv", "!rtl/b.v", "docs/"])
    assert paths(found) == ["rtl/a.sv", "rtl/old/c.sv"]
    assert found.notes == ("no file matches the include globs rlt/*.sv, docs/",)


def test_gitignore_counts_only_in_a_work_tree(tmp_path):
    root = tmp_path / "tree/part"
    (root / "gen").mkdir(parents=True)
    (root / "gen/a.sv").write_text("x")
    (root / "b.sv").write_text("x")
    (root / ".gitignore").write_text("gen/\n")
    assert paths(discover(root)) == ["b.sv", "gen/a.sv"]
    (tmp_path / "tree/.git").mkdir()
    found = discover(root)
    assert paths(found) == ["b.sv"]
    assert found.notes == ("1 files left out by ignore files, such as gen/a.sv",)
    # Rules above the root count too, unless they ignore the root itself.
    (tmp_path / "tree/.gitignore").write_text("part/b.sv\n")
    assert paths(discover(root)) == []
    (tmp_path / "tree/.gitignore").write_text("/part/\n")
    assert paths(discover(root)) == ["b.sv", "gen/a.sv"]


def test_links_out_of_the_root_are_not_followed(repo, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/s.sv").write_text("x")
    (repo / "link").symlink_to(tmp_path / "secret")
    (repo / "s.sv").symlink_to(tmp_path / "secret/s.sv")
    (repo / "rtl/loop").symlink_to(repo)
    assert not [path for path in paths(discover(repo)) if "s.sv" in path or "loop" in path]


def test_known_files_are_not_read_again(repo):
    stat = (repo / "rtl/a.sv").stat()
    known = {"rtl/a.sv": Known(stat.st_size, stat.st_mtime_ns, "f" * 64, "formal")}
    a = next(file for file in discover(repo, known=known).files if file.path == "rtl/a.sv")
    assert (a.sha256, a.role) == ("f" * 64, "formal")


def test_filelist_is_preferred_and_reported(repo):
    (repo / "verible.filelist").write_text("rtl/a.sv\nrtl/missing.sv\n+incdir+gen\n+define+X=1\n")
    found = discover(repo)
    assert paths(found) == ["gen/e.svh", "rtl/a.sv"]
    assert (found.source, found.incdirs, found.defines) == ("verible.filelist", ("gen",), ("X=1",))
    assert found.notes == ("verible.filelist: does not exist: rtl/missing.sv",)
    (repo / "my.f").write_text("rtl/b.v\n")
    assert discover(repo, filelist=repo / "my.f").source == "my.f"


def test_no_folder(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        discover(tmp_path / "nowhere")


def test_order_is_that_of_paths(repo):
    assert discover(repo) == discover(repo)
    assert paths(discover(repo)) == sorted(paths(discover(repo)))


@pytest.mark.parametrize("filelist", ["", "rtl/a.sv\n", "rtl/none.sv\n"])
def test_documents_are_found_on_the_same_way(repo, tmp_path, filelist):
    (repo / "doc").mkdir()
    for name in ("a.md", "b.rst", "c.adoc", "d.hjson", "draft.md", "e.txt", "hid\u200bden.md"):
        (repo / "doc" / name).touch()
    (repo / "rtl/doc").symlink_to(repo / "doc")
    (repo / "rtl/near.md").symlink_to("../doc/a.md")
    (repo / "rtl/far.md").symlink_to(tmp_path)
    (repo / ".hdlgraphignore").write_text("draft.*\n")
    if filelist:
        (repo / "verible.filelist").write_text(filelist)
    for exclude in ((), ("*.rst",)):
        found = discover(repo, include=["*.sv"], exclude=exclude)
        assert list(found.documents) == documents(repo, exclude)
        assert {"doc/a.md", "doc/d.hjson", "rtl/near.md"} <= {*found.documents}
        assert ("doc/b.rst" in found.documents) == (not exclude)
    assert list(discover(repo, suffixes=(".sv", ".md")).documents) == documents(repo)


def test_odd_documents_are_passed_over_without_a_word(repo, tmp_path):
    before = discover(repo).notes
    (tmp_path / "secret").touch()
    (repo / "out.md").symlink_to(tmp_path / "secret")
    (repo / "gone.md").symlink_to("nowhere.md")
    (repo / "li\nne.rst").touch()
    os.mkfifo(repo / "pipe.adoc")
    found = discover(repo)
    assert (found.notes, found.documents) == (before, ())
    (repo / "pipe.adoc").rename(repo / "pipe.hjson")  # that one may describe registers
    assert "such as pipe.hjson" in discover(repo).notes[0]
