"""`hdlgraph mcp --setup` and `--agents-md`: configurations of clients, and the text for agents."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hdlgraph.serve.cli.main import run
from hdlgraph.serve.mcp.agents import AGENTS
from hdlgraph.serve.mcp.setup import CLIENTS, chosen

NAMES = [client.name for client in CLIENTS]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, repo = tmp_path / "home", tmp_path / "repo"
    home.mkdir()
    repo.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(repo)
    return repo


def file_of(name: str, repo: Path) -> Path:
    client = chosen([name])[0]
    return Path(client.file).expanduser() if client.is_users else repo / client.file


def setup(*more: str) -> int:
    return run(["mcp", "--setup", *more])


def entry(name: str, repo: Path) -> dict:
    client, text = chosen([name])[0], file_of(name, repo).read_text()
    whole = tomllib.loads(text) if client.file.endswith(".toml") else json.loads(text)
    return whole[client.key]["hdlgraph"]


def test_all_are_shown(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert setup() == 0
    shown = capsys.readouterr().out
    assert re.findall(r"^# ([\w-]+): ", shown, re.M) == NAMES
    assert setup("--json") == 0
    told = json.loads(capsys.readouterr().out)["clients"]
    assert [one["client"] for one in told] == NAMES
    for one in told:
        (tomllib if one["file"].endswith(".toml") else json).loads(one["text"])
    assert list(repo.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_it_is_written_once_and_kept(repo: Path, name: str, capsys) -> None:
    assert setup("--write", "--client", name) == 0
    first = file_of(name, repo).read_bytes()
    assert entry(name, repo)["args"][0] == "mcp"
    assert capsys.readouterr().err.startswith(f"{name}: wrote ")
    assert setup("--write", "--client", name) == 0
    assert capsys.readouterr().err.startswith(f"{name}: kept ")
    assert file_of(name, repo).read_bytes() == first


@pytest.mark.parametrize("name", NAMES)
def test_what_is_there_stays(repo: Path, name: str) -> None:
    client, file = chosen([name])[0], file_of(name, repo)
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".toml":
        file.write_text(f'# mine\nmodel = "x"\n[{client.key}.other]\ncommand = "o"\n')
    else:
        file.write_text(json.dumps({"b": "ü", client.key: {"other": {"command": "o"}}, "a": 1}))
    assert setup("--write", "--client", name) == 0
    text = file.read_text()
    assert '"o"' in text
    assert ("# mine" in text) if file.suffix == ".toml" else ("ü" in text)
    assert entry(name, repo)["command"]


def test_an_own_entry_is_brought_up_to_date(repo: Path, capsys) -> None:
    file = repo / ".mcp.json"
    file.write_text('{"mcpServers": {"hdlgraph": {"command": "old"}}}')
    assert setup("--write", "--client", "claude-code", "one=x", "--json") == 0
    assert json.loads(capsys.readouterr().out)["clients"][0]["did"] == "updated"
    assert entry("claude-code", repo)["args"] == ["mcp", f"one={repo / 'x'}"]


@pytest.mark.parametrize(
    "text", ["{ // a comment\n}", "[]", '{"mcpServers": []}', "\xff", "{", '"x"', "[" * 100_000]
)
def test_a_file_it_cannot_parse_is_left_alone(repo: Path, text: str, capsys) -> None:
    (repo / ".mcp.json").write_bytes(text.encode("latin-1"))
    assert setup("--write", "--client", "claude-code") == 2
    assert "left as it is" in capsys.readouterr().err
    assert (repo / ".mcp.json").read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize(
    "text", ["a = ", "mcp_servers = 1", "mcp_servers = {}", '[mcp_servers.hdlgraph]\ncommand="x"\n']
)
def test_a_toml_file_it_cannot_add_to_is_left_alone(repo: Path, text: str, capsys) -> None:
    file = file_of("codex", repo)
    file.parent.mkdir()
    file.write_text(text)
    assert setup("--write", "--client", "codex") == 2
    assert "add this by hand: [mcp_servers.hdlgraph]" in capsys.readouterr().err
    assert file.read_text() == text


def test_a_link_of_a_stranger_is_not_written_through(repo: Path, tmp_path: Path, capsys) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (repo / ".vscode").symlink_to(other)
    (repo / ".mcp.json").symlink_to(other / "x.json")
    for name in ("vscode", "claude-code"):
        assert setup("--write", "--client", name) == 2
        assert "is a link" in capsys.readouterr().err
    assert list(other.iterdir()) == []


def test_writing_names_its_clients(repo: Path, capsys) -> None:
    assert setup("--write") == 2
    assert "name each client" in capsys.readouterr().err
    assert setup("--client", "emacs") == 2
    assert "unknown; known are claude-code" in capsys.readouterr().err
    assert run(["mcp", "--write"]) == 2
    assert run(["mcp", "--host", "0.0.0.0"]) == 2
    assert setup("soc") == 2  # neither NAME=INDEX nor --index


def test_agents_are_taught_commands_that_run(
    indexed_soc: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(indexed_soc)
    assert run(["mcp", "--agents-md"]) == 0
    assert capsys.readouterr().out == AGENTS
    values = {"QUESTION": "round robin", "NAME": "soc_top", "TOP": "soc_top", "A": "soc_top"}
    values |= {"B": "sync_fifo", "PATH:10-60": "rtl/bus_arbiter.sv:2-4"}
    commands = re.findall(r"`(hdlgraph [^`]+)`", AGENTS)
    assert len(commands) == 9
    for text in commands[:-1]:  # the last is `hdlgraph index`
        words = [values.get(word, word) for word in shlex.split(text)[1:]]
        assert run(words) == 0, text
        assert capsys.readouterr().out
        assert run([*words, *(["--json"] if "--json" not in words else [])]) == 0, text
        assert json.loads(capsys.readouterr().out)["schema"] == 1
