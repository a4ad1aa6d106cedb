"""A warm process: the same bytes as alone, for the same user, index and version only."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _servers import START, environment, over_stdio, short_folder

from hdlgraph import __version__
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.cli.output import _console as console
from hdlgraph.serve.warm import client, place
from hdlgraph.serve.warm.kept import Kept
from hdlgraph.serve.warm.server import WarmServer, warm_servers

QUIET = ("--no-embeddings", "--graphrag", "never")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("w")


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    return environment(home)


@pytest.fixture(scope="module")
def repo(soc_words: Path, home: Path) -> Path:
    return Path(shutil.copytree(soc_words, home / "soc")).resolve()


@pytest.fixture(scope="module")
def warm(repo: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [*START, "warm", "--json", "--index", str(repo)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    server = subprocess.Popen(command, text=True, env=env, **pipes)
    told = json.loads(server.stdout.readline())
    assert told == {"schema": 1, "index": str(repo / ".hdlgraph")}
    assert "is open for commands" in server.stderr.readline()
    yield server
    server.terminate()
    assert server.wait(20) == 0
    server.stdout.close()
    server.stderr.close()
    assert list((Path(env["XDG_RUNTIME_DIR"]) / "hdlgraph").glob("*.sock")) == []


def hdlgraph(*arguments: str, env: dict[str, str], cwd: Path, **more: str) -> tuple:
    done = subprocess.run(
        [*START, *arguments],
        capture_output=True,
        cwd=cwd,
        env={**env, **more},
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def same(text: bytes) -> bytes:
    """Returns output without the times in it."""
    return re.sub(rb'"seconds": [\d.]+|\d+ ms', b"TIME", text)


def connected(env: dict[str, str], repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", env["XDG_RUNTIME_DIR"])
    found = place.socket_of(repo / ".hdlgraph")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "round", "robin", "--json"],
        ["search", "round", "robin"],
        ["search", "--explain", "round robin", "-k", "3", "--index", "."],
        ["search", "round robin", "--json", "--cards"],
        ["ask", "who drives the grant"],
        ["show", "soc_top"],
        ["show", "soc_top", "--json", "--index=../soc"],
        ["who", "sync_fifo"],
        ["tree"],
        ["path", "soc_top", "sync_fifo"],
        ["impact", "sync_fifo"],
        ["read", "rtl/bus_arbiter.sv:2-5"],
        ["show", "no_such_name"],
        ["search", "?!"],
        ["search", "--no-such-option"],
        ["search", "x", "-k", "0"],
        ["search", "--", "--index", "round", "robin"],
        ["search", "übertrag ☃ \x1b[2J"],
    ],
)
def test_output_is_that_of_a_command_alone(
    warm, env, repo, arguments, monkeypatch, capfdbinary
) -> None:
    monkeypatch.chdir(repo)
    console.cache_clear()  # it knows the stdout of an earlier test
    alone = run(arguments)
    sys.stdout.flush()
    out, err = capfdbinary.readouterr()
    warm_code, warm_out, warm_err = hdlgraph(*arguments, env=env, cwd=repo)
    assert (warm_code, same(warm_out), same(warm_err)) == (alone, same(out), same(err))


def test_a_whole_process_alone_writes_the_same(warm, env, repo) -> None:
    for arguments in (["search", "round", "robin", "--json"], ["search", "?!"]):
        code, out, err = hdlgraph(*arguments, env=env, cwd=repo)
        alone = hdlgraph(*arguments, env=env, cwd=repo, HDLGRAPH_ALONE="1")
        assert (code, same(out), same(err)) == (alone[0], same(alone[1]), same(alone[2]))


def test_the_warm_process_did_run_them(warm, env, repo, monkeypatch, capsys) -> None:
    connected(env, repo, monkeypatch)
    monkeypatch.chdir(repo)
    assert client.run_warm(["show", "soc_top"]) == 0
    assert capsys.readouterr().out.startswith("module soc_top")
    assert client.run_warm(["show", "nope"]) == 2
    assert "nothing is called 'nope'" in capsys.readouterr().err


def test_a_terminal_is_written_to_as_by_the_command_itself(warm, env, repo) -> None:
    pty = pytest.importorskip("pty")
    shown = []
    for more in ({}, {"HDLGRAPH_ALONE": "1"}):
        ours, theirs = pty.openpty()
        run = subprocess.Popen(
            [*START, "search", "round robin", "-k", "2"],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            cwd=repo,
            env={**env, "TERM": "xterm-256color", **more},
        )
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        assert run.wait(30) == 0
        os.close(ours)
        shown.append(re.sub(rb"\x1b\]8;id=\d+;", b"", text))  # a link has a number of its own
    assert b"\x1b[" in shown[0]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--version"],
        ["index", "."],
        ["chat"],
        ["search", "--help"],
        ["search", "x", "--settings", "s.yaml"],
        ["search", "x" * 100_000],
        ["search", "x", "--index", "/no/such/folder"],
    ],
)
def test_other_commands_run_alone(warm, env, repo, monkeypatch, arguments) -> None:
    connected(env, repo, monkeypatch)
    monkeypatch.chdir(repo)
    assert client.run_warm(arguments) is None


def test_settings_of_the_user_and_another_index_are_not_answered_warm(
    warm, env, repo, soc_words, monkeypatch
) -> None:
    connected(env, repo, monkeypatch)
    monkeypatch.chdir(repo)
    monkeypatch.setenv("HDLGRAPH_SETTINGS", "s.yaml")
    assert client.run_warm(["show", "soc_top"]) is None
    monkeypatch.delenv("HDLGRAPH_SETTINGS")
    # The command line means another index than the client took it for.
    monkeypatch.setattr(client, "_index", lambda _: repo / ".hdlgraph")
    assert client.run_warm(["show", "soc_top", "--index", str(soc_words)]) is None


def test_another_version_is_passed_over(warm, env, repo, monkeypatch) -> None:
    at = connected(env, repo, monkeypatch)
    request = {**client._request(["show", "soc_top"]), "folder": str(repo)}
    for wrong in (
        {"version": f"{__version__}.1"},
        {"package": "/elsewhere/hdlgraph"},
        {"arguments": ["index", "."]},
        {"arguments": ["show", 1]},
        {"arguments": []},
        {"folder": "relative"},
    ):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(10)
            peer.connect(str(at))
            place.send(peer, {**request, **wrong})
            assert place.receive(peer, 1000) == {"taken": False}, wrong


def test_what_is_no_request_does_no_harm(warm, env, repo, monkeypatch, capsys) -> None:
    at = connected(env, repo, monkeypatch)
    monkeypatch.chdir(repo)
    for sent in (
        b"",
        b"\0",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x02[]",
        b"\0\0\0\x04nope",
        b"GET / HTTP",
    ):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(at))
            peer.sendall(sent)
    time.sleep(0.1)
    assert client.run_warm(["show", "soc_top"]) == 0


def test_socket_and_folder_are_the_users_alone(warm, env, repo, monkeypatch) -> None:
    at = connected(env, repo, monkeypatch)
    assert stat.S_IMODE(at.stat().st_mode) == 0o600
    assert stat.S_IMODE(at.parent.stat().st_mode) == 0o700
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(at))
        assert place.is_own(peer)
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        assert not place.is_own(peer)
    assert place.socket_of(repo / ".hdlgraph") is None  # the folder is somebody else's


def test_a_folder_that_others_may_enter_is_not_used(tmp_path, monkeypatch, repo) -> None:
    tmp_path = short_folder(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    tmp_path.chmod(0o755)
    at = place.socket_of(repo, make=True)
    assert at is not None
    assert at.parent == tmp_path / "c" / "hdlgraph" / "run"
    at.parent.chmod(0o777)
    assert place.socket_of(repo) is None
    shutil.rmtree(at.parent)
    (tmp_path / "own").mkdir(mode=0o700)
    at.parent.symlink_to(tmp_path / "own")
    assert place.socket_of(repo, make=True) is None


def test_the_second_process_leaves_it_to_the_first(warm, env, repo, tmp_path) -> None:
    code, out, err = hdlgraph("warm", env=env, cwd=repo)
    assert (code, out) == (2, b"")
    assert b"another process keeps it open already" in err
    with over_stdio("--index", str(repo), env=env, errlog=tmp_path / "log") as ask:
        assert not ask("search_files", question="round robin").is_error


def test_a_new_generation_is_answered_from(warm, env, repo) -> None:
    (repo / "rtl" / "late.sv").write_text("module late_unit; endmodule\n")
    code, _, err = hdlgraph("show", "late_unit", env=env, cwd=repo)
    assert code == 2
    assert b"rtl/late.sv" in err
    assert hdlgraph("index", ".", *QUIET, env=env, cwd=repo)[0] == 0
    code, out, _ = hdlgraph("show", "late_unit", env=env, cwd=repo)
    assert code == 0
    assert out.startswith(b"module late_unit")


def test_a_process_that_hangs_or_died_is_passed_over(tmp_path, soc_words, monkeypatch) -> None:
    env = environment(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", env["XDG_RUNTIME_DIR"])
    monkeypatch.chdir(soc_words)
    at = place.socket_of((soc_words / ".hdlgraph").resolve(), make=True)
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(at))
        hanging.listen()
        started = time.monotonic()
        assert client.run_warm(["show", "soc_top"]) is None
        assert time.monotonic() - started < 5
    assert at.is_socket()  # left behind by a process that was killed
    assert client.run_warm(["show", "soc_top"]) is None
    with warm_servers([Kept(soc_words)], run) as served:
        assert len(served) == 1
        assert client.run_warm(["show", "soc_top"]) == 0
    assert not at.exists()


def test_an_index_that_is_in_use_is_not_waited_for(
    tmp_path, soc_words, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", environment(tmp_path)["XDG_RUNTIME_DIR"])
    monkeypatch.chdir(soc_words)
    kept = Kept(soc_words)
    with warm_servers([kept], run):
        assert kept.take(5)
        assert client.run_warm(["show", "soc_top"]) is None
        kept.give()
        assert client.run_warm(["show", "soc_top"]) == 0


def test_a_process_with_settings_or_without_an_index_opens_no_socket(
    tmp_path, soc_words, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", environment(tmp_path)["XDG_RUNTIME_DIR"])
    assert not WarmServer(Kept(soc_words, tmp_path / "settings.yaml"), run).start()
    assert not WarmServer(Kept(tmp_path), run).start()
    server = WarmServer(Kept(soc_words), run)
    server.stop()  # it never began


def test_new_settings_of_the_repository_are_read(indexed_soc: Path) -> None:
    kept = Kept(indexed_soc)
    assert len(kept.run(lambda project: project.search("fifo")).hits) > 2
    (indexed_soc / "settings.yaml").write_text("hdlgraph:\n  search:\n    k: 2\n")
    assert len(kept.run(lambda project: project.search("fifo")).hits) == 2
    assert isinstance(kept.opened(), Project)


def test_the_client_loads_little() -> None:
    code = (
        "import sys; from hdlgraph.serve.warm.client import run_warm; run_warm(['show', 'x']);"
        "print(sorted(m for m in sys.modules if '.' not in m))"
    )
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    for heavy in ("typer", "click", "rich", "msgspec", "numpy", "yaml", "asyncio", "subprocess"):
        assert f"'{heavy}'" not in loaded, heavy
