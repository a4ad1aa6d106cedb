"""What an evaluation found: records, JSON, a plain table, and TREC files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from hdlgraph.eval.measures import Duel, Interval
from hdlgraph.eval.questions import Question


@dataclass(frozen=True, slots=True)
class Ranking:
    """One system's answer to one question: paths, best first, and the seconds it took."""

    id: str
    paths: tuple[str, ...]
    seconds: float


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
class SystemResult:
    """One system on all questions.

    `measures` has recall@k, lenient@k, success@k, mrr and ndcg@10 with 95 % intervals; `values` the
    same per question; `ranks` the rank of the first relevant file (0: not ranked). Seconds:
    `setup` once, `query` mean per question. `model` is None for systems without one.
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
class EvalReport:
    """One evaluation run; `to_dict()` is the JSON contract."""

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

    def system(self, name: str) -> SystemResult:
        """Returns the result of one system (KeyError if it did not run)."""
        return {result.name: result for result in self.systems}[name]

    def to_dict(self) -> dict:
        """Returns the documented JSON object (`schema` 1); intervals as {mean, low, high}."""
        return {
            "schema": 1,
            "questions": self.questions,
            "field": self.field,
            "n_questions": self.n_questions,
            "n_files": self.n_files,
            "restricted": self.restricted,
            "ks": list(self.ks),
            "depth": self.depth,
            "systems": [_system_dict(result, self.asked) for result in self.systems],
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
        parts = [self._head(), self._main_table()]
        if self.several_relevant:
            parts.append(self._success_table())
        if any(result.model for result in self.systems):
            parts.append(self._model_table())
        if self.pairs:
            parts.append(self._pairs_table())
        return "\n\n".join(parts) + "\n"

    def _head(self) -> str:
        scope = "restricted to the corpus list" if self.restricted else "the whole index"
        return (
            f"{self.n_questions} questions ({self.questions}, field {self.field}), "
            f"{self.n_files} files ({scope})\n"
            "recall@k = share of the relevant files among the first k; lenient: equivalent files "
            f"count;\n[..] 95 % bootstrap interval over questions; MRR cut at rank {self.depth}"
        )

    def _main_table(self) -> str:
        keys = [f"recall@{k}" for k in self.ks] + [f"lenient@{k}" for k in self.ks]
        rows = [["system", *keys, "MRR", "nDCG@10", "ms/query", "setup s"]]
        for result in self.systems:
            cells = [_interval(result.measures[key]) for key in keys]
            rows.append(
                [
                    result.name,
                    *cells,
                    _interval(result.measures["mrr"]),
                    _number(result.measures["ndcg@10"].mean),
                    f"{result.query_seconds * 1000:.1f}",
                    f"{result.setup_seconds:.1f}",
                ]
            )
        return table(rows)

    def _success_table(self) -> str:
        rows = [["system", *(f"success@{k}" for k in self.ks)]]
        rows += [
            [r.name, *(_interval(r.measures[f"success@{k}"]) for k in self.ks)]
            for r in self.systems
        ]
        note = "success@k = share of questions with any relevant file among the first k"
        return f"{note}\n{table(rows)}"

    def _model_table(self) -> str:
        rows = [["system", "calls", "stored", "input tokens/call", "output", "fell back"]]
        for result in self.systems:
            if result.model is None:
                continue
            used = result.model
            rows.append(
                [
                    result.name,
                    str(used.calls),
                    str(used.stored),
                    f"{used.input_tokens / max(used.calls, 1):.0f}",
                    f"{used.output_tokens / max(used.calls, 1):.0f}",
                    f"{used.failed} of {self.n_questions}",
                ]
            )
        note = "language model: calls sent, stored answers, tokens, questions it did not help"
        return f"{note}\n{table(rows)}"

    def _pairs_table(self) -> str:
        rows = [["first", "second", "better rank", "worse", "p (MRR)", "won @1", "lost", "p (@1)"]]
        for pair in self.pairs:
            by_rank, at_1 = pair.by_rank, pair.at_1
            rows.append(
                [
                    pair.first,
                    pair.second,
                    str(by_rank.wins),
                    str(by_rank.losses),
                    f"{pair.p_mrr:.3f}",
                    str(at_1.wins),
                    str(at_1.losses),
                    f"{pair.p_at_1:.3f}",
                ]
            )
        return "wins and losses of the first against the second, paired bootstrap\n" + table(rows)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as aligned columns, the first row as head; the first column left-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * len(max(lines, key=len)))
    return "\n".join(lines)


def write_trec(report: EvalReport, folder: Path) -> list[Path]:
    """Writes qrels.txt, qrels-lenient.txt and one run-SYSTEM.txt per system; returns the paths.

    `ir_measures qrels.txt run-hdlgraph.txt Success@1 RR R@10 nDCG@10` gives the strict figures.
    Spaces in paths become %20, since TREC fields are separated by spaces.
    """
    folder.mkdir(parents=True, exist_ok=True)
    strict, lenient = [], []
    for question in report.asked:
        rows = [f"{question.id} 0 {_field(path)} 1\n" for path in question.relevant]
        strict += rows
        lenient += rows
        lenient += [f"{question.id} 0 {_field(path)} 1\n" for path in question.equivalent]
    written = [folder / "qrels.txt", folder / "qrels-lenient.txt"]
    for path, lines in zip(written, (strict, lenient), strict=True):
        path.write_text("".join(lines), encoding="utf-8")
    for result in report.systems:
        path = folder / f"run-{result.name.replace(':', '-')}.txt"
        path.write_text("".join(_run_lines(result)), encoding="utf-8")
        written.append(path)
    return written


def _run_lines(result: SystemResult) -> list[str]:
    # Scores fall by rank: other tools break ties in their own ways.
    return [
        f"{ranking.id} Q0 {_field(path)} {rank} {1 / rank:.6f} {result.name}\n"
        for ranking in result.rankings
        for rank, path in enumerate(ranking.paths, 1)
    ]


def _field(path: str) -> str:
    return path.replace(" ", "%20")


def _system_dict(result: SystemResult, asked: Sequence[Question]) -> dict:
    return {
        "name": result.name,
        "measures": {
            key: {name: round(value, 4) for name, value in found._asdict().items()}
            for key, found in result.measures.items()
        },
        "by_kind": {
            kind: {key: round(value, 4) for key, value in found.items()}
            for kind, found in result.by_kind.items()
        },
        "setup_seconds": round(result.setup_seconds, 3),
        "query_seconds": round(result.query_seconds, 5),
        "model": asdict(result.model) if result.model else None,
        "questions": [
            {"id": question.id, "rank": rank, "top": list(ranking.paths[:10])}
            for question, rank, ranking in zip(asked, result.ranks, result.rankings, strict=True)
        ],
    }


def _interval(found: Interval) -> str:
    return f"{_number(found.mean)} [{_number(found.low)}-{_number(found.high)}]"


def _number(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1.00"
