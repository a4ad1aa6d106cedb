"""The command line as a user meets it: exit codes, stdout and stderr."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.common import commands
from hdlgraph.serve.cli.main import app, run

COMMANDS = sorted({path.split()[0] for path, _ in commands(app)})
SERVING = {"lsp", "serve", "slack"}
"""Commands that end only when they are stopped, and print nothing of their own."""


def command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hdlgraph.serve.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        check=False,
    )


@pytest.fixture
def at(soc_project: Project) -> list[str]:
    return ["--index", str(soc_project.folder)]


def output(capsys: pytest.CaptureFixture[str]) -> dict:
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    return data


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert re.fullmatch(r"hdlgraph \d+\.\d+\.\d+\n", capsys.readouterr().out)
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in text] == []


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hdlgraph", "--version"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout[:9]) == (0, "hdlgraph "), done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = [name, *{"explanations": ["export"], "eval": ["run"], "train": ["label"]}.get(name, [])]
    assert run([*names, "--help"]) == 0
    assert ("--json" in capsys.readouterr().out) == (name not in SERVING)


@pytest.mark.parametrize("name", [*"run suite corpora table1 report sets flows answers".split()])
def test_commands_of_eval(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "--help"]) == 0
    assert name in capsys.readouterr().out
    assert run(["eval", name, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_commands_are_documented() -> None:
    root = Path(__file__).parents[2]
    readme = (root / "README.md").read_text()
    schema = (root / "docs/json.md").read_text()
    assert [name for name in COMMANDS if f"hdlgraph {name}" not in readme] == []
    printing = [name for name in COMMANDS if name not in SERVING]
    assert [name for name in printing if f"`{name}" not in schema] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "soc_top"],
        ["show", "uart_rx.clk_i"],
        ["show", "soc_pkg"],
        ["tree", "soc_top"],
        ["who", "sync_fifo"],
        ["path", "soc_top", "sync_fifo"],
        ["impact", "sync_fifo"],
        ["unresolved"],
        ["status"],
    ],
)
def test_every_key_is_documented(
    soc_project: Project, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    start, _, rest = page.partition("\n## ")
    section = next(one for one in rest.split("\n## ") if one.startswith(f"`{arguments[0]}"))
    told = {word for text in re.findall("`([^`]+)`", start + section) for word in text.split()}
    assert run([*arguments, "--json", "--index", str(soc_project.folder)]) == 0
    assert keys(output(capsys)) - told - {"schema"} == set()


def keys(value: object) -> set[str]:
    """Returns the keys of all objects in a JSON value, but for those of counts by name."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    if not isinstance(value, dict):
        return set()
    inner = (keys(one) for key, one in value.items() if key not in ("roles", "writers"))
    return set(value).union(*inner)


def test_index_then_search_from_inside(soc: Path) -> None:
    done = command("index", ".", "--no-embeddings", "--graphrag", "never", cwd=soc)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("14 files: 14 added, 0 unchanged\n")
    found = command("search", "round", "robin", "-k", "2", cwd=soc / "rtl")
    assert found.returncode == 0, found.stderr
    sure, _, first = found.stdout.splitlines()[:3]
    assert sure.startswith("Right file among the first five: ")
    assert re.match(r" 1  rtl/bus_arbiter\.sv:\d+  rtl", first)
    assert "\x1b" not in found.stdout


def test_search_as_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "round robin", "-k", "3", "--hops", "2", *at, "--json"]) == 0
    data = output(capsys)
    assert data["question"] == "round robin"
    assert len(data["hits"]) == 3
    first = data["hits"][0]
    assert first["rank"] == 1
    assert first["path"] == "rtl/bus_arbiter.sv"
    assert first["line"] >= 1
    assert {"kind", "path", "line", "text"} <= first["evidence"][0].keys()


def test_ask_as_text_and_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "what", "detects", "a", "missing", "stop", "bit", *at]) == 0
    assert "[1] rtl/uart_rx.sv:" in capsys.readouterr().out
    assert run(["ask", "missing stop bit", *at, "--json"]) == 0
    data = output(capsys)
    assert data["citations"][0]["path"] == "rtl/uart_rx.sv"
    assert data["answer"]


def test_structure_as_text_and_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "sync_fifo", *at]) == 0
    assert "rtl/sync_fifo.sv:2" in capsys.readouterr().out
    assert run(["tree", "soc_top", *at]) == 0
    assert "u_tx_queue: sync_fifo  rtl/uart.sv:" in capsys.readouterr().out
    assert run(["who", "sync_fifo", *at]) == 0
    assert "rtl/uart.sv:" in capsys.readouterr().out
    assert run(["unresolved", "--kind", "module", *at]) == 0
    assert "vendor_sram_1k" in capsys.readouterr().out
    for words in (["show", "uart"], ["tree"], ["who", "soc_pkg"], ["unresolved"], ["status"]):
        assert run([*words, *at, "--json"]) == 0
        output(capsys)


def test_generate_conditions_are_shown(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tree", "uart", *at]) == 0
    line = next(x for x in capsys.readouterr().out.splitlines() if "uart_rx" in x)
    assert "WithReceiver" in line


def test_export_and_explanations(
    at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "graph.json"
    assert run(["export", "--format", "json", str(target), *at, "--json"]) == 0
    assert output(capsys)["nodes"] > 100
    json.loads(target.read_text())
    shared = tmp_path / "shared.jsonl"
    assert run(["explanations", "export", str(shared), *at]) == 0
    assert len(shared.read_text().splitlines()) == 14


def test_eval_scores_baselines_and_hdlgraph(
    at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"id": "1", "question": "round robin between hosts", "relevant": ["rtl/bus_arbiter.sv"]},
        {"id": "2", "question": "missing stop bit", "relevant": ["rtl/uart_rx.sv"]},
    ]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ["eval", str(questions), "--systems", "bm25,hdlgraph", "-k", "1,5", *at]
    assert run([*arguments, "--json"]) == 0
    text = capsys.readouterr().out
    assert json.loads(text)["schema"] == 2
    assert run(arguments) == 0
    assert "hdlgraph" in capsys.readouterr().out


def test_init_and_status_and_doctor(
    soc_project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path), "--json"]) == 0
    assert "settings.yaml" in output(capsys)["written"]
    assert run(["status", "--index", str(soc_project.folder)]) == 0
    assert "fresh" in capsys.readouterr().out
    assert run(["doctor", str(soc_project.root), "--json"]) == 0
    assert output(capsys)["checks"]


def test_doctor_checks_the_repository_of_the_index_that_is_named(
    soc_project: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["doctor", "--index", str(soc_project.folder), "--json"]) == 0
    checks = {check["name"]: check for check in output(capsys)["checks"]}
    assert checks["index"]["state"] == "ok"
    assert checks["index"]["detail"] == f"14 files in {soc_project.folder}"


def test_an_overview_by_a_model_that_is_not_configured_is_wrong_use(
    soc_project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["overview", "--model", "--index", str(soc_project.folder)]) == 2
    assert "none is configured" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "g"], "give --format (graphml, gexf, json, cypher, svg, dot, mermaid, html)"),
        (["export", "g", "--format", "xml"], "for '--format': 'xml' is not one of"),
    ],
)
def test_an_option_that_is_missing_or_wrong_is_one_plain_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    shown = capsys.readouterr().err
    assert says in shown
    assert len(shown.splitlines()) == 1
    assert "\\n" not in shown
