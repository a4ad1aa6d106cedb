"""Every command ends with the exit code of what it did, whatever threads its libraries keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from _native import build, compiler, preloaded
from campaigns import exits

from hdlgraph.project import Project

READS = """
import sys
from pathlib import Path
from hdlgraph.store import tables
for _ in range(40):
    tables.read(Path(sys.argv[1]))
"""

MUCH = """
import sys
from hdlgraph.serve.cli import main, output
from hdlgraph.serve.cli.text import hits as render
emit, show = output.emit, render.show_result
def thousandfold(print_one):
    def print_many(*found):
        for _ in range(1000):
            print_one(*found)
    return print_many
output.emit, render.show_result = thousandfold(emit), thousandfold(show)
from hdlgraph.serve.cli import search
search.emit = output.emit
main.main(["search", "bus", *sys.argv[1:]])
"""


@pytest.fixture(scope="module")
def roots(soc_words: Path, soc_project: Project) -> tuple[Path, Path]:
    """The little system with an index by words, and with vectors."""
    return soc_words, soc_project.root


def test_searches_from_the_shell_end_well(roots: tuple[Path, Path]) -> None:
    assert exits.quiet(6, roots).failures == ()


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
def test_no_thread_of_arrow_needs_python_at_its_end(
    roots: tuple[Path, Path], tmp_path: Path
) -> None:
    """With late threads, forty reads on arrow's threads ended in SIGABRT or SIGSEGV."""
    table = next((roots[0] / ".hdlgraph").glob("gen-*/edges.parquet"))
    late = preloaded(build("late_threads", tmp_path), LATE_MS="200")
    command = [sys.executable, "-P", "-c", READS, str(table)]
    ends = [subprocess.run(command, env=late, timeout=60, check=False).returncode for _ in range(4)]
    assert ends == [0] * 4


@pytest.mark.parametrize("form", ["--json", "--text"])
def test_a_reader_that_stops_early_is_no_failure(roots: tuple[Path, Path], form: str) -> None:
    """More is printed than a pipe holds, into a pipe that is closed after one byte."""
    command = [sys.executable, "-P", "-c", MUCH, *([form] if form == "--json" else [])]
    command += ["--index", str(roots[0])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) == 0, said
    assert b"Error" not in said
    assert b"Traceback" not in said
