"""Compares the vector stores by size: `python -m hdlgraph.eval.bench.vectors [COUNT...]`.

Each is written and opened in a process of its own; seconds of writing, of opening with the first
question (imports included), of a further question, and the process's memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.safety import child_process
from hdlgraph.store.vectors.choose import WRITERS, find_store

COUNTS = (4_000, 40_000, 400_000)
DIM, KINDS, QUESTIONS = 384, 3, 10


def measure(name: str, count: int, folder: Path) -> dict[str, float]:
    """Returns the figures of one store for so many random vectors."""
    vectors = np.random.default_rng(0).normal(size=(count, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    question = vectors[count // 2].copy()
    started = time.perf_counter()
    WRITERS[name](folder, vectors, (np.arange(count) % KINDS).astype(np.uint8))
    wrote = time.perf_counter()
    del vectors
    store = find_store(folder)
    assert store is not None
    store.similarity(question)
    first = time.perf_counter()
    for _ in range(QUESTIONS):
        store.similarity(question)
    return {
        "write_s": round(wrote - started, 3),
        "first_s": round(first - wrote, 4),
        "further_s": round((time.perf_counter() - first) / QUESTIONS, 4),
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Prints one JSON object a line: store, count, figures."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench.vectors", description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=list(COUNTS), metavar="COUNT")
    parser.add_argument("--one", metavar="STORE", choices=sorted(WRITERS), help="in this process")
    given = parser.parse_args(arguments)
    for count in given.counts:
        if given.one:
            with tempfile.TemporaryDirectory() as folder:
                found = measure(given.one, count, Path(folder))
            sys.stdout.write(json.dumps({"store": given.one, "count": count, **found}) + "\n")
            continue
        for name in sorted(WRITERS):
            module = "hdlgraph.eval.bench.vectors"
            command = child_process.command(module, str(count), "--one", name)
            environment = child_process.environment()
            done = subprocess.run(command, env=environment, capture_output=True, check=True)
            sys.stdout.write(done.stdout.decode())
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
