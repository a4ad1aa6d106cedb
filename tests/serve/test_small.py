"""Small things of the command line that users met: stdout as a file, unfinished runs, leaving."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hdlgraph.errors import IndexMissingError
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.records import Settings
from hdlgraph.store.folder import Store
from hdlgraph.store.lock import index_lock, run_state


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "hdlgraph.serve.cli.main", *arguments]


def test_an_export_to_a_dash_goes_to_stdout(
    indexed_soc: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    at = ["--index", str(indexed_soc)]
    assert run(["export", "-", "--format", "json", *at]) == 0
    shown = capfdbinary.readouterr()
    assert len(json.loads(shown.out)["nodes"]) > 100
    assert shown.err == b""
    assert run(["explanations", "export", "-", *at]) == 0
    assert len(capfdbinary.readouterr().out.splitlines()) == 14
    assert run(["export", "-", "--format", "json", "--json", *at]) == 2
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "arguments", [["tree", "--json"], ["export", "-", "--format", "json"], ["status"]]
)
def test_a_reader_that_has_seen_enough_is_no_error(indexed_soc: Path, arguments: list[str]) -> None:
    begun = subprocess.Popen(
        command(*arguments, "--index", str(indexed_soc)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert begun.stdout
    assert begun.stderr
    begun.stdout.close()
    assert begun.stderr.read() == b""
    assert begun.wait(60) == 0


def test_a_first_run_that_fails_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no design\n")
    assert run(["index", str(tmp_path)]) == 2
    assert "no Verilog" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    assert run(["index", str(tmp_path), "--index", str(tmp_path / "index")]) == 2
    assert (tmp_path / "index").is_dir()


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_status_tells_of_a_run_that_was_ended(
    indexed_soc: Path, kind: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["status", "--index", str(indexed_soc)]
    assert run(at) == 0
    assert "not finished" not in capsys.readouterr().out
    holder = (
        "import sys, time; from pathlib import Path; from hdlgraph.store.folder import Store\n"
        "with Store(Path(sys.argv[1])).write():\n    print('held', flush=True); time.sleep(60)"
    )
    folder = str(indexed_soc / ".hdlgraph")
    begun = subprocess.Popen(
        [sys.executable, "-c", holder, folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert begun.stdout
    assert begun.stdout.readline() == b"held\n"
    assert Project(indexed_soc).status()["run"] == "running"
    begun.send_signal(kind)
    begun.wait(60)
    begun.stdout.close()
    assert run([*at, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == "unfinished"
    assert run(at) == 0
    assert "the last one was not finished" in " ".join(capsys.readouterr().out.split())
    with Store(indexed_soc / ".hdlgraph").write():
        assert run_state(indexed_soc / ".hdlgraph") == "running"
    assert run_state(indexed_soc / ".hdlgraph") == ""


def test_a_run_that_ends_with_an_error_is_finished(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="wrong"), index_lock(tmp_path):
        raise ValueError("wrong")
    assert run_state(tmp_path) == ""
    (tmp_path / "lock").unlink()
    os.mkfifo(tmp_path / "lock")
    assert run_state(tmp_path) == ""


def test_a_first_run_that_was_killed_is_told(
    soc: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = subprocess.Popen(
        command("index", str(soc), "--no-embeddings", "-j", "1"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    cache = soc / ".hdlgraph" / "cache.sqlite"
    until = time.monotonic() + 60
    while not cache.exists() and time.monotonic() < until:
        time.sleep(0.01)
    begun.kill()
    begun.wait(60)
    monkeypatch.chdir(soc)
    for arguments in (["status"], ["status", "--index", str(soc)], ["search", "uart"]):
        assert run(arguments) == 2
        error = capsys.readouterr().err
        assert "its first run has not been finished" in error
        assert f"`hdlgraph index {soc}` goes on" in error
    with pytest.raises(IndexMissingError):
        Project.open(soc)


@pytest.mark.parametrize("word", ["exit", "quit", "EXIT", "/quit", "/q"])
def test_exit_and_quit_leave_a_chat(
    indexed_soc: Path,
    word: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{word}\nwhat is uart_rx\n"))
    assert run(["chat", "--index", str(indexed_soc)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["export", "x"], "--format"),
        (["export", "--format", "json"], "FILE"),
        (["search"], "QUESTION"),
        (["who"], "NAME"),
        (["explanations", "import"], "FILE"),
    ],
)
def test_what_is_missing_is_told_in_one_line(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert named in shown.err


def test_init_writes_a_short_file_in_which_nothing_is_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["settings.yaml"]
    file = tmp_path / "settings.yaml"
    assert Settings.load(file, found=True) == Settings()
    lines = file.read_text().splitlines()
    assert len(lines) < 130
    assert [one for one in lines if one and not one.lstrip().startswith("#")] == ["hdlgraph:"]
    keys = [one for one in lines if one.startswith("  # ") and ":" in one and one[-1] != "."]
    opened = [one.replace("# ", "", 1) for one in keys if one.split(":")[0].split()[-1].islower()]
    opened = [one for one in opened if "#" not in one]
    file.write_text("\n".join(["hdlgraph:", *opened]) + "\n")
    assert Settings.load(file, found=True) == Settings()
    assert "  exclude: []" in "\n".join(opened)


def test_init_all_says_how_the_prompts_act(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "--all", str(tmp_path)]) == 0
    assert (tmp_path / "prompts" / "answer.txt").is_file()
    assert Settings.load(tmp_path / "settings.yaml", found=True) == Settings()
    assert f"--settings {tmp_path / 'settings.yaml'}" in capsys.readouterr().err
    project = Project(tmp_path, settings=tmp_path / "settings.yaml")
    assert project.prompts == tmp_path / "prompts"
