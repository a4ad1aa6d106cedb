"""Scores files of answers: ROUGE and BLEU, citations, and the verdicts of a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.eval.answers.judge import VERDICTS, Judged, Judgement
from hdlgraph.eval.answers.run import Check
from hdlgraph.eval.scores.measures import RESAMPLES, SEED
from hdlgraph.eval.scores.wording import of_each, wording
from hdlgraph.results import EXTRACTIVE

if TYPE_CHECKING:
    from hdlgraph.eval.answers.read import Given
    from hdlgraph.project import Project

RATES = ("accuracy", "precision", "recall", "f1")


@dataclass(frozen=True)
class AnswersReport:
    """What is measured on a file of answers."""

    found: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return self.found

    def to_text(self) -> str:
        """Returns the measures in a few lines."""
        return "\n".join(_lines(self.found))


def report(
    name: str,
    answers: Sequence[Given],
    project: Project | None = None,
    judged: Judged | None = None,
) -> AnswersReport:
    """Returns the measures of answers: words by references, citations by a project, a judge's.

    Args:
        name: of the file.
        answers: those without a reference have no ROUGE.
        project: whose files the citations are looked up in; None checks none.
        judged: what a judge said; None for no judge.

    Raises:
        UsageError: the libraries of ROUGE and BLEU are not installed.
    """
    referred = [one for one in answers if one.reference.strip()]
    pairs = [(one.answer, one.reference) for one in referred]
    each = dict(zip((one.key for one in referred), of_each(pairs) if pairs else (), strict=True))
    check = Check(project) if project else None
    cited = {one.key: _cited(check, one) for one in answers} if check else {}
    by_system: dict[str, list[Judgement]] = {}
    for one in judged.judgements if judged else ():
        by_system.setdefault(one.id, []).append(one)
    rows = [
        {
            "id": one.key,
            "wording": each.get(one.key),
            "citations": cited.get(one.key),
            "judgements": [
                {"run": j.run, "verdict": j.verdict, "score": j.score, "reason": j.reason}
                for j in by_system.get(one.key, ())
            ],
        }
        for one in answers
    ]
    return AnswersReport(
        {
            "schema": 1,
            "file": name,
            "answers": len(answers),
            "wording": wording(pairs) if pairs else None,
            "citations": _citations(cited.values()) if project else None,
            "judge": verdicts(judged, len(answers)) if judged else None,
            "each": rows,
        }
    )


def _cited(check: Check, one: Given) -> dict[str, Any]:
    """Returns how many places an answer cites, and what is wrong with them."""
    found = check.of_text(one.answer, worded=one.model not in ("", EXTRACTIVE))
    wrong = [f"{claim.path}:{claim.line}: {claim.wrong}" for claim in found if claim.wrong]
    return {"cited": len(found), "wrong": wrong}


def _citations(found: Any) -> dict[str, Any]:
    counted = list(found)
    cited = sum(one["cited"] for one in counted)
    wrong = sum(len(one["wrong"]) for one in counted)
    precision = round((cited - wrong) / cited, 4) if cited else 1.0
    return {"cited": cited, "wrong": wrong, "precision": precision}


def verdicts(judged: Judged, answers: int) -> dict[str, Any]:
    """Returns the counts of verdicts over all runs, and their rates, each with its interval.

    accuracy = (TP + TN) / all, precision = TP / (TP + FP), recall = TP / (TP + FN), f1 their
    harmonic mean. The bootstrap draws answers, each with all of its runs. Judgements without a
    usable verdict count nowhere but in `unusable`.

    Args:
        judged: what the judge said.
        answers: how many there were.
    """
    usable = [one for one in judged.judgements if one.verdict]
    by_answer: dict[str, list[Judgement]] = {}
    for one in usable:
        by_answer.setdefault(one.id, []).append(one)
    counts = Counter(one.verdict for one in usable)
    table = np.asarray(
        [[sum(j.verdict == v for j in all_) for v in VERDICTS] for all_ in by_answer.values()],
        float,
    ).reshape(-1, len(VERDICTS))
    scores = np.asarray([[sum(j.score for j in a), len(a)] for a in by_answer.values()], float)
    agreed = sum(len({j.verdict for j in all_}) == 1 for all_ in by_answer.values())
    return {
        "runs": max((one.run for one in judged.judgements), default=0),
        "judged": len(by_answer),
        "unusable": len(judged.judgements) - len(usable),
        **{verdict: counts[verdict] for verdict in VERDICTS},
        **_rates(table),
        "score": _interval(scores.reshape(-1, 2), lambda s: s[..., 0] / np.maximum(s[..., 1], 1)),
        "same_in_all_runs": round(agreed / max(len(by_answer), 1), 4),
        "calls": judged.calls,
        "input_tokens": judged.input_tokens,
        "answers": answers,
    }


def _rates(table: np.ndarray) -> dict[str, dict[str, float]]:
    def part(over: Sequence[int], under: Sequence[int]) -> Callable[[np.ndarray], np.ndarray]:
        return lambda s: (
            s[..., list(over)].sum(axis=-1) / np.maximum(s[..., list(under)].sum(axis=-1), 1e-9)
        )

    tp, tn, fp, fn = range(4)
    precision, recall = part([tp], [tp, fp]), part([tp], [tp, fn])

    def f1(sums: np.ndarray) -> np.ndarray:
        p, r = precision(sums), recall(sums)
        return 2 * p * r / np.maximum(p + r, 1e-9)

    measures = (part([tp, tn], [tp, tn, fp, fn]), precision, recall, f1)
    return {name: _interval(table, one) for name, one in zip(RATES, measures, strict=True)}


def _interval(rows: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """Returns a measure of the sum of all rows, and its 95 % bootstrap interval over rows."""
    if not len(rows):
        return {"mean": 0.0, "low": 0.0, "high": 0.0}
    drawn = np.random.default_rng(SEED).integers(0, len(rows), (RESAMPLES, len(rows)))
    low, high = np.quantile(measure(rows[drawn].sum(axis=1)), [0.025, 0.975])
    values = (float(measure(rows.sum(axis=0))), float(low), float(high))
    return {key: round(v, 4) for key, v in zip(("mean", "low", "high"), values, strict=True)}


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['answers']} answers of {found['file']}"
    if wording := found["wording"]:
        counted = ", ".join(
            f"{key} {_row(wording[key])}" for key in ("rougeL", "rougeLsum", "rougeLsum_recall")
        )
        yield f"{wording['n']} with a reference: {counted}, BLEU {wording['bleu']:.3f}"
    if cited := found["citations"]:
        yield f"{cited['cited']} citations, {cited['wrong']} wrong"
        for one in found["each"]:
            yield from (f"  {one['id']}: {wrong}" for wrong in one["citations"]["wrong"])
    if judge := found["judge"]:
        counts = ", ".join(f"{verdict} {judge[verdict]}" for verdict in VERDICTS)
        yield f"judge: {judge['judged']} answers in {judge['runs']} runs: {counts}"
        yield "  " + ", ".join(f"{key} {_row(judge[key])}" for key in (*RATES, "score"))
        yield f"  the same verdict in all runs: {judge['same_in_all_runs']:.2f}"
        if judge["unusable"]:
            yield f"  {judge['unusable']} judgements could not be used"


def _row(one: Mapping[str, float]) -> str:
    return f"{one['mean']:.3f} ({one['low']:.2f}-{one['high']:.2f})"
