"""The questions that failed: what stood first instead of the right file, and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hdlgraph.eval.scores.causes import CAUSES
from hdlgraph.eval.scores.tables import LEADER, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hdlgraph.eval.scores.records import Evaluation, SystemResult
    from hdlgraph.eval.sets.questions import Question

LIMIT = 20
"""Questions that are named unless all are wanted."""
CHARS = 100
"""Characters of a question that are shown."""


def to_text(report: Evaluation, limit: int | None = LIMIT) -> str:
    """Returns causes and questions of hdlgraph, or of the last system where it did not run."""
    names = [result.name for result in report.systems]
    if not names:
        return ""
    name = LEADER if LEADER in names else names[-1]
    result, causes = report.system(name), report.causes.get(name, ())
    failed = [n for n, cause in enumerate(causes) if cause]
    if not failed:
        return f"{name}: no question failed\n"
    head = f"{name}: {len(failed)} of {report.n_questions} questions without a right file first"
    listed = failed[:limit]
    lines = [line for n in listed for line in miss(report.asked[n], result, n, causes[n])]
    if len(listed) < len(failed):
        lines.append(f"... and {len(failed) - len(listed)} more (--full names all)")
    return "\n".join([head, "", counted(causes), "", *lines]) + "\n"


def counted(causes: Iterable[str]) -> str:
    """Returns how many questions failed by each cause, as a table."""
    found = Counter(cause for cause in causes if cause)
    rows = [[CAUSES[cause], str(found[cause])] for cause in CAUSES if found[cause]]
    return table([["why", "questions"], *rows])


def miss(question: Question, result: SystemResult, number: int, cause: str) -> list[str]:
    """Returns the lines about one question that failed: what was asked, first, right, and why."""
    text = " ".join(question.text.split())
    asked = text if len(text) <= CHARS else text[: CHARS - 3] + "..."
    rank, paths = result.ranks[number], result.rankings[number].paths
    place = f"at {rank}" if rank else "not ranked"
    kind = f" ({question.kind})" if question.kind else ""
    return [
        f"{question.id}{kind}: {asked}",
        f"  first {paths[0] if paths else '(nothing)'}",
        f"  right {question.relevant[0]}, {place}: {CAUSES[cause]}",
    ]
