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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from campaigns.processes import members, survivors

from hdlgraph.index.parse.lost_workers import cpu_seconds
from hdlgraph.safety import child_process

ROOT = Path(__file__).parents[2]
DESIGN = ROOT / "tests" / "designs" / "soc"
SCRIPT = str(Path(sys.executable).with_name("hdlgraph"))
# A main process that is safe itself, in an environment that is not.
ISOLATED = [sys.executable, "-I", "-c", "from hdlgraph.serve.cli.main import main; main()"]
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


QUICK = ("index", ".", "--no-embeddings", "--graphrag", "never", "--jobs", "1")


def test_no_command_imports_from_the_repository(hostile: Path) -> None:
    assert "read in part" not in command([SCRIPT], *QUICK, cwd=hostile, PYTHONPATH="")
    assert command([SCRIPT], "search", "uart", cwd=hostile)
    assert command([SCRIPT], "ask", "where is the uart?", cwd=hostile)
    assert ran(hostile) == []


@pytest.mark.parametrize("path", [".", "{root}/../repo:{root}/hdlgraph"])
def test_no_child_takes_its_modules_from_the_repository(hostile: Path, path: str) -> None:
    given = path.format(root=hostile)
    startup = str(hostile / "os.py")
    said = command(
        ISOLATED, *QUICK, cwd=hostile, PYTHONPATH=given, PYTHONSTARTUP=startup, PYTHONINSPECT="1"
    )
    assert "read in part" not in said
    assert ran(hostile) == []


# The end of the parent

FORK = """
import time
from hdlgraph.index.fork import SecondProcess
SecondProcess("work", lambda: time.sleep(60))
time.sleep(60)
"""
BUSY = """
from pathlib import Path
from hdlgraph.index.discover.files import discover
from hdlgraph.index.parse.pool import parse_all
root = Path({root!r})
found = discover(root).files
top = [one for one in found if one.path == "top.sv"]
parse_all(root, top, all_paths=[one.path for one in found], deadline_s=60)
"""
ELSEWHERE = """
import time
from hdlgraph.safety import child_process as child
child._ask_for_signal = lambda: False  # as on systems without such a signal
child.main({arguments!r})
"""
SPAWN = """
import sys, time
from pathlib import Path
if __name__ == "__main__":
    from hdlgraph.eval.protocols import ask
    from hdlgraph.eval.systems.registry import Corpus
    from hdlgraph.project import Project
    project = Project(Path({root!r}))
    corpus = Corpus(project, ("rtl/uart.sv",), None)
    print(len(ask.ask_alone("bm25", corpus, [], 3).rankings))
"""


def starts(*given: str) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen(given, start_new_session=True, stdout=null, stderr=null)


def kill_main_once(main: subprocess.Popen[bytes], busy: Callable[[dict[int, str]], bool]) -> None:
    """Kills the leader when `busy` says that its children are at work; they must be gone after."""
    end = time.monotonic() + 60
    try:
        while not busy({pid: x for pid, x in members(main.pid).items() if pid != main.pid}):
            assert time.monotonic() < end
            assert main.poll() is None
            time.sleep(0.05)
        main.kill()
        main.wait()
        assert survivors(main.pid) == {}
    finally:
        with suppress(ProcessLookupError):
            os.killpg(main.pid, signal.SIGKILL)
        main.wait()


@pytest.mark.kill
def test_a_fork_ends_with_its_parent() -> None:
    kill_main_once(starts(sys.executable, "-P", "-c", FORK), lambda children: len(children) == 1)


@pytest.mark.kill
def test_a_worker_that_is_busy_in_a_library_ends_with_its_parent(tmp_path: Path) -> None:
    # Doubling includes: it would be busy for its whole deadline, and not look at its pipe.
    for i in range(30):
        body = f'`include "h{i + 1}.svh"\n' * 2 if i < 29 else "wire w;\n"
        (tmp_path / f"h{i}.svh").write_text(body)
    (tmp_path / "top.sv").write_text('`include "h0.svh"\nmodule top; endmodule\n')
    main = starts(sys.executable, "-P", "-c", BUSY.format(root=str(tmp_path)))
    kill_main_once(main, lambda found: any((cpu_seconds(pid) or 0) > 1.5 for pid in found))


@pytest.mark.graphrag
@pytest.mark.kill
def test_the_build_of_the_tables_ends_with_its_parent_and_imports_nothing_of_the_repository(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("PYTHONPATH", str(hostile))
    main = starts(*ISOLATED, "index", ".", "--no-embeddings", "--graphrag", "always")

    def busy(found: dict[int, str]) -> bool:
        builds = [pid for pid, line in found.items() if "graphrag.job" in line]
        return any((cpu_seconds(pid) or 0) > 3 for pid in builds)  # all libraries are loaded

    kill_main_once(main, busy)
    assert ran(hostile) == []


@pytest.mark.kill
def test_a_child_ends_with_its_parent_where_no_signal_tells_it(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "sleeper.py").write_text(
        f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(60)\n"
    )
    code = (
        "import os, sys, subprocess, time\n"
        f"code = {ELSEWHERE!r}.format(arguments=[str(os.getpid()), 'sleeper'])\n"
        f"subprocess.Popen([sys.executable, '-c', code], cwd={str(tmp_path)!r})\n"
        "time.sleep(60)\n"
    )
    main = starts(sys.executable, "-P", "-c", code)
    kill_main_once(main, lambda found: bool(found) and begun.exists())


def test_a_child_whose_parent_is_gone_does_not_begin(tmp_path: Path) -> None:
    given = child_process.command("platform")
    given[given.index(str(os.getpid()))] = "1"  # not this process
    done = subprocess.run(given, env=child_process.environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert subprocess.check_output(
        child_process.command("platform"), env=child_process.environment()
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", None),
        (":", None),
        (".:lib:../lib", None),
        ("{root}:{root}/lib:{root}/../repo", None),
        ("{other}:.:{root}", "{other}"),
    ],
)
def test_of_the_import_path_only_folders_elsewhere_are_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, kept: str | None
) -> None:
    places = {"root": str(tmp_path / "repo"), "other": str(tmp_path / "other")}
    (tmp_path / "repo").mkdir()
    monkeypatch.setenv("PYTHONPATH", given.format(**places))
    monkeypatch.setenv("PYTHONSTARTUP", "x.py")
    monkeypatch.setenv("PYTHONUSERBASE", "here")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    found = child_process.environment(tmp_path / "repo")
    assert found.get("PYTHONPATH") == (kept.format(**places) if kept else None)
    assert found["PYTHONSAFEPATH"] == "1"
    assert found["PYTHONPYCACHEPREFIX"] == str(tmp_path)
    assert not {"PYTHONSTARTUP", "PYTHONUSERBASE"} & set(found)


def test_a_measured_system_imports_nothing_of_the_repository(hostile: Path) -> None:
    script = hostile.parent / "script.py"
    script.write_text(SPAWN.format(root=str(hostile)))
    command([SCRIPT], *QUICK, cwd=hostile)
    assert command([sys.executable, str(script)], cwd=hostile) == "0\n"
    assert ran(hostile) == []


def test_one_module_starts_python() -> None:
    for folder in ("hdlgraph", "parsers", "eval"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name != "child_process.py":
                assert not re.search(r'"-m",', path.read_text()), path
