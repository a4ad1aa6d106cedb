"""Reads an index while it is rebuilt in a loop: no reader may fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from campaigns.outcome import Outcome
from hdlgraph.project import Project
from hdlgraph.store.manifest import read_manifest

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
READERS = 2
READS_A_SWAP = 25
LIMIT_S = 3600.0

_READER = """
import itertools, sys, time, traceback
from pathlib import Path
from hdlgraph.project import Project
root, count, end = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
kept = Project(root)
for number in itertools.count():
    if number >= count and end.exists():
        break
    time.sleep(0.02)  # leaves a processor to the writer
    project = kept if number % 2 else Project(root)
    try:
        found = (
            lambda: project.search("which timer counts down?").hits,
            lambda: project.tree()["tops"],
            lambda: project.ask("how does the uart receive?", writer="extractive").text,
            lambda: project.status()["files"],
            lambda: project.explanations(),
        )[number % 5]()
        print("ok" if found else f"nothing found in read {number}", flush=True)
    except BaseException:
        print(traceback.format_exc().strip().replace("\\n", " | "), flush=True)
"""
_WRITER = """
import itertools, sys
from pathlib import Path
from hdlgraph.project import Project
project, source = Project(sys.argv[1]), Path(sys.argv[1], "rtl", "timer.v")
text = source.read_text()
for number in itertools.count():
    source.write_text(f"{text}// {number}\\n")
    project.index(embeddings=False, graphrag="never", jobs=1)
"""


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns the outcome of at least `count` reads, over a swap for each 25 of them."""
    root, end = folder / "soc", folder / "end"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    started = time.monotonic()
    first = read_manifest(root / ".hdlgraph").generation
    command = [sys.executable, "-P", "-c", _READER, str(root), str(-(-count // READERS)), str(end)]
    writer = subprocess.Popen([sys.executable, "-P", "-c", _WRITER, str(root)])
    with ExitStack() as files:
        said = [files.enter_context((folder / f"said-{n}").open("wb")) for n in range(READERS)]
        readers = [subprocess.Popen(command, stdout=file) for file in said]
        while time.monotonic() - started < LIMIT_S and writer.poll() is None:
            swaps = read_manifest(root / ".hdlgraph").generation - first
            if swaps * READS_A_SWAP >= count:
                break
            time.sleep(0.1)
        end.touch()
        for reader in readers:
            reader.wait()
    alive = writer.poll() is None
    writer.kill()
    writer.wait()
    lines = [line for path in folder.glob("said-*") for line in path.read_text().splitlines()]
    failures = [line[-300:] for line in lines if line != "ok"]
    if not alive:
        failures.append(f"the writer ended with {writer.returncode}")
    if len(lines) < count:
        failures.append(f"{count - len(lines)} reads are missing")
    seconds = time.monotonic() - started
    return [Outcome("reads over swaps", len(lines), tuple(failures), f"{swaps} swaps", seconds)]
