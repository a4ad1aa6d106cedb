"""Builds GraphRAG's tables in a process of its own: bounded, and swapped in whole.

The process (`hdlgraph.index.graphrag.job`) writes into a new folder, which replaces graphrag/ only
when every workflow has succeeded.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hdlgraph.errors import BuildError
from hdlgraph.index.graphrag.job import ANSWERS
from hdlgraph.results import StageUsage
from hdlgraph.safety import child_process
from hdlgraph.safety.telemetry import OWN, TELEMETRY
from hdlgraph.settings.records import Settings

FOLDER = "graphrag"
SCRATCH = "scratch"  # temporary files of the job, below its folder
THREADS = """OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS RAYON_NUM_THREADS
    TOKIO_WORKER_THREADS LANCE_CPU_THREADS LANCE_IO_THREADS""".split()
POLL_S = 0.2
TAIL = 4  # lines of a dead process


@dataclass(frozen=True, slots=True)
class Limits:
    """What a build by the model may spend; None is no limit."""

    max_cost: float | None = None  # USD
    max_tokens: int | None = None


def build_graphrag(
    index_dir: Path,
    generation: Path,
    settings: Settings,
    *,
    root: Path | None = None,
    settings_file: Path | None = None,
    limits: Limits | None = None,
    vectors: bool = True,
    on_answer: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Builds the tables of a generation into `index_dir`/graphrag and returns what was built.

    Args:
        index_dir: the index folder.
        generation: its generation, with the graph, the explanations and the surfaces.
        settings: the settings in force.
        root: the repository, for documents of code; None takes the manifest's.
        settings_file: a settings.yaml whose GraphRAG sections count; None takes the defaults.
        limits: what a build by the model (`extract.method: llm`, `graphrag.reports: model`) may
            spend.
        vectors: whether GraphRAG's local search shall find entities by meaning; communities and
            their reports need no vectors, and a build without them takes half the time.
        on_answer: called with the number of answers of the model so far.

    Returns:
        Counts of rows, "seconds", "embedded" texts, "note", and for a build by the model "usage",
        the StageUsage of each stage.

    Raises:
        BuildError: the build failed or exceeded its limits; the former tables are untouched.
            Answers that were paid for are kept, a new build goes on with them.
    """
    target = index_dir / FOLDER
    _recover(target)
    part = index_dir / f"{FOLDER}.part"
    job = {
        "generation": str(generation.resolve()),
        "root": str(root) if root else "",
        "settings": asdict(settings),
        "settings_file": str(settings_file.resolve()) if settings_file else "",
        "former": str(target.resolve()),
        "out": str(part.resolve()),
        "index": str(index_dir.resolve()),
        "limits": asdict(limits or Limits()),
        "vectors": vectors,
    }
    started = time.monotonic()
    try:
        (part / SCRATCH).mkdir(parents=True)
        (part / "job.json").write_text(json.dumps(job), encoding="utf-8")
        result = _run(part, settings, root, on_answer)
        (part / "job.json").unlink()
        shutil.rmtree(part / SCRATCH)
        _swap(part, target)
    except OSError as error:
        raise BuildError(
            f"GraphRAG tables: {error}; free space in {index_dir} or make it writable"
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return {**result, "seconds": round(time.monotonic() - started, 1)}


def _recover(target: Path) -> None:
    """Puts the tables back that a killed run had moved away, and removes what else it left."""
    old = target.with_name(f"{FOLDER}.old")
    if old.is_dir() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(target.with_name(f"{FOLDER}.part"), ignore_errors=True)


def _swap(part: Path, target: Path) -> None:
    old = target.with_name(f"{FOLDER}.old")
    if target.exists():
        target.rename(old)
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _run(
    part: Path,
    settings: Settings,
    root: Path | None,
    on_answer: Callable[[int], None] | None,
) -> dict[str, Any]:
    """Runs the job in `part`; returns the counts of its tables, and what a model used.

    Raises:
        BuildError: the job failed, or its process ended without a result.
    """
    limits = settings.graphrag
    with (part / "stderr.txt").open("wb") as stderr:
        process = child_process.start(
            "hdlgraph.index.graphrag.job",
            str((part / "job.json").resolve()),
            root=root,
            cwd=part,
            # lance leaves vectors there: a job ends without waiting for its threads.
            extra={**_environment(), "TMPDIR": str((part / SCRATCH).resolve())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        try:
            code = _watch(process, limits.deadline_s, limits.memory_mb, part / ANSWERS, on_answer)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    try:
        result = json.loads((part / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        lines = (part / "stderr.txt").read_text("utf-8", "replace").split("\n")
        output = "; ".join([line.strip() for line in lines if line.strip()][-TAIL:])
        result = {"error": f"the process ended with code {code}: {output or 'no message'}"}
    usage = tuple(StageUsage(**one) for one in result.get("usage", ()))
    if result.get("error"):
        raise BuildError(f"GraphRAG tables: {result['error']}", usage)
    for name in ("stderr.txt", ANSWERS):
        (part / name).unlink(missing_ok=True)
    return {**result["counts"], **({"usage": usage} if usage else {})}


def _environment() -> dict[str, str]:
    from hdlgraph.index.embed.onnx import usable_cores

    cores = str(usable_cores())
    return {
        **{name: cores for name in THREADS if name not in os.environ},
        **TELEMETRY,
        **OWN,  # libraries look when they are loaded
        "LANCE_LOG": "error",
        # Together 115 MB less at the peak, at no cost in time.
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_TRIM_THRESHOLD_": "65536",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "TOKENIZERS_PARALLELISM": "true",
        "PYTHONHASHSEED": "0",
    }


def _watch(
    process: subprocess.Popen[bytes],
    deadline_s: float,
    memory_mb: int,
    answers: Path,
    on_answer: Callable[[int], None] | None,
) -> int:
    """Waits for the build and returns its exit code; ends it when it exceeds a limit.

    The time begins anew with every answer of a model: how long those take is not the build's.
    """
    end = time.monotonic() + deadline_s
    seen = 0
    while True:
        try:
            return process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            pass
        count = _size(answers)
        if count > seen:
            seen, end = count, time.monotonic() + deadline_s
            if on_answer is not None:
                on_answer(count)
        used = _resident_mb(process.pid)
        if used > memory_mb:
            raise BuildError(
                f"GraphRAG tables: the build took {used} MiB, limit {memory_mb}; raise "
                "graphrag.memory_mb, or take kinds out of graphrag.entities"
            )
        if time.monotonic() > end:
            raise BuildError(
                f"GraphRAG tables: no end after {deadline_s:g} s; raise graphrag.deadline_s"
            )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _resident_mb(pid: int) -> int:
    """Returns the resident memory of a process in MiB, 0 where /proc does not say."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
