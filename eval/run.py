"""Evaluates systems on a question set in one run: rankings, measures, comparisons."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.eval import measures
from hdlgraph.eval.corpora import cache_folder
from hdlgraph.eval.questions import Question, check_corpus, read_questions
from hdlgraph.eval.report import EvalReport, ModelUse, Pair, Ranking, SystemResult
from hdlgraph.eval.systems import DEFAULT, Corpus, check_model, check_systems, make_system

from hdlgraph.errors import UsageError

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
    corpus: Path | str | None = None,
    field: str = "question",
    cache: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> EvalReport:
    """Returns what each system reaches on a question set.

    Args:
        project: the project, or the index folder of one.
        questions: JSONL file, as `hdlgraph.eval.questions` reads it.
        systems: names, see `hdlgraph.eval.systems.SYSTEMS`.
        ks: cutoffs, from 1.
        corpus: file with one path a line; only these are candidates. None: the whole index.
        field: key of the question's text.
        cache: folder for vectors of baselines; None takes the user's cache folder.
        progress: called as progress(system, done, total).

    Raises:
        QuestionsError: bad lines or judged paths outside the corpus.
        UsageError: unknown system, bad cutoff, bad corpus list, a system that needs a language
            model without one.
        IndexMissingError: there is no index.
    """
    cutoffs = _cutoffs(ks)
    check_systems(list(systems))
    opened = _open(project)
    check_model(list(systems), opened)
    indexed = opened.manifest().files
    asked = read_questions(Path(questions), field, indexed)
    paths = tuple(sorted(indexed))
    if corpus is not None:
        paths = read_corpus(Path(corpus), indexed)
        check_corpus(Path(questions), asked, paths)
    room = Corpus(opened, paths, cache or cache_folder() / "vectors")
    depth = max(DEPTH, *cutoffs)
    results = tuple(_run(name, room, asked, cutoffs, depth, progress) for name in systems)
    return EvalReport(
        questions=str(questions),
        field=field,
        n_questions=len(asked),
        n_files=len(paths),
        restricted=corpus is not None,
        ks=cutoffs,
        depth=depth,
        systems=results,
        pairs=_pairs(results),
        several_relevant=any(len(q.relevant) > 1 for q in asked),
        asked=asked,
    )


def read_corpus(path: Path, indexed: Sequence[str] | dict) -> tuple[str, ...]:
    """Returns the sorted paths of a corpus list: one a line, `#` comments and blanks skipped.

    Raises:
        UsageError: it cannot be read, is empty, or names a path that is not in the index.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read {path}: {reason}; check the file") from error
    named = {
        number: line.strip().removeprefix("./")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    unknown = [
        f"{path}:{n}: {name} is not in the index"
        for n, name in named.items()
        if name not in indexed
    ]
    if unknown:
        more = f"\n... and {len(unknown) - 10} more" if len(unknown) > 10 else ""
        raise UsageError("\n".join(unknown[:10]) + more + "; correct or remove the line")
    if not named:
        raise UsageError(f"{path}: names no file; write one path of the index a line")
    return tuple(sorted(set(named.values())))


def _open(project: Project | Path | str) -> Project:
    from hdlgraph.project import Project as Opened

    return project if isinstance(project, Opened) else Opened.open(Path(str(project)))


def _cutoffs(ks: Sequence[int]) -> tuple[int, ...]:
    bad = [k for k in ks if k < 1]
    if bad or not ks:
        wrong = bad[0] if bad else "(none)"
        raise UsageError(f"cutoff {wrong}: k must be at least 1, as in 1,5,10")
    return tuple(sorted(set(ks)))


def _run(
    name: str,
    corpus: Corpus,
    questions: Sequence[Question],
    ks: Sequence[int],
    depth: int,
    progress: Callable[[str, int, int], None] | None,
) -> SystemResult:
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
    return _measured(name, setup, tuple(rankings), questions, ks, system.used)


def _measured(
    name: str,
    setup: float,
    rankings: tuple[Ranking, ...],
    questions: Sequence[Question],
    ks: Sequence[int],
    used: ModelUse | None,
) -> SystemResult:
    both = list(zip(rankings, questions, strict=True))
    values: dict[str, list[float]] = {}
    for k in ks:
        values[f"recall@{k}"] = [measures.recall(r.paths, q.relevant, k) for r, q in both]
        values[f"lenient@{k}"] = [
            measures.lenient_recall(r.paths, q.relevant, q.equivalent, k) for r, q in both
        ]
        values[f"success@{k}"] = [measures.success(r.paths, q.relevant, k) for r, q in both]
    values["mrr"] = [measures.reciprocal_rank(r.paths, q.relevant) for r, q in both]
    values["ndcg@10"] = [measures.ndcg(r.paths, q.relevant) for r, q in both]
    kinds = sorted({q.kind for q in questions if q.kind})
    by_kind = {
        kind: {
            f"recall@{k}": _mean(
                [v for v, q in zip(values[f"recall@{k}"], questions, strict=True) if q.kind == kind]
            )
            for k in ks
        }
        for kind in kinds
    }
    return SystemResult(
        name=name,
        measures={key: measures.interval(found) for key, found in values.items()},
        by_kind=by_kind,
        rankings=rankings,
        ranks=tuple(measures.first_rank(r.paths, q.relevant) for r, q in both),
        values=values,
        setup_seconds=setup,
        query_seconds=_mean([r.seconds for r in rankings]),
        model=used,
    )


def _pairs(results: Sequence[SystemResult]) -> tuple[Pair, ...]:
    """Compares each pair of systems, the later named one first (hdlgraph against baselines)."""
    out = []
    for i, second in enumerate(results):
        for first in results[i + 1 :]:
            rr = first.values["mrr"], second.values["mrr"]
            at1 = _at_1(first), _at_1(second)
            out.append(
                Pair(
                    first=first.name,
                    second=second.name,
                    by_rank=measures.duel(*rr),
                    at_1=measures.duel(*at1),
                    p_mrr=measures.paired_p(*rr),
                    p_at_1=measures.paired_p(*at1),
                )
            )
    return tuple(out)


def _at_1(result: SystemResult) -> list[float]:
    return [float(rank == 1) for rank in result.ranks]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
