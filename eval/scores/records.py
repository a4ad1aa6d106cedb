"""What an evaluation keeps: rankings, results of systems, comparisons of two, and the whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from hdlgraph.eval.scores.measures import Duel, Interval
from hdlgraph.eval.sets.questions import Question

Reasons = Mapping[str, tuple[dict[str, Any], ...]]
"""Evidence of one question by path: {"kind", "path", "line", "text"}, lines from 1."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One system's answer to one question: paths, best first, and the seconds it took.

    `reasons` is the evidence for the first path and for the right ones among them, where the
    system gives any; `lines` the line (from 1) that the system opens of a path, where it knows.
    `copies` are the files that a path stands for besides itself, where a system folds such.
    """

    id: str
    paths: tuple[str, ...]
    seconds: float
    reasons: Reasons = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for all questions of one system.

    `calls` were sent and took the tokens; `stored` were answered by an earlier run for nothing.
    `failed` questions fell back to the plain search.
    """

    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failed: int = 0

    def __add__(self, other: ModelUse) -> ModelUse:
        """Returns the sum of both."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return ModelUse(*(mine + theirs for mine, theirs in pairs))


@dataclass(frozen=True, slots=True)
class Raw:
    """What running one system gave, before anything is measured.

    `setup` is in seconds; `memory_mb` the peak resident memory of its process (10^6 bytes), None
    when it shared one with others.
    """

    name: str
    rankings: tuple[Ranking, ...]
    setup: float
    used: ModelUse | None = None
    memory_mb: float | None = None


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system on all questions.

    `measures` has recall@k, lenient@k, success@k, mrr and ndcg@10 with 95 % intervals; `values` the
    same per question; `ranks` the rank of the first relevant file (0: not ranked), `lenient_ranks`
    that of the first relevant or equivalent one. `by_kind` and `by_role` have n, recall@k and mrr
    of each kind of question and each role of its first right file. `unit` and `subgraph` are the
    scores of `hdlgraph.eval.scores.units`, None without a graph. Seconds: `setup` once, `query`
    mean per question, `p50` and `p99` its percentiles. `model` is None for systems without one.
    """

    name: str
    measures: dict[str, Interval]
    by_kind: dict[str, dict[str, float]]
    rankings: tuple[Ranking, ...]
    ranks: tuple[int, ...]
    values: dict[str, list[float]]
    setup_seconds: float
    query_seconds: float
    model: ModelUse | None = None
    about: str = ""
    by_role: dict[str, dict[str, float]] = field(default_factory=dict)
    lenient_ranks: tuple[int, ...] = ()
    unit: dict[str, float] | None = None
    subgraph: dict[str, dict[str, float]] | None = None
    p50_seconds: float = 0.0
    p99_seconds: float = 0.0
    memory_mb: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the same questions: wins, losses, ties of `first`, and bootstrap p."""

    first: str
    second: str
    by_rank: Duel
    at_1: Duel
    p_mrr: float
    p_at_1: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one evaluation run found.

    `explanations` says who wrote those of the candidates: deterministic, written or mixed.
    `roles` has the role of each judged path. `skipped` are systems that could not run, with why.
    Runs of one `pool` are compared together as well; "" is none. `causes` says for each system and
    question why another file stood first (`hdlgraph.eval.scores.causes`), "" where none did.
    """

    questions: str
    field: str
    n_questions: int
    n_files: int
    restricted: bool
    ks: tuple[int, ...]
    depth: int
    systems: tuple[SystemResult, ...]
    pairs: tuple[Pair, ...]
    several_relevant: bool
    asked: tuple[Question, ...]
    name: str = ""
    pool: str = ""
    corpus: str = ""
    explanations: str = "deterministic"
    date: str = ""
    machine: Mapping[str, object] = dataclasses.field(default_factory=dict)
    roles: Mapping[str, str] = dataclasses.field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()
    causes: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    def system(self, name: str) -> SystemResult:
        """Returns the result of one system (KeyError if it did not run)."""
        return {result.name: result for result in self.systems}[name]
