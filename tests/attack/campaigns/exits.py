"""Exit codes of searches from the shell, on a quiet index and while it is made again and again.

A library's thread that is alive when Python ends can abort the process after all its output is
out: scripts would see a failure that was none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from campaigns.outcome import Outcome

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
HDLGRAPH = str(Path(sys.executable).with_name("hdlgraph"))
QUESTIONS = ("which unit arbitrates the bus?", "what divides the clock of the uart?", "fifo full")
REBUILD = """
import sys
from pathlib import Path
from hdlgraph.project import Project
source = Path(sys.argv[1], "rtl", "uart.sv")
text = source.read_text()
for n in range(10**9):
    source.write_text(f"{text}// {n}\\n")
    Project(Path(sys.argv[1])).index(graphrag="never", embeddings=sys.argv[2] == "with", jobs=1)
"""
"""Makes the index anew until it is ended: REBUILD root with|without."""


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Searches `count` times on quiet indexes, and a fifth as often during rebuilds."""
    roots = make_indexes(folder)
    return [quiet(count, roots), *(rebuilt(max(1, count // 10), root) for root in roots)]


def make_indexes(folder: Path) -> tuple[Path, Path]:
    """Returns two indexed copies of the little system: without and with embeddings."""
    roots = folder / "without", folder / "with"
    for root, switch in zip(roots, ("--no-embeddings", "--embeddings"), strict=True):
        shutil.copytree(DESIGN, root)
        command = [HDLGRAPH, "index", str(root), "--graphrag", "never"]
        command += [switch] if switch == "--no-embeddings" else []
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return roots


def quiet(count: int, roots: tuple[Path, ...]) -> Outcome:
    """Searches the indexes in turn while nothing else happens to them."""
    started = time.monotonic()
    failures = [said for n in range(count) if (said := search(roots[n % len(roots)], n))]
    spent = time.monotonic() - started
    figure = f"{spent / count:.2f} s a search"
    return Outcome("exit codes on a quiet index", count, tuple(failures), figure, spent)


def rebuilt(count: int, root: Path) -> Outcome:
    """Searches an index that another process makes anew all the time."""
    started = time.monotonic()
    with rebuilding(root):
        first = generation(root)
        failures = [said for n in range(count) if (said := search(root, n))]
        swaps = generation(root) - first
    spent = time.monotonic() - started
    name = f"exit codes during rebuilds, {root.name} embeddings"
    return Outcome(name, count, tuple(failures), f"{swaps} swaps", spent)


def search(root: Path, number: int) -> str:
    """Runs one search; returns what was wrong with its end, "" if nothing."""
    question = QUESTIONS[number % len(QUESTIONS)]
    command = [HDLGRAPH, "search", question, "--index", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0 and done.stdout:
        return ""
    said = done.stderr.strip().splitlines()[-1:] or ["nothing on stderr"]
    return f"search {number} on {root.name}: exit code {done.returncode}: {said[0]}"


@contextmanager
def rebuilding(root: Path) -> Iterator[None]:
    """Makes the index of `root` again and again, until the block ends."""
    command = [sys.executable, "-P", "-c", REBUILD, str(root), root.name]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        if process.poll() is not None:
            raise RuntimeError(f"rebuilding {root.name} ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


def generation(root: Path) -> int:
    """Returns the number of the newest generation."""
    numbers = (int(path.name[4:]) for path in (root / ".hdlgraph").glob("gen-*"))
    return max(numbers, default=0)
