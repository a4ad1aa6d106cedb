"""Compares the vector stores by size, on vectors as copies of real designs have them.

Milliseconds of one search on vectors that are in memory: CPU of all threads together, and wall,
which tells of a store only where nothing else runs. numpy has one thread, as in a search of
hdlgraph: with more they wait for each other. Recall is the share of the 50 nearest of an exact
search that a store finds, over questions of the open sets.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hdlgraph.eval.bench_scale.vectors import (
    Real,
    differences,
    dimensions,
    nearest_cosines,
    questions,
    read_real,
    synthetic,
)
from hdlgraph.store.vectors import ann
from hdlgraph.store.vectors.choose import WRITERS, find_store

QUESTIONS = 200
ASKED = 50
"""Questions that are timed, the first of QUESTIONS."""
TIMED = 128
"""Texts by which the embedder is timed."""
COUNTS = (25_000, 50_000, 100_000, 250_000)


@dataclass(frozen=True)
class Material:
    """What vectors are made of: real ones, differences by kind, and questions."""

    real: Real
    moves: dict[int, np.ndarray]
    asked: np.ndarray
    embed_cpu_ms: float = 0.0
    """CPU milliseconds of the embedder for a text."""


def material(indexes: Sequence[Path], work: Path, seed: int) -> Material:
    """Returns the material; what was embedded is kept in `work`.

    Raises:
        HdlgraphError: an index has no vectors, or the designs or weights are missing.
    """
    real = read_real(indexes)
    file = work / "embedded.npz"
    if not file.is_file():
        from hdlgraph.eval.bench_scale.sources import read_designs
        from hdlgraph.index.embed.embedder import load_embedder
        from hdlgraph.settings.records import Settings

        embedder = load_embedder(Settings())
        assert embedder is not None
        moves = differences(real, read_designs(), embedder, seed)
        some = real.texts[:: max(1, len(real.texts) // TIMED)]
        before = _cpu()
        embedder.embed(some)
        cost = (_cpu() - before) * 1000 / len(some)
        work.mkdir(parents=True, exist_ok=True)
        asked = questions(embedder, QUESTIONS)
        kept: dict[str, Any] = {f"kind{kind}": rows for kind, rows in moves.items()}
        np.savez(file, asked=asked, cost=np.asarray(cost), **kept)
    with np.load(file) as read:
        names = [name for name in read.files if name.startswith("kind")]
        moves = {int(name.removeprefix("kind")): read[name] for name in names}
        return Material(real, moves, read["asked"], float(read["cost"]))


def spread(made_of: Material, seed: int) -> dict[str, Any]:
    """Returns how thickly real vectors lie, and as many synthetic ones."""
    size = len(made_of.real.vectors)
    copy = synthetic(made_of.real, made_of.moves, 2 * size, seed)[0][size:]
    lengths = np.concatenate([np.linalg.norm(rows, axis=1) for rows in made_of.moves.values()])
    return {
        "real": size,
        "nearest_of_real": nearest_cosines(made_of.real.vectors),
        "nearest_of_copy": nearest_cosines(copy),
        "dimensions_of_real": dimensions(made_of.real.vectors),
        "dimensions_of_copy": dimensions(copy),
        "pairs": len(lengths),
        "embed_cpu_ms": round(made_of.embed_cpu_ms, 1),
        "difference": round(float(np.median(lengths)), 3),
    }


def compare(made_of: Material, count: int, seed: int) -> list[dict[str, Any]]:
    """Returns the figures of each store for so many vectors."""
    vectors, kinds = synthetic(made_of.real, made_of.moves, count, seed)
    asked = made_of.asked
    wanted = [ann.exact(vectors, question) for question in asked]
    found = []
    for name in sorted(WRITERS):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            before = _cpu()
            WRITERS[name](home, vectors, kinds)
            wrote = _cpu() - before
            store = find_store(home)
            assert store is not None
            rows = [store.nearest(question, ann.TOP) for question in asked]
            shares = [len(np.intersect1d(r, w)) / len(w) for r, w in zip(rows, wanted, strict=True)]
            size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
            probing = store.probing
            found.append(
                {
                    "store": name,
                    "count": count,
                    "write_cpu_s": round(wrote, 1),
                    "disk_mb": round(size / 1e6, 1),
                    "cells": probing.cells if probing else 0,
                    "fetched": probing.fetched if probing else 0,
                    "recall_of_report": probing.recall if probing else 1.0,
                    "recall": round(float(np.mean(shares)), 4),
                    **_times("top50", partial(store.nearest, count=ann.TOP), asked),
                    **_times("search", store.similarity, asked),
                }
            )
    return found


def _times(name: str, ask: Callable[[np.ndarray], Any], asked: np.ndarray) -> dict[str, float]:
    """Returns the milliseconds of a question: median CPU, median wall, and the 95th of 100."""
    cpu, wall = [], []
    with threadpool_limits(1):
        for question in asked[:ASKED]:
            before, started = time.process_time(), time.perf_counter()
            ask(question)
            wall.append((time.perf_counter() - started) * 1000)
            cpu.append((time.process_time() - before) * 1000)
    return {
        f"{name}_cpu_ms": round(statistics.median(cpu), 1),
        f"{name}_ms": round(statistics.median(wall), 1),
        f"{name}_p95_ms": round(float(np.quantile(wall, 0.95)), 1),
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
