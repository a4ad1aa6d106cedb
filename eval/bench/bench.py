"""The figures of this project, measured: `python -m hdlgraph.eval.bench [--only NAME] [--json]`.

Each row says what was measured, what is expected, and whether that holds; a row that cannot be
measured is a failed row, never a missing one. Times depend on the machine: its cores, memory and
load are printed with them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from hdlgraph.eval.bench.workbench import Bench, Row

WORK = ".bench"


def rows() -> dict[str, Callable[[Bench], list[Row]]]:
    """Returns all groups of rows by name, in the order of the report."""
    from hdlgraph.eval.bench import quality, speed

    return {
        "ibex": quality.ibex,
        "index": speed.cold_index,
        "opentitan": quality.opentitan,
        "riscv-cores": quality.riscv_cores,
        "opentitan-explained": quality.opentitan_explained,
        "riscv-explained": quality.riscv_explained,
        "reindex": speed.reindex,
        "latency": speed.latency,
        "start": speed.start,
        "all16": speed.all16,
        "hostile": speed.hostile,
    }


def machine() -> dict[str, str | int | float]:
    """Returns date, cores, memory, load and versions: what a figure must be read with."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "date": datetime.date.today().isoformat(),
        "cores": len(affinity(0)) if affinity else os.cpu_count() or 0,
        "memory_gb": round(pages / 1e9, 1),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def run_rows(bench: Bench, names: Sequence[str], say: Callable[[str], None]) -> list[Row]:
    """Returns the rows of the named groups; `say` gets one line per row as it is measured."""
    groups = rows()
    found: list[Row] = []
    for name in names:
        say(f"# {name} ...")
        started = time.perf_counter()
        try:
            new = groups[name](bench)
        except Exception as error:  # a broken figure is a failed row, and the others still count
            new = [Row(name, name, f"{type(error).__name__}: {error}", "runs", False)]
        found += new
        for row in new:
            say(line(row))
        say(f"# {name}: {time.perf_counter() - started:.0f} s")
    return found


def line(row: Row) -> str:
    """Returns a row as text."""
    verdict = "pass" if row.passed else "FAIL"
    note = f"\n      {row.note}" if row.note else ""
    return f"{verdict}  {row.figure}: {row.measured}  (expected: {row.expected}){note}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns 0 when every row passes, 1 otherwise."""
    options = _arguments(arguments)
    groups = rows()
    unknown = [name for name in options.only if name not in groups]
    if unknown:
        sys.stderr.write(f"error: no row {', '.join(unknown)}; known: {', '.join(groups)}\n")
        return 2
    bench = Bench(
        options.work.resolve(), options.cache, tuple(n for n in options.systems.split(",") if n)
    )
    about = machine()
    machine_text = ", ".join(f"{key} {value}" for key, value in about.items())
    # With --json the object alone goes to stdout.
    stream = sys.stderr if options.json else sys.stdout
    stream.write(f"hdlgraph bench: {machine_text}\n")
    found = run_rows(bench, options.only or list(groups), lambda text: _say(stream, text))
    passed = sum(row.passed for row in found)
    _say(stream, f"{passed} of {len(found)} figures reached ({machine_text})")
    if options.json:
        result = {
            "schema": 1,
            "machine": about,
            "rows": [asdict(row) for row in found],
            "evaluations": [report.to_dict() for report in bench.evaluations],
        }
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return 0 if passed == len(found) else 1


def _say(stream: TextIO, text: str) -> None:
    stream.write(text + "\n")
    stream.flush()


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench", description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help=f"of {', '.join(rows())}"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument("--work", type=Path, default=Path(WORK), help="folder for the indexes")
    parser.add_argument("--cache", type=Path, help="folder for corpora (default: user's cache)")
    parser.add_argument(
        "--systems",
        default="bm25,tfidf-embedding,minmax-fields,hdlgraph",
        help="systems of the retrieval rows, hdlgraph among them",
    )
    return parser.parse_args(arguments)
