"""Scores files for a question: one weighted sum of min-max scaled features.

score = sum over features f of weight_f * mm(f) + role + size, where mm scales a feature to
[0, 1] over the candidate files. Min-max sums keep the margin of a clear winner, which rank
fusion (RRF) throws away: .283 / .350 recall@1 against .53 on the development sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hdlgraph.query.features.dense import KINDS, Vectors
from hdlgraph.query.features.described import Described
from hdlgraph.query.features.graph import FileGraph
from hdlgraph.query.features.lexical import Lexicon
from hdlgraph.query.features.token_vectors import LateScores
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.question.scope import scope_match

POOL = 100
"""Files compared token by token: the best by all else."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the features, chosen on both development sets together (see README)."""

    text: float = 1.0
    window: float = 0.1
    phrase: float = 0.1
    declared: float = 0.05
    incoming: float = 0.05
    explanation: float = 0.75
    head: float = 0.3
    purpose: float = 0.4
    behaviour: float = 0.8
    late: float = 0.7
    structure: float = 0.3
    parents: float = 0.1
    neighbours: float = 0.1
    wanted_parent: float = 0.1
    instantiator: float = 3.0
    identifier: float = 1.5
    scope: float = 0.15
    testbench: float = -0.4
    verification: float = 0.2
    formal: float = 0.2
    lines: float = 0.04


WRITTEN = Weights(
    text=0.1,
    window=0.1,
    phrase=0.1,
    declared=0.0,
    incoming=0.05,
    explanation=1.2,
    head=0.1,
    purpose=1.0,
    behaviour=0.4,
    late=2.0,
    parents=0.05,
    neighbours=0.15,
    wanted_parent=0.2,
    scope=0.2,
    testbench=-0.3,
    lines=0.02,
)
"""Weights where a language model or a person wrote the explanations: they carry the question."""


@dataclass(slots=True)
class Features:
    """Raw feature arrays, float32 (n_files,), and where each stands (lines, surface rows)."""

    values: dict[str, np.ndarray] = field(default_factory=dict)
    window_line: np.ndarray | None = None
    rows: dict[str, np.ndarray] = field(default_factory=dict)
    named: dict[int, tuple[str, int]] = field(default_factory=dict)  # file -> (identifier, line)
    late: Callable[[np.ndarray], LateScores] | None = None  # scores files by token vectors
    described: Described | None = None  # files that are structures which the question describes


def scale(values: np.ndarray, candidates: np.ndarray | None) -> np.ndarray:
    """Returns `values` min-max scaled to [0, 1] over the candidate files."""
    chosen = values if candidates is None else values[candidates]
    if not len(chosen):
        return np.zeros_like(values)
    low, high = float(chosen.min()), float(chosen.max())
    if high <= low:
        return np.zeros_like(values)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def candidate_mask(candidates: np.ndarray | None, n_files: int) -> np.ndarray | None:
    """Returns the candidates as a bool mask (n_files,), None for all files."""
    if candidates is None:
        return None
    mask = np.zeros(n_files, bool)
    mask[candidates] = True
    return mask


def phrase_scores(lexicon: Lexicon, question: Question) -> np.ndarray:
    """Returns the idf sum of question term pairs (1 or 2 apart) that stand close in a file."""
    score = np.zeros(lexicon.n_files, np.float32)
    places = [lexicon.merged(group) for group in question.groups]
    for first in range(len(places)):
        for second in places[first + 1 : first + 3]:
            found = np.unique(lexicon.near_files(places[first], second, 2))
            if len(found):
                score[found] += lexicon.idf(len(found))
    return score


def lexical_features(
    lexicon: Lexicon, question: Question, candidates: np.ndarray | None = None
) -> Features:
    """Returns the features that need no vectors; statistics are those of the candidates."""
    groups = list(question.groups)
    mask = candidate_mask(candidates, lexicon.n_files)
    out = Features()
    out.values["text"] = lexicon.bm25(groups, "post", 1.5, 0.8, mask)
    out.values["window"], out.window_line = lexicon.windows.best(groups, 1.2, 0.5)
    out.values["phrase"] = phrase_scores(lexicon, question)
    for name in ("declared", "incoming", "explanation"):
        out.values[name] = lexicon.bm25(groups, name, 1.2, 0.6, mask)
    return out


def dense_features(vectors: Vectors, query: np.ndarray, n_files: int, features: Features) -> None:
    """Adds the best cosine per file for each kind of surface."""
    similarity = vectors.similarity(query)
    for kind in KINDS:
        score, row = vectors.best(similarity, kind, n_files)
        missing = np.isnan(score)
        if missing.all():
            continue
        score[missing] = float(np.nanmin(score))
        features.values[kind] = score
        features.rows[kind] = row


def combine(
    features: Features,
    question: Question,
    lexicon: Lexicon,
    graph: FileGraph | None,
    weights: Weights,
    hops: int,
    candidates: np.ndarray | None = None,
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Returns (score of every file, the weighted parts it is the sum of)."""
    parts: dict[str, np.ndarray] = {}
    for name, values in features.values.items():
        parts[name] = getattr(weights, name) * scale(values, candidates)
    base = np.sum(list(parts.values()), axis=0)
    if features.late is not None:
        parts["late"] = weights.late * _late_part(base, features, candidates)
        base = base + parts["late"]
    if features.described is not None:
        parts["structure"] = weights.structure * scale(features.described.score, candidates)
    if graph is not None and hops > 0 and graph.edges:
        parts.update(_graph_parts(base, question, graph, weights, candidates, hops))
    parts["role"] = role_prior(lexicon, question, weights)
    parts["size"] = -weights.lines * np.log1p(lexicon.n_lines)
    parts["scope"] = weights.scope * scope_match(lexicon, question.text)
    if features.named:
        named = np.zeros(lexicon.n_files, np.float32)
        named[list(features.named)] = weights.identifier
        if question.instantiates and graph is not None and hops > 0:
            named = np.maximum(0.2 * named, graph.children_max(named))
        parts["identifier"] = named
    return np.sum(list(parts.values()), axis=0), parts


def _late_part(base: np.ndarray, features: Features, candidates: np.ndarray | None) -> np.ndarray:
    """Returns the scaled late interaction of the POOL best files so far, 0 for the others."""
    assert features.late is not None
    numbers = np.arange(len(base)) if candidates is None else candidates
    pool = np.sort(numbers[np.argsort(-base[numbers], kind="stable")[:POOL]])
    out = np.zeros(len(base), np.float32)
    if len(pool):
        score, row = features.late(pool)
        out[pool] = scale(score, None)
        rows = np.full(len(base), -1, np.int64)
        rows[pool] = row
        features.rows["late"] = rows
    return out


def _graph_parts(
    base: np.ndarray,
    question: Question,
    graph: FileGraph,
    weights: Weights,
    candidates: np.ndarray | None,
    hops: int,
) -> dict[str, np.ndarray]:
    """Returns what neighbours add; the graph is for recall and relations, not a popularity vote."""
    scaled = scale(base, candidates)
    mask = candidate_mask(candidates, len(base))
    parents = graph.parents_mean(scaled, mask)
    around = graph.neighbours_mean(scaled, mask)
    if hops > 1:
        parents = parents + 0.5 * graph.parents_mean(parents, mask)
        around = around + 0.5 * graph.neighbours_mean(around, mask)
    parts = {"parents": weights.parents * parents, "neighbours": weights.neighbours * around}
    if question.instantiates:
        wanted = weights.instantiator * graph.children_max(scaled, mask) - scaled
        parts["wanted_parent"] = wanted
    elif question.parent:
        parts["wanted_parent"] = weights.wanted_parent * graph.children_max(scaled, mask)
    return parts


def role_prior(lexicon: Lexicon, question: Question, weights: Weights) -> np.ndarray:
    """Returns the role part: test files fall back unless the question is about verification."""
    roles = np.asarray(lexicon.roles)
    formal = roles == "formal"
    value = weights.verification if question.verification else weights.testbench
    out = np.where(formal | (roles == "testbench"), value, 0.0)
    if question.formal:
        out = out + np.where(formal, weights.formal, 0.0)
    return out.astype(np.float32)
