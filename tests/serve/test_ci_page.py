"""The snippets of docs/ci.md are valid, and their commands do what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_affected import git

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
SNIPPETS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)]


def commands(snippet: dict[Any, Any]) -> list[str]:
    """Returns the shell scripts of a snippet, in their order, without what installs."""
    if "jobs" in snippet:
        steps = snippet["jobs"]["affected"]["steps"]
        found = [step["run"] for step in steps if "run" in step]
    else:
        (job,) = snippet.values()
        found = [*job["before_script"], *job["script"]]
    assert found[0].startswith("pip install")
    return found[1:]


@pytest.fixture
def branch(indexed_soc: Path) -> Path:
    """The little system on a branch with one change, beside origin/main."""
    git(indexed_soc, "init", "-q", "-b", "main")
    (indexed_soc / "run_testbench.sh").write_text("#!/bin/sh\necho ran $1\n")
    (indexed_soc / "run_testbench.sh").chmod(0o755)
    git(indexed_soc, "add", "-A")
    git(indexed_soc, "commit", "-qm", "one")
    git(indexed_soc, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(indexed_soc, "switch", "-qc", "ours")
    return indexed_soc


def do(root: Path, script: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script as the services do: bash, which ends at the first failure."""
    tools = tmp_path / "bin"
    tools.mkdir(exist_ok=True)
    command = tools / "hdlgraph"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hdlgraph.serve.cli.main "$@"\n')
    command.chmod(0o755)
    given = {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "GITHUB_BASE_REF": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(root, "rev-parse", "origin/main"),
    }
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=root, env={**os.environ, **given}, capture_output=True, text=True,
    )  # fmt: skip


def test_there_is_a_snippet_for_each_service() -> None:
    assert [sorted(map(str, one)) for one in SNIPPETS] == [
        ["True", "jobs", "name", "permissions"],  # YAML reads the key `on` as true
        ["affected testbenches"],
    ]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=["github", "gitlab"])
def test_the_commands_run_the_affected_testbench(
    branch: Path, tmp_path: Path, snippet: dict[Any, Any]
) -> None:
    file = branch / "rtl" / "uart_rx.sv"
    file.write_text(file.read_text() + "\n")
    git(branch, "commit", "-qam", "two")
    done = do(branch, "\n".join(commands(snippet)), tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "ran soc_tb"), done.stderr


def test_nothing_runs_where_nothing_is_affected(branch: Path, tmp_path: Path) -> None:
    done = do(branch, "\n".join(commands(SNIPPETS[1])[1:]), tmp_path)
    assert done.returncode == 0
    assert "ran" not in done.stdout.split()


def test_an_index_out_of_step_is_made_anew(branch: Path, tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    shutil.copy(branch / "rtl" / "timer.v", branch / "rtl" / "timer2.v")
    first, second = do(branch, script, tmp_path), do(branch, script, tmp_path)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "added  rtl/timer2.v" in first.stdout
    assert second.stdout == "the index fits the repository\n"
