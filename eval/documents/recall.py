"""Micro recall of passages: of all judged passages, how many stand among the first k.

    python -m hdlgraph.eval.documents.recall QUESTIONS.jsonl INDEX

A question has `question` and `anchors`, those of the passages that answer it, or `paths`, each
`PATH` or `PATH:LINE` of a section; where it has an `answer`, it may go without.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from hdlgraph.errors import QuestionsError, telling_errors
from hdlgraph.eval.scores.measures import RESAMPLES, SEED
from hdlgraph.model.passage import Passage
from hdlgraph.safety.safe_files import read_regular, reason_of

if TYPE_CHECKING:
    from hdlgraph.project import Project

KS = (1, 3, 5, 10, 20)
LIMIT = 100_000_000


class JudgedPassages(msgspec.Struct, frozen=True):
    """A question and the passages that answer it."""

    question: str
    id: str = ""
    anchors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    answer: str = ""
    type: str = ""

    @property
    def wanted(self) -> tuple[str, ...]:
        """Returns the names of the passages that answer."""
        return (*self.anchors, *self.paths)


def read_questions(path: Path) -> list[JudgedPassages]:
    """Returns the questions of a file.

    Raises:
        QuestionsError: the file cannot be read, or a line is no question, or names neither a
            passage nor an answer.
    """
    found = []
    try:
        lines = read_regular(path, LIMIT).splitlines()
    except OSError as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=JudgedPassages)
        except msgspec.MsgspecError as error:
            raise QuestionsError(f"{path}:{number}: {error}") from error
        if not (one.wanted or one.answer.strip()):
            message = "names no passage: give anchors or paths, or an answer"
            raise QuestionsError(f"{path}:{number}: {message}")
        found.append(msgspec.structs.replace(one, id=one.id or f"line-{number}"))
    if not found:
        raise QuestionsError(f"{path}: no question in it; write one JSON object a line")
    return found


def places(found: Iterable[Passage]) -> list[tuple[str, ...]]:
    """Returns how each passage may be named: by anchor, path, and path with line."""
    out = []
    for one in found:
        also = [name for p in one.places for name in (p.path, f"{p.path}:{p.line}")]
        out.append((one.anchor, one.path, f"{one.path}:{one.line}", *also))
    return out


def measure(
    project: Project, questions: Sequence[JudgedPassages], ks: Sequence[int] = KS, kind: str = "doc"
) -> dict[str, Any]:
    """Returns micro recall at each k with its interval, and the number of judged passages."""
    most = max(ks)
    ranked = [places(project.passages(one.question, kind=kind, k=most)) for one in questions]
    return {"schema": 1, "questions": len(questions), **micro_recall(ranked, questions, ks)}


def micro_recall(
    rankings: Sequence[Sequence[Collection[str]]],
    questions: Sequence[JudgedPassages],
    ks: Sequence[int] = KS,
) -> dict[str, Any]:
    """Returns micro recall at each k, its 95 % interval, and the number of judged passages.

    Args:
        rankings: of each question the names of its passages, best first.
        questions: with what is right; those that name no passage count for nothing.
        ks: cutoffs, from 1.
    """
    sizes = np.asarray([len(one.wanted) for one in questions], float)
    recall, intervals = {}, {}
    for k in sorted(ks):
        pairs = zip(rankings, questions, strict=True)
        hits = np.asarray([_hits(ranking[:k], one) for ranking, one in pairs], float)
        recall[str(k)] = round(float(hits.sum() / max(sizes.sum(), 1)), 4)
        intervals[str(k)] = ratio_interval(hits, sizes)
    return {"judged": int(sizes.sum()), "recall": recall, "intervals": intervals}


def _hits(ranking: Sequence[Collection[str]], one: JudgedPassages) -> int:
    names = {name for found in ranking for name in found}
    return sum(name in names for name in one.wanted)


def ratio_interval(parts: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
    """Returns the 95 % percentile bootstrap interval of sum(parts) / sum(sizes) over questions.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if not sizes.sum():
        return 0.0, 0.0
    rows = np.random.default_rng(SEED).integers(0, len(sizes), (RESAMPLES, len(sizes)))
    ratios = parts[rows].sum(axis=1) / np.maximum(sizes[rows].sum(axis=1), 1e-9)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return round(float(low), 4), round(float(high), 4)


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the recall of an index as JSON."""
    from hdlgraph.project import Project

    parser = argparse.ArgumentParser("python -m hdlgraph.eval.documents.recall")
    parser.add_argument("questions", type=Path)
    parser.add_argument("index", type=Path)
    given = parser.parse_args(arguments)
    found = measure(Project.open(given.index), read_questions(given.questions))
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
