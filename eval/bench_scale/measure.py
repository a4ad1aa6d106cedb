"""Measures one corpus: the index with its stages, memory, disk, searches, and one edited file.

Each step is a process of its own and is written down as it ends, so that a run which was broken off
goes on where it stopped. CPU seconds are those of all processes of a step together; wall seconds
mean something on an idle machine only, whose load stands beside them.
"""

from __future__ import annotations

import json
import resource
import shutil
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.bench.bench import machine
from hdlgraph.eval.bench.process import Ended, hdlgraph_command, watch
from hdlgraph.eval.bench_scale.corpus import write_corpus
from hdlgraph.eval.bench_scale.sources import Designs
from hdlgraph.eval.sets.corpora import verilog_files
from hdlgraph.safety import child_process

LEXICAL = ("--no-embeddings", "--graphrag", "never")
EDITS, STARTS = 3, 3
LIMIT_S = 6 * 3600.0

Facts = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where one size is measured: corpus, index and results, in folders of `work`."""

    work: Path
    size: int

    @property
    def corpus(self) -> Path:
        """Returns the folder of the corpus."""
        return self.work / "corpus" / str(self.size)

    @property
    def index(self) -> Path:
        """Returns the folder of the index."""
        return self.work / "index" / str(self.size)

    @property
    def results(self) -> Path:
        """Returns the file that the steps' figures are written into."""
        return self.work / "results" / f"{self.size}.json"

    def read(self) -> dict[str, Facts]:
        """Returns what was measured so far, by step."""
        if not self.results.is_file():
            return {}
        found: dict[str, Facts] = json.loads(self.results.read_text(encoding="utf-8"))
        return found

    def write(self, step: str, facts: Facts) -> None:
        """Adds the figures of a step."""
        self.results.parent.mkdir(parents=True, exist_ok=True)
        known = {**self.read(), step: {**facts, "machine": machine()}}
        text = json.dumps(known, indent=1, sort_keys=True) + "\n"
        new = self.results.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(self.results)


def measure(
    place: Place, designs: Callable[[], Designs], steps: Sequence[str], say: Callable[[str], None]
) -> dict[str, Facts]:
    """Returns the figures of one size; steps that were measured before are left out.

    Args:
        place: the size and its folders.
        designs: gives the designs that the corpus is made of, where it is to be written.
        steps: names out of STEPS.
        say: gets a line for each step.

    Raises:
        HdlgraphError: a command failed.
    """
    for step in STEPS:
        if step not in steps or step in place.read():
            continue
        facts = corpus(place, designs) if step == "corpus" else _OTHERS[step](place)
        place.write(step, facts)
        say(f"{place.size} {step}: {json.dumps(_short(facts), sort_keys=True)}")
    return place.read()


def corpus(place: Place, designs: Callable[[], Designs]) -> Facts:
    """Writes the corpus where it is not yet; returns its counts."""
    return dict(write_corpus(designs(), place.size, place.corpus))


def index(place: Place) -> Facts:
    """Indexes the corpus from nothing."""
    shutil.rmtree(place.index, ignore_errors=True)
    done, cpu_s = _run("index", str(place.corpus), "--index", str(place.index), "--json", *LEXICAL)
    report = json.loads(done.stdout)
    names = ("files", "units", "nodes", "edges", "unresolved", "surfaces", "syntax_errors")
    return {
        **{name: report[name] for name in names},
        "failed": len(report["failed"]),
        "degraded": len(report["degraded"]),
        "stages": {stage["stage"]: round(stage["seconds"], 2) for stage in report["stages"]},
        "wall_s": round(done.seconds, 2),
        "cpu_s": round(cpu_s, 2),
        "rss_mb": round(done.rss_mb, 1),
        "pss_mb": round(done.pss_mb, 1),
        **_disk(place.index),
    }


def search(place: Place) -> Facts:
    """Searches in one process that stays, and each time in a new one."""
    command = child_process.command("hdlgraph.eval.bench_scale.searching", str(place.index))
    done = watch(command, LIMIT_S)
    if done.code:
        raise HdlgraphError(
            f"searches in {place.index} ended with {done.code}: {done.stderr[-300:]}"
        )
    starts = [
        _run("search", "write buffer drain", "--index", str(place.index), "--json")
        for _ in range(STARTS)
    ]
    return {
        **json.loads(done.stdout),
        "pss_mb": round(done.pss_mb, 1),
        "start_wall_s": round(statistics.median(ended.seconds for ended, _ in starts), 2),
        "start_cpu_s": round(statistics.median(cpu_s for _, cpu_s in starts), 2),
    }


def edit(place: Place) -> Facts:
    """Edits one file of the middle, indexes again, several times; the file is put back."""
    files = verilog_files(place.corpus)
    file = place.corpus / files[len(files) // 2]
    before = file.read_bytes()
    command = ("index", str(place.corpus), "--index", str(place.index), "--json", *LEXICAL)
    try:
        _, nothing_s = _run(*command)
        runs = []
        for number in range(1, EDITS + 1):
            file.write_bytes(before + f"\n// one more line, number {number}\n".encode())
            runs.append(_run(*command))
    finally:
        file.write_bytes(before)
    return {
        "nothing_cpu_s": round(nothing_s, 2),
        "wall_s": round(statistics.median(done.seconds for done, _ in runs), 2),
        "cpu_s": round(statistics.median(cpu_s for _, cpu_s in runs), 2),
        "pss_mb": round(max(done.pss_mb for done, _ in runs), 1),
        "stages": {
            stage["stage"]: round(stage["seconds"], 2)
            for stage in json.loads(runs[-1][0].stdout)["stages"]
        },
    }


_OTHERS: dict[str, Callable[[Place], Facts]] = {"index": index, "search": search, "edit": edit}
STEPS = ("corpus", *_OTHERS)


def _run(*arguments: str) -> tuple[Ended, float]:
    """Runs a command; returns how it ended and the CPU seconds of its processes.

    Raises:
        HdlgraphError: it was used wrongly or crashed.
    """
    before = _cpu()
    done = watch([*hdlgraph_command(), *arguments], LIMIT_S)
    if done.code not in (0, 1):
        last_line = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise HdlgraphError(
            f"hdlgraph {arguments[0]} ended with {done.code}: {' '.join(last_line)}"
        )
    return done, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _disk(folder: Path) -> dict[str, float]:
    """Returns megabytes of the whole index, of its newest generation and of the cache."""
    sizes = {p: p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink()}
    cache = sum(size for path, size in sizes.items() if path.name.startswith("cache."))
    whole = sum(sizes.values())
    return {"disk_mb": round(whole / 1e6, 3), "cache_mb": round(cache / 1e6, 3)}


def _short(facts: Facts) -> Facts:
    return {key: value for key, value in facts.items() if key != "machine"}
