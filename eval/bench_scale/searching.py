"""Times searches in one process: `python -m hdlgraph.eval.bench_scale.searching INDEX`.

The first search loads the index; the others are warm, and all are asked a second time, when what a
question for a relation reads once is read. The questions are those of the open sets, which ask
about the designs of copy 0; in a corpus of many copies their words stand in all.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.errors import telling_errors

if TYPE_CHECKING:
    from hdlgraph.project import Project

SETS = ("opentitan-2021.jsonl", "ibex-five.jsonl", "riscv-cores.jsonl")
QUESTIONS = 60
WARM = 5
"""Searches before the times count."""


def times(index: Path, count: int = QUESTIONS) -> dict[str, float]:
    """Returns seconds of the first search, ms of the others, and the process's memory."""
    started = time.perf_counter()
    from hdlgraph.project import Project

    project = Project.open(index)
    questions = questions_of(count)
    project.search(questions[0], k=10, rerank=False)
    first_s, first_cpu_s = time.perf_counter() - started, time.process_time()
    for question in questions[1:WARM]:
        project.search(question, k=10, rerank=False)
    return {
        "first_wall_s": round(first_s, 2),
        "first_cpu_s": round(first_cpu_s, 2),
        **_round(project, questions, ""),
        **_round(project, questions, "again_"),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1),
    }


def _round(project: Project, questions: Sequence[str], prefix: str) -> dict[str, float]:
    """Returns p50 and p99 in ms of the searches for all questions, by wall and by CPU."""
    walls, cpus = [], []
    for question in questions:
        wall, cpu = time.perf_counter(), time.process_time()
        project.search(question, k=10, rerank=False)
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return {
        f"{prefix}p50_ms": round(statistics.median(walls), 1),
        f"{prefix}p99_ms": round(statistics.quantiles(walls, n=100)[98], 1),
        f"{prefix}p50_cpu_ms": round(statistics.median(cpus), 1),
        f"{prefix}p99_cpu_ms": round(statistics.quantiles(cpus, n=100)[98], 1),
    }


def questions_of(count: int) -> list[str]:
    """Returns questions of all sets in turn."""
    from hdlgraph.eval.sets.questions import read_questions

    data = Path(str(files("hdlgraph.eval") / "data"))
    sets = [[q.text for q in read_questions(data / name)] for name in SETS]
    longest = max(map(len, sets))
    mixed = [texts[at] for at in range(longest) for texts in sets if at < len(texts)]
    return mixed[:count]


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Prints the times of one index as a JSON object."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench_scale.searching")
    parser.add_argument("index", type=Path)
    sys.stdout.write(json.dumps(times(parser.parse_args(arguments).index)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
