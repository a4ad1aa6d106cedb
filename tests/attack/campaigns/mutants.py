"""Indexes spoilt files of real RTL: every run ends, every file is told, none takes too long."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from campaigns.mutators import mutant
from campaigns.outcome import Outcome

BATCH = 250
"""Files of one repository."""
DEADLINE_S = 5.0
"""Processor time for one file and reader."""
SPARE_S = 2.0
"""A file may be ended this much after its deadline."""
RUN_S = 1200.0
"""A run of one batch must have ended by then."""
SOURCE_BYTES = 60_000
"""Larger files are not mutated: the runs would take hours."""
FOLDER_VARIABLE = "HDLGRAPH_RTL"
"""Environment variable with a folder of RTL; by default the corpora that were fetched."""

_DESIGNS = Path(__file__).parent.parent.parent / "designs"


@dataclass(frozen=True)
class Batch:
    """What the runs of one batch did."""

    failures: tuple[str, ...]
    files: int
    degraded: int
    slowest: float
    """Most seconds that a reader spent on one file."""


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Indexes `count` mutants below `folder`."""
    sources = rtl_files()
    batches = []
    for number, start in enumerate(range(0, count, BATCH)):
        size = min(BATCH, count - start)
        root = folder / f"batch{number}"
        batches.append(attack(root, sources, size, Random(f"{seed} {number}")))
        subprocess.run(["rm", "-rf", str(root)], check=True)
    failures = tuple(f for number, b in enumerate(batches) for f in told(number, b))
    degraded = sum(batch.degraded for batch in batches)
    slowest = max(batch.slowest for batch in batches)
    figure = f"{degraded} read in part, longest {slowest:.1f} s of {DEADLINE_S:g} s"
    return [Outcome("mutants of real RTL", sum(b.files for b in batches), failures, figure)]


def told(number: int, batch: Batch) -> Iterator[str]:
    """Yields the failures of a batch with its number, which with the seed makes it again."""
    yield from (f"batch {number}: {failure}" for failure in batch.failures)


def rtl_files() -> list[Path]:
    """Returns the files to spoil, sorted: real RTL where there is some, and the tests' designs."""
    from hdlgraph.eval.sets.corpora import VERILOG, cache_folder

    given = os.environ.get(FOLDER_VARIABLE)
    folders = [Path(given) if given else cache_folder() / "corpora", _DESIGNS]
    found = [
        Path(top, name)
        for folder in folders
        for top, _, names in os.walk(folder)
        for name in names
        if Path(name).suffix in VERILOG
    ]
    return sorted(file for file in found if 0 < file.stat().st_size <= SOURCE_BYTES)


def attack(root: Path, sources: list[Path], count: int, chance: Random) -> Batch:
    """Makes a repository of mutants, indexes it and says what went wrong."""
    root.mkdir(parents=True)
    (root / "settings.yaml").write_text(f"hdlgraph:\n  parse:\n    deadline_s: {DEADLINE_S}\n")
    done: dict[str, str] = {}
    for number in range(count):
        one, other = (chance.choice(sources).read_bytes() for _ in range(2))
        data, names = mutant(one, other, chance)
        path = f"m{number:04d}.{chance.choice(('v', 'sv', 'svh'))}"
        (root / path).write_bytes(data)
        done[path] = names
    return judge(root, done, *index(root))


def index(root: Path) -> tuple[int, str, str]:
    """Returns (exit code or what ended the run, its report, its errors) of indexing a folder."""
    command = [sys.executable, "-P", "-m", "campaigns.mutants", str(root)]
    here = str(Path(__file__).parent.parent)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": here},
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=RUN_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, "", f"did not end within {RUN_S:g} s"
    return process.returncode, out, err


def judge(root: Path, done: dict[str, str], code: int, out: str, err: str) -> Batch:
    """Returns what was wrong with a run over mutants, by path and what was done to each."""
    if code not in (0, 1) or not out:
        lines = err.strip().splitlines() or [""]
        return Batch((f"exit code {code}: {lines[-1][:300]}",), len(done), 0, 0.0)
    report = json.loads(out)
    manifest = json.loads((root / ".hdlgraph/manifest.json").read_text(encoding="utf-8"))
    failures = [
        f"{path} ({done[path]}): not in the manifest"
        for path in sorted(set(done) - set(manifest["files"]))
    ]
    if report["files"] != len(done):
        failures.append(f"{report['files']} of {len(done)} files reported")
    times = json.loads((root / "times.json").read_text())
    failures += [
        f"{path} ({done.get(path)}): {spent:.1f} s of {DEADLINE_S:g} s"
        for path, spent in times
        if spent > DEADLINE_S + SPARE_S
    ]
    slowest = max((spent for _, spent in times), default=0.0)
    told = len(report["degraded"]) + len(report["failed"])
    return Batch(tuple(failures), len(done), told, slowest)


def timed(root: Path) -> int:
    """Indexes a folder as the command line does; leaves the seconds of each file beside it."""
    from hdlgraph.index.parse import pool as parse
    from hdlgraph.serve.cli.main import run as command_line

    times: list[tuple[str, float]] = []
    message, end = parse.Pool._message, parse.Pool._end

    def note(worker: parse.WorkerProcess) -> None:
        spent = processor_seconds(worker.process.pid)
        if worker.current is not None and spent is not None:
            times.append((worker.current.path, spent - worker.cpu))

    def on_message(pool: parse.Pool, worker: parse.WorkerProcess, what: list) -> None:
        if what[0] == parse.DONE:
            note(worker)
        message(pool, worker, what)

    def on_end(pool: parse.Pool, worker: parse.WorkerProcess) -> None:
        if worker.process.pid in pool._live:
            note(worker)
        end(pool, worker)

    parse.Pool._message, parse.Pool._end = on_message, on_end  # type: ignore[method-assign]
    options = ["--no-embeddings", "--graphrag", "never", "--json"]
    code = command_line(["index", str(root), *options])
    (root / "times.json").write_text(json.dumps(times))
    return code


def processor_seconds(pid: int) -> float | None:
    """Returns the processor time of a process, also of one that has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(timed(Path(sys.argv[1])))
