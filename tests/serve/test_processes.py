"""Commands as processes of their own: what they load, closed pipes, and the demonstration."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run


def test_a_closed_pipe_is_no_error(soc_project: Project) -> None:
    line = f"{sys.executable} -m hdlgraph.serve.cli.main show soc_top --index {soc_project.folder}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line} | head -n 1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0


HEAVY = "numpy pyarrow pandas networkx lancedb graphrag onnxruntime sklearn pyslang litellm openai"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["index", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from hdlgraph.serve.cli.main import run; "
        f"run({arguments!r}); "
        f"sys.exit(' '.join(m for m in {HEAVY.split()!r} if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_run_without_changes_loads_nothing_heavy(indexed_soc: Path) -> None:
    code = (
        "import sys; from hdlgraph.serve.cli.main import run; "
        f"run(['index', {str(indexed_soc)!r}, '--graphrag', 'never', '--no-embeddings']); "
        f"sys.exit(' '.join(m for m in {HEAVY.split()!r} if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "14 unchanged" in done.stdout


def test_search_loads_no_graphrag(soc_project: Project) -> None:
    code = (
        "import sys; from hdlgraph.serve.cli.main import run; "
        f"code = run(['search', 'fifo', '--index', {str(soc_project.folder)!r}]); "
        "names = 'graphrag pandas networkx lancedb sklearn pyslang litellm openai'.split(); "
        "sys.exit(code or ' '.join(m for m in names if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_demo_runs_on_a_core_it_already_has(
    soc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the network: the little system stands in for the core."""
    from hdlgraph.eval.sets import corpora

    monkeypatch.setattr(corpora, "materialise", lambda name, cache=None: soc)
    shutil.rmtree(soc / ".hdlgraph", ignore_errors=True)
    assert run(["demo", "--cache", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["searches"]) == 3
    assert data["index"]["files"] == 14
