"""TREC run and qrels files, so that other tools (ir_measures, trec_eval) can repeat the figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    from hdlgraph.eval.scores.records import Evaluation, SystemResult


def write_trec(report: Evaluation, folder: Path) -> list[Path]:
    """Writes qrels.txt, qrels-lenient.txt and run-SYSTEM.txt for tools such as ir_measures.

    The lenient qrels count equivalent files as relevant. `ir_measures qrels.txt run-SYSTEM.txt
    Success@1 R@10 RR nDCG@10` gives success@1, recall@10, mrr and ndcg@10 of the table; with the
    lenient qrels Success@k is lenient@k where every question has one relevant file, while R@k
    is another figure (it divides by the equivalent files too). Blanks and % in paths are
    percent-encoded, since the format separates fields by blanks.

    Raises:
        UsageError: the folder cannot be written.
    """
    strict, lenient = [], []
    for question in report.asked:
        rows = [f"{question.id} 0 {_field(path)} 1\n" for path in question.relevant]
        strict += rows
        lenient += rows
        lenient += [f"{question.id} 0 {_field(path)} 1\n" for path in question.equivalent]
    texts = {"qrels.txt": strict, "qrels-lenient.txt": lenient}
    for result in report.systems:
        texts[f"run-{result.name.replace(':', '-')}.txt"] = _run_lines(result)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in texts.items():
            (folder / name).write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}; choose another folder") from (
            error
        )
    return [folder / name for name in texts]


def _run_lines(result: SystemResult) -> list[str]:
    # Scores fall by rank: other tools break ties in their own ways. Nine digits keep them apart
    # up to rank 30,000.
    return [
        f"{ranking.id} Q0 {_field(path)} {rank} {1 / rank:.9f} {result.name}\n"
        for ranking in result.rankings
        for rank, path in enumerate(ranking.paths, 1)
    ]


def _field(path: str) -> str:
    return re.sub(r"[\s%]", lambda found: f"%{ord(found[0]):02X}", path)
