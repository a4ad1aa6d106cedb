"""Asks one system all questions: in this process, or in one of its own."""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.scores.records import Ranking, Raw
from hdlgraph.eval.systems.own import SearchSystem
from hdlgraph.eval.systems.registry import Corpus, make_system
from hdlgraph.safety.child_process import cleaned_environment, end_with

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from hdlgraph.eval.sets.questions import Question
    from hdlgraph.project import Project
    from hdlgraph.results import Hit
    from hdlgraph.settings.records import Settings

Progress = Callable[[str, int, int], None]

REASONS = 5
"""Pieces of evidence kept of a path."""
LEAVE_S = 20.0
"""Seconds that a process has to leave in order after its result."""
OPENED = 10
"""First hits whose line is kept."""


def ask(
    name: str,
    corpus: Corpus,
    questions: Sequence[Question],
    depth: int,
    progress: Progress | None = None,
    alone: bool = False,
) -> Raw:
    """Returns the rankings of one system, with seconds; those of collecting evidence do not count.

    `alone` says that nothing else runs in this process, so that its peak memory is the system's.
    """
    started = time.perf_counter()
    system = make_system(name, corpus)
    if questions:
        system.warm(questions[0].text, depth)
    setup = time.perf_counter() - started
    rankings = []
    for done, question in enumerate(questions, 1):
        before = time.perf_counter()
        ranked = tuple(system.rank(question.text, depth))
        rankings.append(Ranking(question.id, ranked, time.perf_counter() - before))
        if progress:
            progress(name, done, len(questions))
    memory = peak_memory() / 1e6 if alone else None
    if isinstance(system, SearchSystem):
        rankings = [replace(one, copies=system.copies(one.paths)) for one in rankings]
    hops = _hops(name, corpus.project)
    if hops is not None:
        rankings = [
            _explained(ranking, question, corpus, hops)
            for ranking, question in zip(rankings, questions, strict=True)
        ]
    return Raw(name, tuple(rankings), setup, system.used, memory)


def _hops(name: str, project: Project) -> int | None:
    """Returns the hops of the tool's own search under one of its names, None for the others."""
    if name == "hdlgraph":
        return project.settings.search.hops
    found = re.fullmatch(r"hdlgraph-h([0-2])", name)
    return int(found[1]) if found else None


def _explained(ranking: Ranking, question: Question, corpus: Corpus, hops: int) -> Ranking:
    """Adds the evidence for the first path and the right ones, and the lines of the first hits."""
    wanted = {ranking.paths[0], *question.relevant} if ranking.paths else set()
    ranks = [n for n, path in enumerate(ranking.paths, 1) if path in wanted or n <= OPENED]
    k = max(ranks, default=0)
    if not k:
        return ranking
    found = corpus.project.searcher().search(
        question.text, k, hops, (), corpus.candidates(), fold=False
    )
    if tuple(hit.path for hit in found.hits) != ranking.paths[:k]:
        return ranking  # evidence for another order would mislead
    return replace(
        ranking,
        reasons={hit.path: _reasons(hit) for hit in found.hits if hit.path in wanted},
        lines={hit.path: hit.line for hit in found.hits},
    )


def _reasons(hit: Hit) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"kind": one.kind, "path": one.path, "line": one.line, "text": one.text[:200]}
        for one in hit.evidence[:REASONS]
    )


@dataclass(frozen=True)
class Job:
    """What a process of its own needs to ask one system; plain data."""

    name: str
    root: Path
    folder: Path
    settings: Settings | Path
    paths: tuple[str, ...]
    cache: Path | None
    questions: tuple[Question, ...]
    depth: int


def ask_alone(
    name: str,
    corpus: Corpus,
    questions: Sequence[Question],
    depth: int,
    progress: Progress | None = None,
) -> Raw:
    """Returns what `ask` returns, from a fresh process, with the peak memory of that process.

    A script that calls this must keep its own work below `if __name__ == "__main__"`, since the
    new process imports it (multiprocessing's "spawn").

    Raises:
        HdlgraphError: the process died; or whatever the system raised.
    """
    import multiprocessing

    project = corpus.project
    settings = project.settings_file or project.settings
    job = Job(
        *(name, project.root, project.folder, settings),
        *(corpus.paths, corpus.cache, tuple(questions), depth),
    )
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(job, there, os.getpid()))
    with cleaned_environment(project.root):  # it imports anew, from no working directory
        process.start()
    there.close()
    try:
        raw = _listen(here, progress)
        process.join(LEAVE_S)
        return raw
    except EOFError as error:
        process.join()
        raise HdlgraphError(
            f"system {name}: its process ended with {process.exitcode} and no result; most often "
            "the memory was not enough: try it on a smaller corpus or leave it out"
        ) from error
    finally:
        process.terminate()
        process.join()


def _listen(connection: Connection, progress: Progress | None) -> Raw:
    while True:
        kind, value = connection.recv()
        if kind == "step" and progress:
            progress(*value)
        elif kind == "raw":
            return value
        elif kind == "error":
            raise value


def _work(job: Job, connection: Connection, parent: int) -> None:
    """Runs a job and sends ("step", ...), then ("raw", Raw) or ("error", exception)."""
    from hdlgraph.project import Project

    end_with(parent)

    def told(*step: Any) -> None:
        connection.send(("step", step))

    try:
        corpus = Corpus(Project(job.root, job.folder, job.settings), job.paths, job.cache)
        raw = ask(job.name, corpus, job.questions, job.depth, told, alone=True)
        connection.send(("raw", raw))
    except HdlgraphError as error:
        connection.send(("error", error))
    except Exception as error:  # an exception of a library may not survive the pipe
        text = f"system {job.name}: {type(error).__name__}: {error}"
        connection.send(("error", HdlgraphError(text)))


def peak_memory() -> int:
    """Returns the greatest resident memory of this process so far, in bytes.

    Linux keeps in `ru_maxrss` what the parent had when it started the process; the kernel's own
    high-water mark of the present program is read there instead.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
