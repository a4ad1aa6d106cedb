"""Odd entries of a repository: each is named in a note or as failed, the others are indexed."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pathspec
import pytest

from hdlgraph.index.discover.files import discover, documents
from hdlgraph.index.discover.ignore import ALL_LINES, FILE_BYTES
from hdlgraph.index.discover.patterns import to_spec
from hdlgraph.index.discover.texts import TextReader
from hdlgraph.index.discover.walk import DEPTH
from hdlgraph.index.lexical.mine_short_forms import read_documents
from hdlgraph.index.parse.pool import parse_all
from hdlgraph.project import Project
from hdlgraph.safety.safe_files import SOURCE_BYTES

LATIN_1 = b"caf\xe9.v"


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    (root / "rtl").mkdir(parents=True)
    (root / "rtl/good.v").write_text("module good(input a); endmodule\n")
    (root / "good.sv").write_text("module top; good u(.a(1'b0)); endmodule\n")
    yield root
    # pytest's own sweep ends at folders as deep as these.
    subprocess.run(["rm", "-rf", str(root)], check=True)


def paths(found):
    return [file.path for file in found.files]


def note(found, *words):
    """Returns the one note that has all the words."""
    (line,) = [line for line in found.notes if all(word in line for word in words)]
    return line


def nest(folder: Path, names) -> None:
    """Makes folders below each other, deeper than a path may be long."""
    handle = os.open(folder, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("deep.v", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)


def index(root: Path, *options: str) -> tuple[int, dict]:
    command = [sys.executable, "-m", "hdlgraph.serve.cli.main", "index", str(root), "--json"]
    command += ["--no-embeddings", "--graphrag", "never", "--jobs", "1", *options]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.stdout, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)


def test_all_odd_entries_in_one_run(repo, tmp_path):
    (tmp_path / "secret.v").write_text("module secret; endmodule\n")
    with open(os.fsencode(repo / "rtl") + b"/" + LATIN_1, "w") as stream:  # noqa: PTH123
        stream.write("module cafe; endmodule\n")
    (repo / "rtl/line\nhdlgraph: error: forged.v").write_text("module line; endmodule\n")
    (repo / "self.v").symlink_to("self.v")
    (repo / "gone.v").symlink_to("nowhere.v")
    (repo / "out.v").symlink_to(tmp_path / "secret.v")
    (repo / "inside.v").symlink_to("rtl/good.v")
    os.mkfifo(repo / "pipe.v")
    nest(repo, ["d"] * 1200)
    with (repo / "sparse.v").open("wb") as stream:
        stream.truncate(5_000_000_000)
    (repo / "verible.filelist").symlink_to("/dev/zero")
    started = time.monotonic()
    code, report = index(repo)
    assert time.monotonic() - started < 60
    assert code == 1
    assert report["files"] == 4
    assert [line.partition(":")[0] for line in report["failed"]] == ["sparse.v"]
    assert f"more than {SOURCE_BYTES} are not read" in report["failed"][0]
    notes = "\n".join(report["notes"])
    assert "2 names that are not UTF-8 or hold control characters" in notes
    assert r"rtl/caf\xe9.v" in notes
    assert "3 links that lead out of the repository or nowhere, not followed, such as gone" in notes
    assert f"1 folders nested more than {DEPTH} deep" in notes
    assert "no regular files, skipped, such as pipe.v" in notes
    assert "verible.filelist: not used" in notes
    # A second run says the same and does not take the sparse file for a new one.
    assert index(repo)[1]["unchanged"] == 4


def test_names_are_skipped_one_by_one(repo):
    with open(os.fsencode(repo / "rtl") + b"/" + LATIN_1, "w"):  # noqa: PTH123
        pass
    os.mkdir(os.fsencode(repo) + b"/f\xfflder")  # noqa: PTH102
    Path(os.fsdecode(os.fsencode(repo) + b"/f\xfflder/in.v")).touch()
    found = discover(repo)
    assert paths(found) == ["good.sv", "rtl/good.v"]
    assert note(found, "2 names") == (
        "2 names that are not UTF-8 or hold control characters, skipped, such as f\\xfflder"
    )


def test_a_path_longer_than_the_system_allows(repo):
    nest(repo, ["d" * 200] * 30)
    found = discover(repo)
    assert paths(found) == ["good.sv", "rtl/good.v"]
    assert "File name too long" in note(found, "1 folders that cannot be read")


def test_unreadable_folders_are_noted():
    base = Path(tempfile.mkdtemp())  # not below pytest's own folder, which is closed to others
    try:
        base.chmod(0o755)
        (base / "a.v").touch()
        (base / "closed").mkdir()
        (base / "closed/b.v").touch()
        (base / "closed").chmod(0)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            found = discover(base)
        finally:
            if is_root:
                os.seteuid(0)
    finally:
        (base / "closed").chmod(0o755)
        shutil.rmtree(base)
    assert paths(found) == ["a.v"]
    assert note(found, "closed/") == (
        "1 folders that cannot be read, skipped, such as closed/ (Permission denied)"
    )


@pytest.mark.parametrize("name", [".gitignore", ".hdlgraphignore"])
@pytest.mark.parametrize("kind", ["pipe", "zero", "outside", "large"])
def test_ignore_files_that_are_none(repo, tmp_path, name, kind):
    (repo / ".git").mkdir()
    (tmp_path / "rules").write_text("good.sv\n")
    if kind == "pipe":
        os.mkfifo(repo / name)
    elif kind == "zero":
        (repo / name).symlink_to("/dev/zero")
    elif kind == "outside":
        (repo / name).symlink_to(tmp_path / "rules")
    else:
        (repo / name).write_bytes(b"*.v\n" * FILE_BYTES)
    found = discover(repo)
    assert paths(found) == ["good.sv", "rtl/good.v"]
    assert note(found, f"{name}: not read")


def test_a_pipe_above_the_root(repo):
    (repo / ".git").mkdir()
    os.mkfifo(repo / ".gitignore")
    assert note(discover(repo / "rtl"), ".gitignore: not read")


def test_patterns_that_never_end_are_fast_or_refused(repo):
    name = "a" * 240 + ".v"
    (repo / name).touch()
    lines = ["a*" * 60 + "b", "*[a]*[a]*[a]*b", "**/a/**/a/**/b", "x" * 2000, "good.sv"]
    (repo / ".hdlgraphignore").write_text("\n".join(lines))
    started = time.process_time()
    found = discover(repo)
    assert time.process_time() - started < 2
    assert paths(found) == [name, "rtl/good.v"]
    said = [line for line in found.notes if "pattern not used" in line]
    assert [line.partition(": ")[0] for line in said] == [
        ".hdlgraphignore:2",
        ".hdlgraphignore:3",
        ".hdlgraphignore:4",
    ]


def test_globs_that_never_end(repo):
    (repo / ("a" * 240 + ".v")).touch()
    started = time.process_time()
    found = discover(repo, exclude=["*[a]*[a]*[a]*b", "a*" * 60 + "b", "*.sv"])
    assert time.process_time() - started < 2
    assert note(found, "glob not used")
    assert "good.sv" not in paths(found)


def test_number_of_patterns_is_bounded(repo):
    for n in range(8):
        (repo / f"d{n}").mkdir()
        (repo / f"d{n}/.hdlgraphignore").write_text(f"x{n}\n" * (ALL_LINES // 5))
    found = discover(repo)
    assert len([line for line in found.notes if "only 0 count" in line]) == 3
    assert paths(found) == ["good.sv", "rtl/good.v"]


def test_rewritten_patterns_match_what_git_patterns_match():
    chance = random.Random(1)
    for _ in range(1500):
        line = "".join(chance.choice("ab*?./\\*!") for _ in range(chance.randint(1, 10)))
        try:
            plain = pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        spec, refused = to_spec([line])
        for _ in range(0 if refused else 20):
            path = "".join(chance.choice("abab./") for _ in range(chance.randint(1, 9)))
            path = path.strip("/") or "a"
            assert spec.check_file(path).include == plain.check_file(path).include, (line, path)


def test_documents_are_read_in_part_and_never_waited_for(repo, tmp_path):
    (repo / "a.md").write_text("The Physical Memory Protection (PMP) unit.\n")
    os.mkfifo(repo / "b.md")
    (tmp_path / "secret.md").write_text("secret")
    (repo / "c.md").symlink_to(tmp_path / "secret.md")
    with (repo / "d.md").open("wb") as stream:
        stream.truncate(5_000_000_000)
    texts = dict(read_documents(repo, documents(repo)))
    assert sorted(texts) == ["a.md", "d.md"]
    assert len(texts["d.md"]) == 400_000


def test_text_is_read_from_inside_only(repo, tmp_path):
    (tmp_path / "secret.v").write_text("secret")
    (repo / "out.v").symlink_to(tmp_path / "secret.v")
    (repo / "in.v").symlink_to("rtl/good.v")
    os.mkfifo(repo / "pipe.v")
    read = TextReader(repo)
    for path in ("out.v", "pipe.v", "../secret.v", str(tmp_path / "secret.v"), "a\0b", "rtl"):
        assert read(path) == ""
    assert read("in.v").startswith("module good")


def test_documents_of_graphrag_come_from_inside_only(repo, tmp_path):
    from hdlgraph.index.graphrag.job import _documents

    (tmp_path / "secret.v").write_text("secret")
    (repo / "out.v").symlink_to(tmp_path / "secret.v")
    os.mkfifo(repo / "pipe.v")
    paths = ["good.sv", "out.v", "pipe.v", "../secret.v"]
    assert list(_documents("code", paths, {}, {"root": str(repo)})) == ["good.sv"]


def test_a_large_file_is_scanned_by_its_head(repo, monkeypatch):
    from hdlgraph.index.parse.one_file import Extractor
    from hdlgraph.parsers import limits
    from hdlgraph.parsers.includes import IncludeIndex

    monkeypatch.setattr(limits, "SCAN_BYTES", 3_000)
    line = "module m%04d(input a); endmodule\n"
    (repo / "big.v").write_text("".join(line % n for n in range(1000)))
    record = Extractor(repo, IncludeIndex(["big.v"]), deep_bytes=2_000).extract("big.v", "", "rtl")
    assert record.size == 33_000
    assert record.degraded == (
        "33000 bytes exceed the limit of 2000, the first 2970 bytes read as text only"
    )
    assert len(record.units) == 90


def test_a_file_of_343_megabytes_is_scanned_by_pattern(repo):
    line = b"  good u_0 (.a(net_1), .b(net_2)); // a cell\n"
    with (repo / "huge.v").open("wb") as stream:
        stream.write(b"module huge(input a);\n" + line * 100_000 + b"endmodule\n")
        stream.truncate(343_000_000)
    sources = [file for file in discover(repo).files if file.path == "huge.v"]
    (record,) = parse_all(repo, sources, jobs=1)
    assert [unit.name for unit in record.units] == ["huge"]
    assert "exceed the limit of 8000000, the first " in record.degraded
    assert "exit code" not in record.degraded


def test_what_is_skipped_is_told_also_when_nothing_else_changed(indexed_soc):
    project = Project(indexed_soc)
    os.mkfifo(indexed_soc / "rtl" / "late.sv")
    report = project.index(embeddings=False, graphrag="never", jobs=1)
    assert report.unchanged == report.files
    assert any("rtl/late.sv" in note for note in report.notes)
    (indexed_soc / "rtl" / "late.sv").unlink()
    assert project.index(embeddings=False, graphrag="never", jobs=1).notes == ()
