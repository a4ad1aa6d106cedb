"""docs/mcp.md: its commands run, its tools, clients and figures are those of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from hdlgraph.eval.bench.mcp import ANSWER, TOKENS
from hdlgraph.eval.bench.mcp import main as bench
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.http.address import SHORTEST, TOKEN
from hdlgraph.serve.http.guard import BODY_BYTES
from hdlgraph.serve.mcp.repositories import repositories_of
from hdlgraph.serve.mcp.run import PATH
from hdlgraph.serve.mcp.setup import CLIENTS
from hdlgraph.serve.mcp.tools import TOOLS
from hdlgraph.serve.warm import COMMANDS
from hdlgraph.serve.warm.client import ALONE

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
BLOCKS = [line for text in re.findall(r"```\n(.*?)```", PAGE, re.S) for line in text.splitlines()]


def test_every_tool_and_client_is_told() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.M) == [tool.name for tool in TOOLS]
    for client in CLIENTS:
        assert f"`{client.name}`" in PAGE
    warm = PAGE.partition("## A warm process")[2].partition("\n## ")[0]
    assert [name for name in COMMANDS if f"`{name}`" not in warm] == []
    assert "HDLGRAPH_ALONE" in ALONE


def test_its_figures_are_those_of_the_code() -> None:
    assert TOKENS == {10: 1_300, 20: 2_500}
    assert f"an answer less than {ANSWER:,}" in " ".join(PAGE.split())
    assert BODY_BYTES == 1_000_000
    assert f"`{TOKEN}`, of at least {SHORTEST} characters" in PAGE
    assert f":8765{PATH}`" in PAGE


def test_its_commands_run(soc: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(soc)
    ran = 0
    for line in BLOCKS:
        words = shlex.split(line.partition(" >>")[0])
        if words[0] != "hdlgraph":
            continue
        if "=" in words[-1]:  # a server of several repositories
            assert list(repositories_of(words[2:], [])) == ["soc", "ip"]
        elif "--http" not in words:  # that one is started in test_mcp_http.py
            more = ["--no-embeddings", "--graphrag", "never"] if words[1] == "index" else []
            assert run([*words[1:], *more]) == 0, line
            ran += 1
    assert ran == 4
    assert (soc / ".mcp.json").is_file()


def test_the_benchmark_has_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "python -m hdlgraph.eval.bench.mcp --index DIR" in BLOCKS
    with pytest.raises(SystemExit):
        bench(["--help"])
    assert "--index" in capsys.readouterr().out


def test_short_places_are_told_to_the_model() -> None:
    from hdlgraph.serve.mcp.server import INSTRUCTIONS

    told = "place `:N` is line N of the file of the entry above it"
    assert told in INSTRUCTIONS
    assert told in " ".join(PAGE.split())
