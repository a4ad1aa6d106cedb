"""Evaluates systems on a question set in one run: rankings, measures, comparisons."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph import __version__
from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.protocols.ask import ask, ask_alone
from hdlgraph.eval.scores.causes import Causes
from hdlgraph.eval.scores.records import SystemResult
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.scores.score import Judge, compare
from hdlgraph.eval.sets.catalogue import corpus_at, corpus_name
from hdlgraph.eval.sets.corpora import cache_folder
from hdlgraph.eval.sets.listed import check_candidates, read_corpus
from hdlgraph.eval.sets.questions import check_corpus, check_name, read_questions
from hdlgraph.eval.systems.registry import DEFAULT, SYSTEMS, Corpus, check_model, check_systems

if TYPE_CHECKING:
    from hdlgraph.project import Project

KS = (1, 5, 10)
DEPTH = 100
"""Ranks kept per question: the cut of MRR and of TREC runs (more if a k is larger)."""


def evaluate(
    project: Project | Path | str,
    questions: Path | str,
    systems: Sequence[str] = DEFAULT,
    ks: Sequence[int] = KS,
    corpus: Path | str | Sequence[str] | None = None,
    field: str = "question",
    cache: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    *,
    name: str = "",
    isolate: bool = False,
    forgiving: Collection[str] = (),
) -> EvalReport:
    """Returns what each system reaches on a question set.

    Args:
        project: the project, or the index folder of one.
        questions: JSONL file, as `hdlgraph.eval.sets.questions` reads it.
        systems: names, see `hdlgraph.eval.systems.registry.SYSTEMS`.
        ks: cutoffs, from 1.
        corpus: the candidates: their paths, or a file with one path a line. None: the whole index.
        field: key of the question's text.
        cache: folder for vectors of baselines; None takes the user's cache folder.
        progress: called as progress(system, done, total).
        name: what the run is called; the stem of the questions' file by default.
        isolate: whether each system runs in a process of its own, which measures its memory.
        forgiving: systems that may fail; the report says why (`skipped`) and goes on.

    Raises:
        QuestionsError: bad lines, judged paths outside the corpus, or another corpus.
        UsageError: unknown system, bad cutoff, bad corpus list, a system that needs a language
            model without one.
        IndexMissingError: there is no index.
    """
    cutoffs = _cutoffs(ks)
    check_systems(list(systems))
    opened = _open(project)
    check_model(list(systems), opened)
    manifest = opened.manifest()
    source = Path(questions)
    asked = read_questions(source, field, manifest.files)
    check_name(source, asked, corpus_at(opened.root))
    paths = _candidates(corpus, manifest.files)
    check_corpus(source, asked, paths)
    room = Corpus(opened, paths, cache or cache_folder() / "vectors")
    roles = {path: manifest.files[path].role for q in asked for path in q.relevant}
    judge = Judge(opened, paths, asked, cutoffs, roles)
    results, skipped = _run(judge, room, systems, isolate, forgiving, progress)
    causes = Causes(opened, {path: entry.role for path, entry in manifest.files.items()})
    return EvalReport(
        questions=str(questions),
        field=field,
        n_questions=len(asked),
        n_files=len(paths),
        restricted=corpus is not None,
        ks=cutoffs,
        depth=max(DEPTH, *cutoffs),
        systems=results,
        pairs=compare(results),
        several_relevant=any(len(q.relevant) > 1 for q in asked),
        asked=asked,
        name=name or source.stem,
        corpus=(corpus_name(asked[0].corpus) or corpus_at(opened.root) or opened.root.name),
        explanations=_explained(opened, paths),
        date=datetime.date.today().isoformat(),
        machine=machine(),
        roles=roles,
        skipped=skipped,
        causes={one.name: causes.of_all(asked, one.rankings) for one in results},
    )


def _run(
    judge: Judge,
    room: Corpus,
    systems: Sequence[str],
    isolate: bool,
    forgiving: Collection[str],
    progress: Callable[[str, int, int], None] | None,
) -> tuple[tuple[SystemResult, ...], tuple[tuple[str, str], ...]]:
    """Returns the results of the systems, and those that could not run with the reason."""
    asking = ask_alone if isolate else ask
    results, skipped = [], []
    for name in systems:
        try:
            raw = asking(name, room, judge.questions, max(DEPTH, *judge.ks), progress)
        except HdlgraphError as error:
            if name not in forgiving:
                raise
            skipped.append((name, str(error)))
        else:
            results.append(judge.measure(raw, SYSTEMS[name.partition(":")[0]].about))
    return tuple(results), tuple(skipped)


def machine() -> dict[str, object]:
    """Returns what ran: cores, memory in GB (10^9 bytes), versions of Python and hdlgraph."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "cpus": os.cpu_count() or 1,
        "memory_gb": round(memory),
        "python": platform.python_version(),
        "hdlgraph": __version__,
    }


def _explained(project: Project, paths: Sequence[str]) -> str:
    """Returns who wrote the explanations of `paths`: deterministic, written or mixed."""
    known = project.explanations()
    plain = sum(path not in known or known[path].model == "deterministic" for path in paths)
    return "written" if not plain else "deterministic" if plain == len(paths) else "mixed"


def _candidates(
    corpus: Path | str | Sequence[str] | None, indexed: Collection[str]
) -> tuple[str, ...]:
    if corpus is None:
        return tuple(sorted(indexed))
    if isinstance(corpus, str | Path):
        return read_corpus(Path(corpus), indexed)
    return check_candidates(corpus, indexed)


def _open(project: Project | Path | str) -> Project:
    from hdlgraph.project import Project as Opened

    return project if isinstance(project, Opened) else Opened.open(Path(str(project)))


def _cutoffs(ks: Sequence[int]) -> tuple[int, ...]:
    bad = [k for k in ks if k < 1]
    if bad or not ks:
        wrong = bad[0] if bad else "(none)"
        raise UsageError(f"cutoff {wrong}: k must be at least 1, as in 1,5,10")
    return tuple(sorted(set(ks)))
