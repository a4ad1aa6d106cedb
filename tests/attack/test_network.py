"""With the default settings nothing is looked up, connected to, or written to other folders.

Two nets: a library under every program notes what it wants to reach and write, and where the
machine allows it the programs run in a network namespace without interfaces.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from _native import build, compiler
from _recorded import HDLGRAPH, LOUD, Recorder, separable

from hdlgraph.eval.sets.catalogue import PACKAGES
from hdlgraph.llm.outgoing import hosts_text, outgoing
from hdlgraph.project import Project
from hdlgraph.safety import telemetry
from hdlgraph.settings.records import Settings

DESIGN = Path(__file__).parents[1] / "designs" / "soc"
FILES = ("rtl/uart.sv", "rtl/uart_tx.sv", "rtl/sync_fifo.sv")
NO_NAMESPACE = separable()

needs_compiler = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of the little system, and a question about them."""
    root = tmp_path_factory.mktemp("design") / "uart"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DESIGN / name, root / name)
    line = {"id": "q1", "question": "what sends the bits?", "relevant": ["rtl/uart_tx.sv"]}
    (root.parent / "questions.jsonl").write_text(json.dumps(line) + "\n")
    return root


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    folder = tmp_path_factory.mktemp("recorder")
    return Recorder(folder / "run", build("recorder", folder), alone=not NO_NAMESPACE)


@pytest.fixture(scope="module")
def with_tables(recorder: Recorder, design: Path) -> Path:
    """Indexes the design, with vectors and GraphRAG's tables: also the first thing tested."""
    done = recorder.run(HDLGRAPH, "index", str(design), "--graphrag", "always")
    assert done.returncode == 0, done.stderr
    assert recorder.reached() == []
    assert recorder.written(design / ".hdlgraph") == []
    assert recorder.left() == []
    assert list((design / ".hdlgraph" / "graphrag").rglob("*.parquet"))
    return design


@needs_compiler
def test_index_reaches_nothing(with_tables: Path) -> None:
    assert (with_tables / ".hdlgraph" / "manifest.json").is_file()


COMMANDS = {
    "search": ["search", "what sends the bits?"],
    "ask": ["ask", "what sends the bits?"],
    "chat": ["chat"],
    "show": ["show", "uart"],
    "tree": ["tree", "uart"],
    "who": ["who", "uart_tx"],
    "doctor": ["doctor"],
    "status": ["status"],
    "eval": ["eval", "run", "QUESTIONS", "--systems", "hdlgraph,bm25"],
}


@needs_compiler
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reaches_nothing(recorder: Recorder, with_tables: Path, name: str) -> None:
    questions = str(with_tables.parent / "questions.jsonl")
    arguments = [questions if part == "QUESTIONS" else part for part in COMMANDS[name]]
    said = "what sends the bits?\n" if name == "chat" else ""
    done = recorder.run(HDLGRAPH, *arguments, "--index", str(with_tables), said=said)
    assert done.returncode == 0 and done.stdout, done.stderr  # noqa: PT018
    assert recorder.reached() == []
    assert recorder.written(with_tables / ".hdlgraph") == []
    assert recorder.left() == []


@needs_compiler
def test_a_program_that_uses_a_project_reaches_nothing(
    recorder: Recorder, with_tables: Path
) -> None:
    """Its first import decides: the libraries come after `import hdlgraph`."""
    code = (
        "import sys; from hdlgraph import Project; print(Project.open(sys.argv[1]).search('bits'))"
    )
    done = recorder.run(sys.executable, "-P", "-c", code, str(with_tables))
    assert done.returncode == 0 and "uart" in done.stdout, done.stderr  # noqa: PT018
    assert recorder.reached() == []
    assert recorder.written(with_tables / ".hdlgraph") == []
    assert recorder.left() == []


@needs_compiler
def test_demo_reaches_nothing_once_it_has_its_core(recorder: Recorder, design: Path) -> None:
    """The design stands in for the core, where a first run would have put it."""
    cache = recorder.folder / "cache" / "hdlgraph"
    shutil.copytree(design / "rtl", cache / "corpora" / f"ibex-{PACKAGES['ibex'].version}" / "rtl")
    done = recorder.run(HDLGRAPH, "demo", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["searches"]) == 3
    assert recorder.reached() == []
    assert recorder.written(cache) == []
    assert recorder.left() == []


@needs_compiler
def test_demo_asks_only_the_package_index_for_its_core(recorder: Recorder, tmp_path: Path) -> None:
    index = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "https://192.0.2.1:9/simple",
        "PIP_RETRIES": "0",
        "PIP_TIMEOUT": "1",
    }
    home = {"HOME": str(tmp_path)}  # pip may start programs that leave something there
    done = recorder.run(HDLGRAPH, "demo", "--cache", str(tmp_path / "cache"), **index, **home)
    assert done.returncode
    assert "cannot download" in done.stderr
    assert recorder.reached() == ["192.0.2.1", "192.0.2.1:9"]


@needs_compiler
def test_the_recorder_hears_and_sees(recorder: Recorder) -> None:
    """Else the tests above would pass whatever happened."""
    elsewhere = recorder.folder / "cache" / "elsewhere.txt"
    code = (
        "import socket, subprocess, sys\n"
        "for act in (lambda: socket.create_connection(('192.0.2.1', 443), 0.05),\n"
        "            lambda: socket.getaddrinfo('vendor.invalid', 443)):\n"
        "    try: act()\n"
        "    except OSError: pass\n"
        "subprocess.run([sys.executable, '-c', f'open({sys.argv[1]!r}, \"w\")'], check=True)\n"
    )
    done = recorder.run(sys.executable, "-P", "-c", code, str(elsewhere))
    assert done.returncode == 0, done.stderr
    assert {"192.0.2.1:443", "vendor.invalid"} <= set(recorder.reached())
    assert recorder.written() == [str(elsewhere)]
    elsewhere.unlink()


@pytest.mark.skipif(bool(NO_NAMESPACE), reason=NO_NAMESPACE or "-")
@needs_compiler
def test_the_namespace_holds_back_everything(recorder: Recorder) -> None:
    code = (
        "import socket\n"
        "with socket.socket() as s, socket.socket() as t:\n"
        "    s.bind(('127.0.0.1', 0)); s.listen()\n"
        "    t.connect(s.getsockname())\n"
    )
    done = recorder.run(sys.executable, "-P", "-c", code)
    assert "Network is unreachable" in done.stderr


def line_of(folder: Path, name: str) -> dict[str, str]:
    """Returns what doctor says of a folder that has no index; no model is loaded for it."""
    (folder / "settings.yaml").write_text("hdlgraph:\n  embedding:\n    provider: none\n")
    return next(check for check in Project(folder).doctor() if check["name"] == name)


def test_doctor_says_that_telemetry_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = line_of(tmp_path, "telemetry")
    assert found["state"] == "ok"
    assert all(name in found["detail"] for name in telemetry.TELEMETRY)
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    found = line_of(tmp_path, "telemetry")
    assert found["state"] == "warn"
    assert "ORT_DISABLE_TELEMETRY" in found["detail"]


def test_doctor_sees_a_library_that_was_loaded_first() -> None:
    """An empty module stands in: the real one would begin to send."""
    code = (
        "import sys, types\n"
        "sys.modules['onnxruntime'] = types.ModuleType('onnxruntime')\n"
        "from hdlgraph import doctor\n"
        "print([check['state'] for check in doctor._telemetry(None)])\n"
    )
    env = {name: value for name, value in os.environ.items() if name not in telemetry.TELEMETRY}
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['warn']", done.stderr


def test_doctor_says_that_nothing_leaves(tmp_path: Path) -> None:
    assert line_of(tmp_path, "network")["detail"] == "nothing leaves this machine"


def sent(**sections: dict[str, object]) -> str:
    parts = {name: replace(getattr(Settings(), name), **given) for name, given in sections.items()}
    return hosts_text(outgoing(replace(Settings(), **parts)))


def test_hosts_are_named_and_what_they_get(no_keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = {"provider": "openai", "base_url": "https://llm.example:8443/v1/secret"}
    assert sent(llm=llm) == (
        "to llm.example:8443: questions, explanations and matching lines of the best files (search,"
        " ask, chat); questions, explanations and code of the best files (ask, chat)"
    )
    everything = sent(
        llm=llm,
        explain={"explainer": "model", "neighbours": True},
        extract={"method": "both"},
        ask={"writer": "extractive", "reword": True, "rerank": True},
        embedding={"provider": "openai", "api_base": "http://127.0.0.1:9/v1"},
    )
    for words in ("code of each file (index)", "declared names (index)", "matching lines"):
        assert words in everything
    assert "to 127.0.0.1:9 (this machine): texts to embed (index)" in everything
    assert "secret" not in everything
    quiet = sent(llm=llm, ask={"writer": "extractive", "rerank": False})
    assert quiet == "to llm.example:8443: only what switches of the command line ask for"
    # The address is the one that calls would go to: that of the environment, else the vendor's.
    assert sent(llm={"provider": "openai"}).startswith("to api.openai.com: ")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.example/v1")
    assert sent(llm={"provider": "openai"}).startswith("to gateway.example: ")
    assert sent(embedding={"provider": "openai"}).startswith("to gateway.example: texts to embed")


def test_the_environment_cannot_turn_it_on_again() -> None:
    """Neither in a program that imports hdlgraph, nor in what that starts."""
    tell = "import os, sys; print([os.environ[name] for name in sys.argv[1:]])"
    start = f"subprocess.run([sys.executable, '-c', {tell!r}, *sys.argv[1:]])"
    code = f"import subprocess, sys, hdlgraph; {start}"
    names = [name for name in telemetry.TELEMETRY if name in LOUD]
    command = [sys.executable, "-P", "-c", code, *names]
    env = {**os.environ, **LOUD}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([telemetry.TELEMETRY[name] for name in names])
