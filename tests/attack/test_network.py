"""With the default settings nothing is looked up, connected to, or written to other folders.

Two nets: a library under every program notes what it wants to reach and write, and where the
machine allows it the programs run in a network namespace without interfaces.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from _native import build, compiler
from _recorded import HDLGRAPH, Recorder, separable
from hdlgraph.eval.catalogue import PACKAGES

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
def indexed(recorder: Recorder, design: Path) -> Path:
    """Indexes the design, with vectors and GraphRAG's tables: also the first thing tested."""
    done = recorder.run(HDLGRAPH, "index", str(design), "--graphrag", "always")
    assert done.returncode == 0, done.stderr
    assert recorder.reached() == []
    assert recorder.written(design / ".hdlgraph") == []
    assert recorder.left() == []
    assert list((design / ".hdlgraph" / "graphrag").rglob("*.parquet"))
    return design


@needs_compiler
def test_index_reaches_nothing(indexed: Path) -> None:
    assert (indexed / ".hdlgraph" / "manifest.json").is_file()


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
def test_a_command_reaches_nothing(recorder: Recorder, indexed: Path, name: str) -> None:
    questions = str(indexed.parent / "questions.jsonl")
    arguments = [questions if part == "QUESTIONS" else part for part in COMMANDS[name]]
    said = "what sends the bits?\n" if name == "chat" else ""
    done = recorder.run(HDLGRAPH, *arguments, "--index", str(indexed), said=said)
    assert done.returncode == 0 and done.stdout, done.stderr
    assert recorder.reached() == []
    assert recorder.written(indexed / ".hdlgraph") == []
    assert recorder.left() == []


@needs_compiler
def test_a_program_that_uses_a_project_reaches_nothing(recorder: Recorder, indexed: Path) -> None:
    """Its first import decides: the libraries come after `import hdlgraph`."""
    code = (
        "import sys; from hdlgraph import Project; print(Project.open(sys.argv[1]).search('bits'))"
    )
    done = recorder.run(sys.executable, "-P", "-c", code, str(indexed))
    assert done.returncode == 0 and "uart" in done.stdout, done.stderr
    assert recorder.reached() == [] and recorder.written(indexed / ".hdlgraph") == []
    assert recorder.left() == []


@needs_compiler
def test_demo_reaches_nothing_once_it_has_its_core(recorder: Recorder, design: Path) -> None:
    """The design stands in for the core, where a first run would have put it."""
    cache = recorder.folder / "cache" / "hdlgraph"
    shutil.copytree(design / "rtl", cache / "corpora" / f"ibex-{PACKAGES['ibex'].version}" / "rtl")
    done = recorder.run(HDLGRAPH, "demo", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["searches"]) == 3
    assert recorder.reached() == [] and recorder.written(cache) == [] and recorder.left() == []


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
