"""Run files: one evaluation as JSON (schema 2, see docs/json.md), written and read.

What is read is checked; keys that a record does not name are skipped. Keys of schema 1 stand where
they stood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.records import Evaluation, Ranking, SystemResult
from hdlgraph.eval.sets.questions import Question

SCHEMA = 2
LEADER = "hdlgraph"
TOP = 10
"""Paths of a ranking that the file keeps."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Name = Annotated[str, msgspec.Meta(min_length=1)]


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


class _Record(msgspec.Struct, frozen=True):
    """Base of the records; keys that it does not name are skipped."""


class Span(_Record, frozen=True):
    """A mean over questions and its 95 % interval."""

    mean: float
    low: float
    high: float


class Reason(_Record, frozen=True):
    """A line of evidence, from 1; 0 when it has none."""

    kind: str
    path: str
    line: Count
    text: str


class Placed(_Record, frozen=True):
    """One system on one question; a rank of 0 means that nothing right was ranked."""

    id: str
    rank: Count
    top: list[str]
    lenient_rank: Count = 0
    evidence: dict[str, list[Reason]] = {}


class SystemRun(_Record, frozen=True):
    """One system on all questions; seconds and megabytes are None where not measured."""

    name: Name
    measures: dict[str, Span]
    by_kind: dict[str, dict[str, float]]
    questions: list[Placed]
    setup_seconds: Amount
    query_seconds: Amount
    about: str = ""
    by_role: dict[str, dict[str, float]] = {}
    unit: dict[str, float] | None = None
    subgraph: dict[str, dict[str, float]] | None = None
    p50_seconds: Amount | None = None
    p99_seconds: Amount | None = None
    memory_mb: Amount | None = None
    model: dict[str, int] | None = None

    @property
    def ranks(self) -> list[int]:
        """The rank of the first right file per question."""
        return [place.rank for place in self.questions]

    def mean(self, key: str) -> float:
        """Returns a measure's mean over questions."""
        return self.measures[key].mean


class Judged(_Record, frozen=True):
    """A question with its judgements."""

    id: str
    question: str
    relevant: Annotated[list[str], msgspec.Meta(min_length=1)]
    equivalent: list[str] = []
    kind: str = ""
    role: str = ""


class Score(_Record, frozen=True):
    """Questions won, lost and tied."""

    wins: Count
    losses: Count
    ties: Count = 0


class Compared(_Record, frozen=True):
    """Two systems compared question by question, wins are those of `first`."""

    first: str
    second: str
    by_rank: Score
    at_1: Score
    p_mrr: float
    p_at_1: float


class NotRun(_Record, frozen=True):
    """A system that could not run."""

    name: str
    why: str = ""


class RunFile(_Record, frozen=True):
    """One run file."""

    name: Name
    questions: str
    n_questions: Count
    n_files: Count
    ks: Annotated[list[Annotated[int, msgspec.Meta(ge=1)]], msgspec.Meta(min_length=1)]
    depth: Annotated[int, msgspec.Meta(ge=1)]
    systems: Annotated[list[SystemRun], msgspec.Meta(min_length=1)]
    asked: Annotated[list[Judged], msgspec.Meta(min_length=1)]
    pairs: list[Compared] = []
    skipped: list[NotRun] = []
    restricted: bool = False
    field: str = "question"
    pool: str = ""
    corpus: str = ""
    explanations: str = ""
    date: str = ""
    machine: dict[str, str | int | float | None] = {}

    @property
    def leader(self) -> SystemRun:
        """The system that the page is about: hdlgraph, else the last one."""
        named = {system.name: system for system in self.systems}
        return named.get(LEADER, self.systems[-1])

    @property
    def baselines(self) -> list[SystemRun]:
        """The systems that are neither the leader nor a variant of it."""
        leader = self.leader.name
        return [s for s in self.systems if s.name != leader and not is_variant(s.name)]

    @property
    def variants(self) -> list[SystemRun]:
        """The leader's variants: hdlgraph-..."""
        return [s for s in self.systems if s.name != self.leader.name and is_variant(s.name)]

    @property
    def best_baseline(self) -> SystemRun | None:
        """The baseline with the highest recall@1, then MRR, then by name."""
        key = f"recall@{min(self.ks)}"
        ranked = sorted(self.baselines, key=lambda s: (-s.mean(key), -s.mean("mrr"), s.name))
        return ranked[0] if ranked else None


def is_variant(name: str) -> bool:
    """Returns whether a system is a variant of hdlgraph."""
    return name.startswith(f"{LEADER}-")


def read_runs(paths: Sequence[Path]) -> list[RunFile]:
    """Returns the runs of files in the order given.

    Raises:
        UsageError: no file, one that cannot be read or is not a run file of schema 2, or two
            runs of the same name; names file and key.
    """
    if not paths:
        raise UsageError("no run file named; `hdlgraph eval run QUESTIONS --json FILE` writes one")
    runs = []
    first: dict[str, Path] = {}
    for path in paths:
        run = read_run(Path(path))
        if run.name in first:
            raise UsageError(
                f"{path}: the run {run.name!r} is also in {first[run.name]}; leave one out, or "
                'give it another "name"'
            )
        first[run.name] = Path(path)
        runs.append(run)
    return runs


def read_run(path: Path) -> RunFile:
    """Returns the run of one file.

    Raises:
        UsageError: see `read_runs`.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}; check the path") from error
    except (ValueError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{path}: not JSON{place}; {_REMEDY}") from error
    found = data.get("schema") if isinstance(data, dict) else None
    if found != SCHEMA or isinstance(found, bool):
        excerpt = json.dumps(found)[:40] if isinstance(data, dict) else "no object"
        raise UsageError(f'{path}: "schema" is {excerpt}, not {SCHEMA}; {_REMEDY}')
    try:
        run = msgspec.convert(data, RunFile)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}; {_REMEDY}") from error
    _check(path, run)
    return run


_REMEDY = "name a file that `hdlgraph eval run --json FILE` or `hdlgraph eval suite` wrote"


def _check(path: Path, run: RunFile) -> None:
    ids = [asked.id for asked in run.asked]
    for key, values in (("asked", ids), ("systems", [s.name for s in run.systems])):
        again = sorted({value for value in values if values.count(value) > 1})
        if again:
            raise UsageError(f'{path}: "{key}" has {again[0]!r} twice; {_REMEDY}')
    if run.n_questions != len(ids):
        raise UsageError(f'{path}: "n_questions" is {run.n_questions}, "asked" has {len(ids)}')
    needed = [f"{kind}@{k}" for k in run.ks for kind in ("recall", "lenient")] + ["mrr", "ndcg@10"]
    for system in run.systems:
        missing = [key for key in needed if key not in system.measures]
        if missing:
            raise UsageError(
                f'{path}: system {system.name}: "measures" lacks "{missing[0]}"; {_REMEDY}'
            )
        if [place.id for place in system.questions] != ids:
            raise UsageError(
                f'{path}: system {system.name}: the ids of "questions" are not those of "asked", '
                f"in the same order; {_REMEDY}"
            )
    known = {system.name for system in run.systems}
    for pair in run.pairs:
        for name in (pair.first, pair.second):
            if name not in known:
                raise UsageError(f'{path}: "pairs" names {name!r}, which is no system of the run')
