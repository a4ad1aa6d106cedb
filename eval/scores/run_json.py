"""An evaluation as the JSON object of a run file, and JSON written to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.records import Evaluation, Ranking, SystemResult
from hdlgraph.eval.sets.questions import Question

SCHEMA = 2
TOP = 10
"""Paths of a ranking that the file keeps."""


def to_dict(report: Evaluation) -> dict[str, Any]:
    """Returns the documented JSON object (`schema` 2); intervals as {mean, low, high}."""
    return {
        "schema": SCHEMA,
        "name": report.name,
        "pool": report.pool,
        "corpus": report.corpus,
        "explanations": report.explanations,
        "questions": report.questions,
        "field": report.field,
        "n_questions": report.n_questions,
        "n_files": report.n_files,
        "restricted": report.restricted,
        "ks": list(report.ks),
        "depth": report.depth,
        "date": report.date,
        "machine": dict(report.machine),
        "systems": [_system(result, report.causes.get(result.name)) for result in report.systems],
        "skipped": [{"name": name, "why": why} for name, why in report.skipped],
        "asked": [_question(report, question) for question in report.asked],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "by_rank": pair.by_rank._asdict(),
                "at_1": pair.at_1._asdict(),
                "p_mrr": round(pair.p_mrr, 4),
                "p_at_1": round(pair.p_at_1, 4),
            }
            for pair in report.pairs
        ],
    }


def _question(report: Evaluation, question: Question) -> dict[str, Any]:
    return {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "role": report.roles.get(question.relevant[0], ""),
        "relevant": list(question.relevant),
        "equivalent": list(question.equivalent),
    }


def _system(result: SystemResult, causes: Sequence[str] | None) -> dict[str, Any]:
    memory = result.memory_mb
    reasons = causes or [""] * len(result.rankings)
    return {
        "name": result.name,
        "about": result.about,
        "measures": {key: _rounded(m._asdict()) for key, m in result.measures.items()},
        "by_kind": {kind: _rounded(found) for kind, found in result.by_kind.items()},
        "by_role": {role: _rounded(found) for role, found in result.by_role.items()},
        "unit": None if result.unit is None else _rounded(result.unit),
        "subgraph": None
        if result.subgraph is None
        else {hops: _rounded(found) for hops, found in result.subgraph.items()},
        "setup_seconds": round(result.setup_seconds, 3),
        "query_seconds": round(result.query_seconds, 5),
        "p50_seconds": round(result.p50_seconds, 5),
        "p99_seconds": round(result.p99_seconds, 5),
        "memory_mb": None if memory is None else round(memory, 1),
        "model": asdict(result.model) if result.model else None,
        "questions": [
            {
                "id": ranking.id,
                "rank": rank,
                "lenient_rank": lenient,
                "top": list(ranking.paths[:TOP]),
                "seconds": round(ranking.seconds, 5),
                **({"cause": cause} if cause else {}),
                **_evidence(ranking),
            }
            for ranking, rank, lenient, cause in zip(
                result.rankings, result.ranks, result.lenient_ranks, reasons, strict=True
            )
        ],
    }


def _evidence(ranking: Ranking) -> dict[str, Any]:
    if not ranking.reasons:
        return {}
    return {"evidence": {path: list(found) for path, found in ranking.reasons.items()}}


def _rounded(found: Mapping[str, float]) -> dict[str, float]:
    return {
        key: value if isinstance(value, int) else round(value, 4) for key, value in found.items()
    }


def write_json(path: Path, data: Mapping[str, Any]) -> Path:
    """Writes a JSON object to a file and returns its path.

    Raises:
        UsageError: it cannot be written.
    """
    text = json.dumps(data, indent=1, ensure_ascii=False)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another file") from error
    return path


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Writes JSON objects to a file, one a line, and returns its path.

    Raises:
        UsageError: it cannot be written.
    """
    text = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in records)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another file") from error
    return path
