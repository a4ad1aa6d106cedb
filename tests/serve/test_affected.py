"""`hdlgraph affected` and `hdlgraph index --check`: what changed files reach, and exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

NOBODY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.com")


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *NOBODY, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repo(indexed_soc: Path) -> Path:
    """The little system in a git repository, with an index by words."""
    git(indexed_soc, "init", "-q", "-b", "main")
    git(indexed_soc, "add", "-A")
    git(indexed_soc, "commit", "-qm", "one")
    return indexed_soc


def again(root: Path) -> None:
    Project(root).index(embeddings=False, graphrag="never", jobs=1)


def affected(root: Path, since: str = "HEAD", **more: Any) -> dict[str, Any]:
    return Project(root).affected(since, **more)


def names(found: dict[str, Any], kind: str = "units") -> list[str]:
    return [one["name"] for one in found[kind]]


def chain_of(found: dict[str, Any], name: str) -> list[str]:
    one = next(unit for unit in found["units"] if unit["name"] == name)
    return [f"{s['name']} {s['words']} {s['of']} ({s['location']})" for s in one["chain"]]


def test_nothing_is_affected_by_nothing_and_by_other_files(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / "README.md").write_text("words\n")
    assert run(["affected", "--since", "HEAD", "--index", str(repo), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["counts"] == dict.fromkeys(found["counts"], 0)
    assert found["base"] == git(repo, "rev-parse", "HEAD")


def test_a_changed_leaf_reaches_the_testbench(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leaf = repo / "rtl" / "uart_rx.sv"
    leaf.write_text(leaf.read_text().replace("endmodule", "// more\nendmodule"))
    found = affected(repo)
    assert [(one["path"], one["status"]) for one in found["changed"]] == [
        ("rtl/uart_rx.sv", "changed")
    ]
    assert names(found) == ["soc_tb", "soc_top", "uart", "uart_rx"]
    assert chain_of(found, "soc_tb") == [
        "uart instantiates uart_rx (rtl/uart.sv:46)",
        "soc_top instantiates uart (rtl/soc_top.sv:35)",
        "soc_tb instantiates soc_top (dv/soc_tb.sv:11)",
    ]
    assert found["tops"] == found["testbenches"] == ["module:dv/soc_tb.sv#soc_tb"]
    assert [one["distance"] for one in found["units"]] == [3, 2, 1, 0]
    assert [one["changed"] for one in found["units"]] == [False, False, False, True]
    assert "soc_tb.dut" in names(found, "instances")
    assert run(["affected", "--since", "HEAD", "--index", str(repo), "--list", "tops"]) == 3
    assert capsys.readouterr().out == "soc_tb\n"


def test_a_header_and_a_package_reach_who_reads_them(repo: Path) -> None:
    for path in ("include/soc_defs.svh", "rtl/soc_pkg.sv"):
        file = repo / path
        file.write_text(file.read_text() + "\n// more\n")
    found = affected(repo)
    assert chain_of(found, "uart_tx")[0] == (
        "rtl/uart_tx.sv includes include/soc_defs.svh (rtl/uart_tx.sv:2)"
    )
    assert any("imports soc_pkg" in step for step in chain_of(found, "soc_top"))
    assert "timer" not in names(found)
    assert [one["path"] for one in found["files"] if one["changed"]] == [
        "include/soc_defs.svh",
        "rtl/soc_pkg.sv",
    ]


def test_what_is_bound_looks_into_its_target(repo: Path) -> None:
    target = repo / "rtl" / "sync_fifo.sv"
    target.write_text(target.read_text() + "\n")
    found = affected(repo)
    assert "fifo_checks" in names(found)
    assert chain_of(found, "fifo_checks")[-1].startswith("fifo_checks bound into sync_fifo")


@pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed again", "not indexed again"])
def test_a_removed_file_reaches_those_who_used_it(repo: Path, is_indexed: bool) -> None:
    (repo / "rtl" / "uart_rx.sv").unlink()
    (repo / "include" / "soc_defs.svh").unlink()
    if is_indexed:
        again(repo)
    found = affected(repo)
    assert [(one["path"], one["status"]) for one in found["changed"]] == [
        ("include/soc_defs.svh", "removed"),
        ("rtl/uart_rx.sv", "removed"),
    ]
    assert {"uart", "soc_top", "soc_tb", "bus_arbiter"} <= {*names(found)}
    assert "timer" not in names(found)


def test_a_unit_that_a_changed_file_has_no_more_is_missed(repo: Path) -> None:
    leaf = repo / "rtl" / "uart_rx.sv"
    leaf.write_text(leaf.read_text().replace("module uart_rx", "module uart_receiver"))
    again(repo)
    found = affected(repo)
    assert {"uart_receiver", "uart", "soc_tb"} <= {*names(found)}
    assert "instantiates uart_rx (rtl/uart.sv:46)" in chain_of(found, "soc_tb")[0]


def test_a_renamed_file_is_told_as_one(repo: Path) -> None:
    (repo / "rtl" / "uart_rx.sv").rename(repo / "rtl" / "receiver.sv")
    again(repo)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "two")
    found = affected(repo, "HEAD~1")
    assert found["changed"] == [
        {"path": "rtl/receiver.sv", "status": "renamed", "former": "rtl/uart_rx.sv"}
    ]
    assert names(found) == ["soc_tb", "uart_rx", "soc_top", "uart"]


def test_what_others_changed_since_is_not_ours(repo: Path) -> None:
    git(repo, "switch", "-qc", "ours")
    (repo / "rtl" / "timer.v").write_text((repo / "rtl" / "timer.v").read_text() + "\n")
    git(repo, "commit", "-qam", "ours")
    git(repo, "switch", "-q", "main")
    (repo / "rtl" / "uart.sv").write_text((repo / "rtl" / "uart.sv").read_text() + "\n")
    git(repo, "commit", "-qam", "theirs")
    git(repo, "switch", "-q", "ours")
    assert [one["path"] for one in affected(repo, "main")["changed"]] == ["rtl/timer.v"]


def test_a_shallow_clone_says_what_it_compared(repo: Path, tmp_path: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "switch", "-q", "--orphan", "other")
    git(repo, "checkout", "-q", "main", "--", "rtl/timer.v")
    git(repo, "commit", "-qm", "another history")
    git(repo, "checkout", "-q", "main", "--", ".")
    found = affected(repo, first)
    assert found["changed"] == []
    assert "no common ancestor" in found["notes"][0]


def test_line_ends_of_a_working_copy_are_no_change(repo: Path) -> None:
    file = repo / "rtl" / "timer.v"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert affected(repo)["changed"] == []


def test_files_of_a_submodule_count_when_its_commit_moved(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "leaf.sv").write_text("module leaf; endmodule\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "leaf")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    git(repo, "commit", "-qm", "sub")
    again(repo)
    assert affected(repo)["changed"] == []
    git(repo / "sub", "commit", "-qm", "moved", "--allow-empty")
    git(repo, "commit", "-qam", "sub moved")
    assert [one["path"] for one in affected(repo, "HEAD~1")["changed"]] == ["sub/leaf.sv"]


def test_a_list_of_files_stands_for_git(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["./rtl/uart_rx.sv", str(indexed_soc / "rtl" / "timer.v"), "", "README.md", "/etc/x.sv"]
    (tmp_path / "list").write_text("\n".join(lines))
    given = ["affected", "--files", str(tmp_path / "list"), "--index", str(indexed_soc)]
    assert run([*given, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in found["changed"]] == ["rtl/timer.v", "rtl/uart_rx.sv"]
    assert "1 of the files lie outside" in found["notes"][0]
    (tmp_path / "list").write_text("README.md\n")
    assert run([*given, "--json"]) == 0


def test_the_same_twice(repo: Path) -> None:
    (repo / "include" / "soc_defs.svh").write_text("// nothing\n")
    assert affected(repo) == affected(repo)


def test_more_than_the_limit_is_counted(repo: Path) -> None:
    found = Project(repo).affected(files=["include/soc_defs.svh"], limit=2)
    assert len(found["units"]) == 2 < found["counts"]["units"]


@pytest.mark.parametrize(
    ("since", "words"),
    [("nosuch", "git knows no such commit"), ("--output=x", "is none"), ("", "is none")],
)
def test_a_wrong_revision_is_said(repo: Path, since: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        affected(repo, since)


def test_no_git_and_no_choice_are_said(indexed_soc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="git cannot read it"):
        affected(indexed_soc)
    with pytest.raises(UsageError, match="either a revision"):
        Project(indexed_soc).affected()
    monkeypatch.setenv("PATH", f".:{indexed_soc}")
    with pytest.raises(UsageError, match="is not installed"):
        affected(indexed_soc)


def test_no_command_of_the_repository_runs(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = tmp_path / "ran"
    script = repo / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    script.chmod(0o755)
    shutil.copy(script, repo / "git")
    (repo / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.gitProxy", "diff.external"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"),
        *("diff.evil.command", "pager.ls-tree", "pager.rev-parse", "credential.helper"),
        *(
            "core.alternateRefsCommand",
            "uploadpack.packObjectsHook",
            "core.editor",
            "alias.ls-tree",
        ),
    ):
        value = f"!{script}" if key.startswith("alias") else str(script)
        with (repo / ".git" / "config").open("a") as config:
            section, _, name = key.rpartition(".")
            first, _, rest = section.partition(".")
            head = f'{first} "{rest}"' if rest else first
            config.write(f"[{head}]\n\t{name} = {value}\n")
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(script, repo / ".git" / "hooks" / hook)
    monkeypatch.setenv("PATH", os.pathsep.join([str(repo), "", ".", os.environ["PATH"]]))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(script))
    monkeypatch.chdir(repo)
    leaf = repo / "rtl" / "uart_rx.sv"
    leaf.write_text("module uart_rx2; endmodule\n")
    found = affected(repo)
    assert [one["path"] for one in found["changed"]] == ["rtl/uart_rx.sv"]
    assert not proof.exists()


def test_check_tells_what_is_stale_and_writes_nothing(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def state() -> dict[str, tuple[int, int]]:
        held = (indexed_soc / ".hdlgraph").rglob("*")
        return {str(one): (one.stat().st_mtime_ns, one.stat().st_size) for one in held}

    given = ["index", "--check", str(indexed_soc)]
    (indexed_soc / "rtl" / "timer.v").touch()
    before = state()
    assert run(given) == 0
    assert capsys.readouterr().out == "the index fits the repository\n"
    with (indexed_soc / "rtl" / "timer.v").open("a") as file:
        file.write("\n")
    (indexed_soc / "rtl" / "uart.sv").rename(indexed_soc / "rtl" / "uart2.sv")
    assert run([*given, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["fits"] is False
    assert found["changed"] == ["rtl/timer.v"]
    assert found["renamed"] == [["rtl/uart.sv", "rtl/uart2.sv"]]
    assert run([*given, "--exclude", "dv/"]) == 3
    assert "settings" in capsys.readouterr().out
    assert state() == before
    again(indexed_soc)
    assert run(given) == 0


def test_check_without_an_index_is_wrong_use(soc: Path) -> None:
    assert run(["index", "--check", str(soc)]) == 2
    assert not (soc / ".hdlgraph").exists()


def test_a_source_is_no_list_of_files(indexed_soc: Path, capsys) -> None:
    source = indexed_soc / "rtl/timer.v"
    given = ["affected", "--files", str(source), "--index", str(indexed_soc)]
    assert run(given) == 2
    assert "`-` for stdin" in capsys.readouterr().err
