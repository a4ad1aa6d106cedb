"""Child processes: what they import, and that none outlives its parent."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DESIGN = ROOT / "tests" / "designs" / "soc"
SCRIPT = str(Path(sys.executable).with_name("hdlgraph"))
# A main process that is safe itself, in an environment that is not.
ISOLATED = [sys.executable, "-I", "-c", "from hdlgraph.serve.cli import main; main()"]
OWN = "hdlgraph parsers eval prompts sitecustomize usercustomize parsetab lextab".split()


def dependencies() -> set[str]:
    """Returns the names that Python looks for: of what we depend on, and of its own library."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {re.split(r"[=<>\[ ]", one)[0].lower() for one in project["dependencies"]}
    providers = importlib.metadata.packages_distributions()
    found = {
        module
        for module, owners in providers.items()
        if module.isidentifier() and any(owner.lower() in named for owner in owners)
    }
    assert {"msgspec", "numpy", "pyslang", "tree_sitter", "typer"} <= found
    everything = {module for module in providers if module.isidentifier()}
    return found | everything | set(sys.stdlib_module_names) - {"__main__"} | set(OWN)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository with a module of each name; one that is imported leaves a file in `ran`."""
    root = Path(shutil.copytree(DESIGN, tmp_path / "repo"))
    (tmp_path / "ran").mkdir()
    for name in dependencies():
        code = f"open({str(tmp_path / 'ran' / name)!r}, 'w').close()\n"
        (root / f"{name}.py").write_text(code)
    for package in ("hdlgraph", "hdlgraph/index", "msgspec", "numpy", "graphrag"):
        (root / package).mkdir(exist_ok=True)
        code = f"open({str(tmp_path / 'ran' / package.replace('/', '.'))!r}, 'w').close()\n"
        (root / package / "__init__.py").write_text(code)
    (root / ".env").write_text("HDLGRAPH_HOSTILE=1\n")
    return root


def command(given: list[str], *arguments: str, cwd: Path, **environment: str) -> str:
    """Returns what a command says; it must succeed."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*given, *arguments],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def ran(root: Path) -> list[str]:
    return sorted(path.name for path in (root.parent / "ran").iterdir())


QUICK = ("index", ".", "--no-embeddings", "--graphrag", "never")


def test_no_command_imports_from_the_repository(hostile: Path) -> None:
    assert "read in part" not in command([SCRIPT], *QUICK, cwd=hostile, PYTHONPATH="")
    assert command([SCRIPT], "search", "uart", cwd=hostile)
    assert command([SCRIPT], "ask", "where is the uart?", cwd=hostile)
    assert ran(hostile) == []


@pytest.mark.parametrize("path", [".", ":", "{root}", "..:.:{root}/hdlgraph", "{root}/../repo"])
def test_no_child_takes_its_modules_from_the_repository(hostile: Path, path: str) -> None:
    given = path.format(root=hostile)
    startup = str(hostile / "os.py")
    said = command(
        ISOLATED, *QUICK, cwd=hostile, PYTHONPATH=given, PYTHONSTARTUP=startup, PYTHONINSPECT="1"
    )
    assert "read in part" not in said
    assert ran(hostile) == []


def test_the_build_of_the_tables_imports_nothing_of_the_repository(hostile: Path) -> None:
    command(ISOLATED, *QUICK[:3], "--graphrag", "always", cwd=hostile, PYTHONPATH=str(hostile))
    assert ran(hostile) == []
