"""Corpora without comments: how well files are found by their code and names alone.

`python -m hdlgraph.eval.protocols.blanked [NAME]...` copies the corpora of runs of the suite with
every comment blanked and without documents, indexes the copies and asks the questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hdlgraph.errors import HdlgraphError, telling_errors
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.protocols.suite import RUNS, Progress, check_runs
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.sets.blanked import FOLDERS, blanked_copy, blanked_folder
from hdlgraph.eval.sets.corpora import cache_folder, materialise
from hdlgraph.project import Project

NAMES = ("opentitan-2021", "riscv-cores")
"""The runs that are asked without names: the two development sets."""

SYSTEMS = ("minmax-fields", "hdlgraph")
FOLDER = FOLDERS["comments"]


def measure(
    name: str,
    home: Path,
    systems: Sequence[str] = SYSTEMS,
    progress: Progress | None = None,
) -> EvalReport:
    """Returns what systems reach on the questions of a run when its corpus has no comments.

    Args:
        name: a run of the suite.
        home: where the whole corpus, its copy and the copy's index are kept.
        systems: names of systems.
        progress: called as progress(stage or system, done, total).

    Raises:
        UsageError: an unknown run or system.
        HdlgraphError: the corpus cannot be had, or a file of it not be read.
    """
    project = blanked_project(name, home, progress)
    return evaluate(project, RUNS[name].set, systems, cache=home / "vectors", name=name)


def blanked_project(name: str, home: Path, progress: Progress | None = None) -> Project:
    """Returns the project of a run's corpus without comments, indexed."""
    check_runs([name])
    corpus = materialise(RUNS[name].corpus, home)
    root = blanked_copy(corpus, blanked_folder(corpus, home))
    project = Project(root, home / FOLDER / "eval" / RUNS[name].corpus)
    report = project.index(progress=progress, graphrag="never")
    if report.failed:
        raise HdlgraphError(f"index of {root}: {report.failed[0]}; a benchmark needs every file")
    return project


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures the runs named and prints their tables; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.protocols.blanked", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("names", nargs="*", help=f"runs of the suite; else {', '.join(NAMES)}")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="comma separated")
    parser.add_argument("--home", type=Path, help="where all is kept; else the user's cache folder")
    given = parser.parse_args(arguments)
    for name in given.names or NAMES:
        found = measure(name, given.home or cache_folder(), given.systems.split(","))
        sys.stdout.write(f"== {name}, no comments ==\n{found.to_text()}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
