"""Reads an index while it is rebuilt in a loop: no reader may fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from campaigns.outcome import Outcome
from hdlgraph.index.manifest import read_manifest

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
READERS = 2
READS_A_SWAP = 25

_READER = """
import sys, traceback
from hdlgraph.project import Project
root, count = sys.argv[1], int(sys.argv[2])
kept = Project(root)
for number in range(count):
    project = kept if number % 2 else Project(root)
    try:
        found = (
            lambda: project.search("which timer counts down?").hits,
            lambda: project.tree()["tops"],
            lambda: project.ask("how does the uart receive?", writer="extractive").text,
            lambda: project.status()["files"],
            lambda: project.explanations(),
        )[number % 5]()
        print("ok" if found else f"nothing found in read {number}")
    except BaseException:
        print(traceback.format_exc().strip().replace("\\n", " | "))
"""
_WRITER = """
import sys
from hdlgraph.project import Project
project = Project(sys.argv[1])
while True:
    project.index(embeddings=False, graphrag="never", fresh=True, jobs=1)
"""


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns the outcome of `count` reads by several processes over swaps by another."""
    from hdlgraph.project import Project

    root = folder / "soc"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    started = time.monotonic()
    first = read_manifest(root / ".hdlgraph").generation
    writer = subprocess.Popen([sys.executable, "-P", "-c", _WRITER, str(root)])
    share = str(-(-count // READERS))
    command = [sys.executable, "-P", "-c", _READER, str(root), share]
    try:
        readers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(READERS)]
        said = [line for reader in readers for line in reader.communicate()[0].splitlines()]
    finally:
        writer.kill()
        writer.wait()
    swaps = read_manifest(root / ".hdlgraph").generation - first
    failures = tuple(line.decode()[-300:] for line in said if line != b"ok")
    if len(said) < count:
        failures += (f"{count - len(said)} reads are missing",)
    seconds = time.monotonic() - started
    return [Outcome("reads over swaps", len(said), failures, f"{swaps} swaps", seconds)]
