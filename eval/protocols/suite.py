"""The whole benchmark: corpora, indexes, all systems, run files, TREC files, one page."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.pool import Pool, pools
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.scores.run_json import SCHEMA, write_json
from hdlgraph.eval.scores.trec import write_trec
from hdlgraph.eval.sets.catalogue import corpus_at, corpus_name
from hdlgraph.eval.sets.corpora import cache_folder, materialise
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.systems.registry import HELP, SYSTEMS, check_systems
from hdlgraph.project import Project

__all__ = ["RUNS", "PlannedRun", "Suite", "run_suite", "suite_systems"]

DATA = Path(__file__).parents[1] / "data"
LEADER = "hdlgraph"
TABLES = "graphrag"
"""How the names of systems begin that read GraphRAG's tables."""

Progress = Callable[[str, int, int], None]


class PlannedRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of the suite, from `data/suite.json`; paths are relative to that folder.

    `explanations` are imported before, and their files are the only candidates; "" takes the
    deterministic ones and all files. Runs of the same `index` share an index folder. Runs of one
    `pool` are compared together as well; "" is none.
    """

    questions: str
    corpus: str
    index: str
    explanations: str
    pool: str
    provenance: str
    licence: str

    @property
    def set(self) -> Path:
        """Returns the file of the questions."""
        return DATA / self.questions

    @property
    def imported(self) -> Path | None:
        """Returns the file of the explanations to import, or None."""
        return DATA / self.explanations if self.explanations else None

    def candidates(self) -> tuple[str, ...] | None:
        """Returns the sample: the explained files; None for all of the index."""
        from hdlgraph.store.explanations import read_jsonl

        return None if self.imported is None else tuple(sorted(read_jsonl(self.imported)))


RUNS: dict[str, PlannedRun] = msgspec.json.decode(
    (DATA / "suite.json").read_bytes(), type=dict[str, PlannedRun]
)
"""The runs by name, in the order of the report."""


@dataclass(frozen=True)
class Suite:
    """What a suite gave: the reports, the files written, and the pooled comparisons.

    `pools` holds those of which at least two runs, with hdlgraph, were in the suite.
    """

    reports: dict[str, EvalReport]
    written: tuple[Path, ...]
    page: Path
    pools: dict[str, Pool]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object: the run files in full, and the comparisons."""
        return {
            "schema": SCHEMA,
            "runs": {name: report.to_dict() for name, report in self.reports.items()},
            "pools": {name: found.to_dict() for name, found in self.pools.items()},
            "files": [path.as_posix() for path in (*self.written, self.page)],
        }

    def to_text(self) -> str:
        """Returns the tables of all runs and the pooled comparisons."""
        parts = [f"== {name} ==\n{report.to_text()}" for name, report in self.reports.items()]
        parts += [f"{found.to_text(name)}\n" for name, found in self.pools.items()]
        return "\n".join(parts)


def suite_systems() -> tuple[str, ...]:
    """Returns the systems of a suite by default: all that need no language model.

    What is not installed here is left out of the tables, and the report says so.
    """
    needy = {f"{LEADER}-{kind}" for kind in HELP}
    return tuple(name for name in SYSTEMS if name not in needy)


def run_suite(
    names: Sequence[str] = (),
    out: Path | str = "hdlgraph-eval",
    systems: Sequence[str] | None = None,
    *,
    indexes: Mapping[str, Path] | None = None,
    cache: Path | None = None,
    isolate: bool = True,
    progress: Progress | None = None,
) -> Suite:
    """Runs the benchmark and writes OUT/NAME.json, OUT/NAME/ (TREC) and OUT/report.html.

    Args:
        names: keys of RUNS; all by default.
        out: folder for the results; made when missing.
        systems: names of systems; None takes `suite_systems()` and passes over those that are
            not installed.
        indexes: index folders to take as they are, by the name of the run; the others are made,
            or brought up to date, below the cache folder.
        cache: where corpora, indexes and vectors are kept; None takes the user's cache folder.
        isolate: whether each system runs in a process of its own, which measures its memory.
        progress: called as progress(stage or system, done, total).

    Raises:
        UsageError: unknown run or system, an index of another corpus, a folder that cannot be
            written.
        HdlgraphError: a corpus or an index cannot be made.
    """
    chosen = _chosen(names, indexes or {})
    asked_for = list(systems or suite_systems())
    check_systems(asked_for)
    target, home = _folder(Path(out)), cache or cache_folder()
    tables = any(name.startswith(TABLES) for name in asked_for)
    reports: dict[str, EvalReport] = {}
    written: list[Path] = []
    for name, run in chosen.items():
        given = (indexes or {}).get(name)
        project = _given(name, run, given) if given else _indexed(run, home, tables, progress)
        report = evaluate(
            project,
            run.set,
            asked_for,
            corpus=run.candidates(),
            cache=home / "vectors",
            progress=progress,
            name=name,
            isolate=isolate,
            forgiving=() if systems else asked_for,
        )
        reports[name] = dataclasses.replace(report, pool=run.pool)
        written.append(write_json(target / f"{name}.json", reports[name].to_dict()))
        write_trec(reports[name], target / name)
    found = pools([report.to_dict() for report in reports.values()], LEADER)
    if found:
        data = {name: together.to_dict() for name, together in found.items()}
        written.append(write_json(target / "pooled.json", data))
    return Suite(reports, tuple(written), _page(target, list(reports)), found)


def check_runs(names: Sequence[str]) -> None:
    """Raises UsageError for a name that is no run of the suite."""
    unknown = [name for name in names if name not in RUNS]
    if unknown:
        raise UsageError(f"run {unknown[0]}: not in the suite; known are {', '.join(RUNS)}")


def _chosen(names: Sequence[str], indexes: Mapping[str, Path]) -> dict[str, PlannedRun]:
    check_runs([*names, *indexes])
    chosen = {name: run for name, run in RUNS.items() if not names or name in names}
    idle = [name for name in indexes if name not in chosen]
    if idle:
        raise UsageError(f"index of {idle[0]}: that run was not asked for; name it too")
    return chosen


def _given(name: str, run: PlannedRun, folder: Path) -> Project:
    """Returns the project of an index folder that the user named, after a check of its corpus."""
    project = Project.open(folder)
    found, wanted = corpus_at(project.root), corpus_name(run.corpus)
    if found and found != wanted:
        raise UsageError(f"index {folder}: holds {found}, but the run {name} asks about {wanted}")
    read_questions(run.set, paths=project.manifest().files)
    sample = run.candidates() or ()
    known = project.explanations() if sample else {}
    bare = [p for p in sample if p not in known or known[p].model == "deterministic"]
    if bare:
        raise UsageError(
            f"index {folder}: {len(bare)} files, {bare[0]} for one, lack an imported explanation; "
            f"`hdlgraph explanations import {run.imported}` and `hdlgraph index` give it them"
        )
    return project


def _indexed(run: PlannedRun, home: Path, tables: bool, progress: Progress | None) -> Project:
    """Returns the project of a run's own index, made or brought up to date.

    `tables` says whether GraphRAG's tables are wanted too, which take minutes.
    """
    root, folder = materialise(run.corpus, home), home / "eval" / run.index
    plain = home / "eval" / run.corpus
    if run.imported is not None and not folder.exists() and plain.is_dir():
        # What was parsed and embedded once is taken over; only the explained files are new.
        shutil.copytree(plain, folder, ignore=shutil.ignore_patterns("lock"))
    project = Project(root, folder)
    if run.imported is not None:
        project.import_explanations(run.imported)
    report = project.index(progress=progress, graphrag="always" if tables else "never")
    if report.failed:
        raise HdlgraphError(f"index {folder}: {report.failed[0]}; a benchmark needs every file")
    return project


def _page(target: Path, names: Sequence[str]) -> Path:
    from hdlgraph.eval.page.page import write_page

    return write_page([target / f"{name}.json" for name in names], target / "report.html")


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {out}: {error.strerror}; name another --out") from error
    return out
