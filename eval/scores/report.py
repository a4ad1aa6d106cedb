"""The results of an evaluation run as a JSON object and as text.

Source of the JSON's `schema` 2: docs/json.md. Keys of schema 1 stand where they stood.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from hdlgraph.eval.scores.records import Evaluation, Ranking, SystemResult
from hdlgraph.eval.scores.tables import to_text
from hdlgraph.eval.sets.questions import Question

from hdlgraph.errors import UsageError

SCHEMA = 2
TOP = 10
"""Paths of a ranking that the JSON keeps."""


class EvalReport(Evaluation):
    """What one evaluation run found, as JSON and as text."""

    __slots__ = ()

    def to_dict(self) -> dict:
        """Returns the documented JSON object (`schema` 2); intervals as {mean, low, high}."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "pool": self.pool,
            "corpus": self.corpus,
            "explanations": self.explanations,
            "questions": self.questions,
            "field": self.field,
            "n_questions": self.n_questions,
            "n_files": self.n_files,
            "restricted": self.restricted,
            "ks": list(self.ks),
            "depth": self.depth,
            "date": self.date,
            "machine": dict(self.machine),
            "systems": [self._system(result) for result in self.systems],
            "skipped": [{"name": name, "why": why} for name, why in self.skipped],
            "asked": [self._question(question) for question in self.asked],
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "by_rank": pair.by_rank._asdict(),
                    "at_1": pair.at_1._asdict(),
                    "p_mrr": round(pair.p_mrr, 4),
                    "p_at_1": round(pair.p_at_1, 4),
                }
                for pair in self.pairs
            ],
        }

    def to_text(self) -> str:
        """Returns the tables as plain text."""
        return to_text(self)

    def _question(self, question: Question) -> dict:
        return {
            "id": question.id,
            "question": question.text,
            "kind": question.kind,
            "role": self.roles.get(question.relevant[0], ""),
            "relevant": list(question.relevant),
            "equivalent": list(question.equivalent),
        }

    def _system(self, result: SystemResult) -> dict:
        memory = result.memory_mb
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
                    **_evidence(ranking),
                }
                for ranking, rank, lenient in zip(
                    result.rankings, result.ranks, result.lenient_ranks, strict=True
                )
            ],
        }


def _evidence(ranking: Ranking) -> dict:
    if not ranking.reasons:
        return {}
    return {"evidence": {path: list(found) for path, found in ranking.reasons.items()}}


def _rounded(found: Mapping[str, float]) -> dict[str, float]:
    return {
        key: value if isinstance(value, int) else round(value, 4) for key, value in found.items()
    }


def write_json(path: Path, data: Mapping) -> Path:
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
