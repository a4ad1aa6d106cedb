"""The records of a run file: one evaluation on one question set, as `run_file` reads it.

Keys that a record does not name are skipped.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

LEADER = "hdlgraph"
"""The system that a report is about, where a run has it."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Name = Annotated[str, msgspec.Meta(min_length=1)]


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
