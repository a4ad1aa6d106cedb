"""Question sets by repository and kind beside the strongest plain method: rows, causes, losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hdlgraph.eval.scores.causes import CAUSES
from hdlgraph.eval.scores.measures import paired_p
from hdlgraph.eval.scores.records import Evaluation
from hdlgraph.eval.scores.tables import chance, number, table

KS = (1, 5, 20)
OWN = "hdlgraph"
ALL = "all"
"""What a row is called that stands for all kinds of a repository, or for all repositories."""
LIMIT = 20
"""Lost questions that are named unless all are wanted."""
SIDES = ("lost", "won", "both")
"""Questions that only the plain method, that only hdlgraph, and that neither has first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One repository and kind: means of both systems by measure, and the test at rank 1.

    `won` and `lost` are questions that only hdlgraph and only the plain method have right first;
    `p` is of the paired bootstrap over recall@1 and `p_last` over recall at the greatest cutoff.
    """

    repository: str
    kind: str
    n: int
    own: dict[str, float]
    plain: dict[str, float]
    won: int
    lost: int
    p: float
    p_last: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question that at least one of both failed; `cause` is of the one that failed.

    `side` is one of SIDES; `first` stood first of the one that failed, `rank` is the right file's.
    """

    repository: str
    kind: str
    id: str
    question: str
    side: str
    cause: str
    first: str
    right: str
    rank: int


@dataclass(frozen=True, slots=True)
class KindsReport:
    """Several sets asked of hdlgraph and one plain method; `to_dict()` is the JSON contract."""

    against: str
    rows: tuple[Row, ...]
    outcomes: tuple[Outcome, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {
            "schema": 1,
            "systems": [OWN, self.against],
            "rows": [asdict(row) for row in self.rows],
            "causes": {side: _counts(self.outcomes, side) for side in SIDES},
            "questions": [asdict(one) for one in self.outcomes],
        }

    def to_text(self, full: bool = False) -> str:
        """Returns the tables and the lost questions; all measures and questions with `full`."""
        lost = [one for one in self.outcomes if one.side == "lost" or full]
        listed = lost if full else lost[:LIMIT]
        lines = [line for one in listed for line in _outcome_row(one)]
        if len(listed) < len(lost):
            lines.append(f"... and {len(lost) - len(listed)} more (--full names all)")
        head = f"recall of hdlgraph and of {self.against}; p: paired bootstrap at rank 1"
        parts = [f"{head}\n{_table(self.rows, full)}", _causes(self.outcomes)]
        if lines:
            parts.append("\n".join([f"lost to {self.against}:" if not full else "failed:", *lines]))
        return "\n\n".join(filter(None, parts)) + "\n"


def kinds_report(reports: Mapping[str, Evaluation], against: str) -> KindsReport:
    """Returns the rows of evaluations by the name of their repository, with what failed.

    After the kinds of a repository comes a row of all of them, at the end each kind over all
    repositories; a pooled row is the mean over its questions.
    """
    asked = [_Asked.of(name, report, against, n) for name, report in reports.items()
             for n in range(report.n_questions)]  # fmt: skip
    rows = []
    for name in reports:
        own = [one for one in asked if one.repository == name]
        rows += [_row(name, kind, own) for kind in _kinds(own)]
    if len(reports) > 1:
        rows += [_row(ALL, kind, asked) for kind in _kinds(asked)]
    return KindsReport(against, tuple(rows), tuple(one.outcome for one in asked if one.outcome))


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: what both systems reached."""

    repository: str
    kind: str
    own: dict[str, float]
    plain: dict[str, float]
    outcome: Outcome | None

    @classmethod
    def of(cls, name: str, report: Evaluation, against: str, n: int) -> _Asked:
        """Returns question number `n` of a report."""
        own, plain = report.system(OWN), report.system(against)
        values = [{key: of[n] for key, of in one.values.items()} for one in (own, plain)]
        question, first = report.asked[n], (own.ranks[n] == 1, plain.ranks[n] == 1)
        outcome = None
        if first != (True, True):
            side = "won" if first[0] else "lost" if first[1] else "both"
            failed = plain if side == "won" else own
            paths = failed.rankings[n].paths
            outcome = Outcome(
                *(name, question.kind, question.id, question.text, side),
                *(report.causes[failed.name][n], paths[0] if paths else ""),
                *(question.relevant[0], failed.ranks[n]),
            )
        return cls(name, question.kind, values[0], values[1], outcome)


def _kinds(asked: Sequence[_Asked]) -> list[str]:
    """Returns the kinds in order, and ALL where there are several."""
    kinds = sorted({one.kind for one in asked})
    return [*kinds, ALL] if len(kinds) > 1 else kinds


def _row(repository: str, kind: str, asked: Sequence[_Asked]) -> Row:
    held = [one for one in asked if kind in (ALL, one.kind)]
    own, plain = [one.own for one in held], [one.plain for one in held]
    last = f"recall@{max(KS)}"
    sides = Counter(one.outcome.side for one in held if one.outcome)
    p, p_last = (
        paired_p([v[key] for v in own], [v[key] for v in plain]) for key in ("recall@1", last)
    )
    return Row(
        *(repository, kind, len(held), _means(own), _means(plain)),
        *(sides["won"], sides["lost"], round(p, 4), round(p_last, 4)),
    )


def _means(values: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: round(sum(v[key] for v in values) / len(values), 4) for key in values[0]}


def _table(rows: Sequence[Row], full: bool) -> str:
    keys = [f"recall@{k}" for k in KS]
    if full:
        keys += [*(f"lenient@{k}" for k in KS), "mrr", "ndcg@10"]
    head = ["repository", "kind", "n"]
    head += [cell for key in keys for cell in (key.replace("recall", ""), "plain", "diff")]
    cells = [[*head, "won", "lost", "p", *([f"p @{max(KS)}"] if full else [])]]
    for row in rows:
        line = [row.repository, row.kind or "-", str(row.n)]
        for key in keys:
            own, plain = row.own[key], row.plain[key]
            line += [number(own), number(plain), f"{own - plain:+.3f}".replace("0.", ".", 1)]
        tests = [chance(row.p), *([chance(row.p_last)] if full else [])]
        cells.append([*line, str(row.won), str(row.lost), *tests])
    return table(cells)


def _counts(outcomes: Iterable[Outcome], side: str) -> dict[str, int]:
    found = Counter(one.cause for one in outcomes if one.side == side)
    return {cause: found[cause] for cause in CAUSES if found[cause]}


def _causes(outcomes: Sequence[Outcome]) -> str:
    counts = {side: _counts(outcomes, side) for side in SIDES}
    rows = [["why the right file is not first", "lost", "won", "neither"]]
    for cause, why in CAUSES.items():
        found = [counts[side].get(cause, 0) for side in SIDES]
        if any(found):
            rows.append([why, *map(str, found)])
    note = (
        "lost: the plain method alone has it first; won: hdlgraph alone, and the cause is of the\n"
        "plain method's order; neither: both fail, and the cause is of hdlgraph's order"
    )
    return f"{note}\n{table(rows)}" if len(rows) > 1 else ""


def _outcome_row(one: Outcome) -> list[str]:
    text = " ".join(one.question.split())
    asked = text if len(text) <= 100 else text[:97] + "..."
    place = f"at {one.rank}" if one.rank else "not ranked"
    return [
        f"{one.id} ({one.kind or '-'}, {one.side}): {asked}",
        f"  first {one.first or '(nothing)'}",
        f"  right {one.right}, {place}: {CAUSES.get(one.cause, one.cause)}",
    ]
