"""What a wheel holds: one top-level name, the prompts, the typing marker."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import hdlgraph

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names inside a wheel, built from a clean copy with the setuptools at hand."""
    work = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        source = ROOT / name
        if source.is_file() and not name.startswith("tests/"):
            target = work / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    code = "from setuptools.build_meta import build_wheel; import sys; build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(work)],
        cwd=work / "source",
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'setuptools'" in done.stderr:
        pytest.skip("needs setuptools in the environment (pip install -e '.[dev]')")
    assert done.returncode == 0, done.stderr
    (path,) = work.glob("*.whl")
    return zipfile.ZipFile(path).namelist()


def test_one_import_name(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"hdlgraph"}


def test_everything_is_inside(wheel: list[str]) -> None:
    for folder, target in (("prompts", "prompts"), ("parsers", "parsers"), ("eval", "eval")):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".txt", ".css", ".js", ".z"):
                inside = path.relative_to(ROOT / folder).as_posix()
                assert f"hdlgraph/{target}/{inside}" in wheel
    for path in (ROOT / "hdlgraph").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert path.relative_to(ROOT).as_posix() in wheel
    assert "hdlgraph/py.typed" in wheel


def test_version_and_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == hdlgraph.__version__
    assert project["scripts"] == {"hdlgraph": "hdlgraph.serve.start:main"}


def test_make_targets_and_ci() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    assert {"demo", "test", "bench", "lint", "types"} <= targets
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
