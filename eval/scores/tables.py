"""The tables of an evaluation as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdlgraph.eval.scores.measures import Interval
    from hdlgraph.eval.scores.records import Evaluation

LEADER = "hdlgraph"
MANY = 6
"""Systems beyond which only the pairs with the leader are shown; the JSON has all."""


def to_text(report: Evaluation) -> str:
    """Returns all tables of a report as plain text."""
    parts = [_head(report), _main(report), _cost(report)]
    if report.several_relevant:
        parts.append(_success(report))
    parts += [_groups(report, "kind"), _groups(report, "role"), _around(report)]
    if any(result.model for result in report.systems):
        parts.append(_model(report))
    if report.pairs:
        parts.append(_pairs(report))
    parts += [f"not run: {name}: {why}" for name, why in report.skipped]
    return "\n\n".join(filter(None, parts)) + "\n"


def short(report: Evaluation) -> str:
    """Returns the tables that are read first: recall, MRR, time; by kind; against the leader."""
    keys = [f"recall@{k}" for k in report.ks]
    rows = [["system", *keys, "MRR", "ms/query"]]
    for result in report.systems:
        cells = [number(result.measures[key].mean) for key in (*keys, "mrr")]
        rows.append([result.name, *cells, f"{result.query_seconds * 1000:.1f}"])
    asked = f"{report.n_questions} questions ({report.questions}), {report.n_files} files"
    parts = [f"{asked}; --full tells all measures\n{table(rows)}", _kinds(report)]
    led = [pair for pair in report.pairs if pair.first == LEADER]
    if led:
        rows = [["hdlgraph at rank 1 against", "won", "lost", "p"]]
        rows += [
            [pair.second, str(pair.at_1.wins), str(pair.at_1.losses), chance(pair.p_at_1)]
            for pair in led
        ]
        parts.append(table(rows))
    parts += [f"not run: {name}: {why}" for name, why in report.skipped]
    return "\n\n".join(filter(None, parts)) + "\n"


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


def number(value: float) -> str:
    """Returns a share as `.123`, and 1 as `1.00`."""
    text = f"{value:.3f}"
    return text.removeprefix("0") if text < "1" else "1.00"


def chance(p: float, digits: int = 3) -> str:
    """Returns a p-value, never as 0: `.034`, or `<.001` where its digits do not show it."""
    least = 10.0**-digits
    text = f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"
    return text.replace("0.", ".", 1)


def interval(found: Interval) -> str:
    """Returns a mean and its bounds as `.123 [.045-.210]`."""
    return f"{number(found.mean)} [{number(found.low)}-{number(found.high)}]"


def _head(report: Evaluation) -> str:
    scope = "restricted to the corpus list" if report.restricted else "the whole index"
    return (
        f"{report.n_questions} questions ({report.questions}, field {report.field}), "
        f"{report.n_files} files ({scope}), explanations {report.explanations}\n"
        "recall@k = share of the relevant files among the first k; lenient: equivalent files "
        f"count;\n[..] 95 % bootstrap interval over questions; MRR cut at rank {report.depth}"
    )


def _main(report: Evaluation) -> str:
    keys = [f"recall@{k}" for k in report.ks] + [f"lenient@{k}" for k in report.ks]
    rows = [["system", *keys, "MRR", "nDCG@10"]]
    for result in report.systems:
        cells = [interval(result.measures[key]) for key in (*keys, "mrr")]
        rows.append([result.name, *cells, number(result.measures["ndcg@10"].mean)])
    return table(rows)


def _cost(report: Evaluation) -> str:
    rows = [["system", "ms/query", "median", "p99", "setup s", "peak MB"]]
    for result in report.systems:
        spans = (result.query_seconds, result.p50_seconds, result.p99_seconds)
        cells = [f"{seconds * 1000:.1f}" for seconds in spans]
        memory = "-" if result.memory_mb is None else f"{result.memory_mb:.0f}"
        rows.append([result.name, *cells, f"{result.setup_seconds:.1f}", memory])
    return table(rows)


def _success(report: Evaluation) -> str:
    keys = [f"success@{k}" for k in report.ks]
    rows = [["system", *keys]]
    rows += [[r.name, *(interval(r.measures[key]) for key in keys)] for r in report.systems]
    note = "success@k = share of questions with any relevant file among the first k"
    return f"{note}\n{table(rows)}"


def _groups(report: Evaluation, of: str) -> str:
    """Returns recall at the least and the greatest cutoff by kind or by role, "" without any."""
    groups = [getattr(result, f"by_{of}") for result in report.systems]
    names = sorted(groups[0]) if groups else []
    if not names or (of == "role" and names == [""]):
        return ""
    first, last = min(report.ks), max(report.ks)
    what = "kind of question" if of == "kind" else "role of the right file"
    note = f"recall@{first} and recall@{last} by {what} (its number of questions)"
    head = ["system", *(f"{name or '?'} ({groups[0][name]['n']:.0f})" for name in names)]
    rows = [head]
    for result, found in zip(report.systems, groups, strict=True):
        cells = [
            f"{number(found[name][f'recall@{first}'])} {number(found[name][f'recall@{last}'])}"
            for name in names
        ]
        rows.append([result.name, *cells])
    return f"{note}\n{table(rows)}"


def _kinds(report: Evaluation) -> str:
    """Returns recall at the least and the greatest cutoff, a row for each kind of question."""
    names = sorted(report.systems[0].by_kind) if report.systems else []
    if len(names) < 2:
        return ""
    first, last = min(report.ks), max(report.ks)
    rows = [["kind", "questions", *(result.name for result in report.systems)]]
    for name in names:
        found = [result.by_kind[name] for result in report.systems]
        cells = [f"{number(of[f'recall@{first}'])} {number(of[f'recall@{last}'])}" for of in found]
        rows.append([name, f"{found[0]['n']:.0f}", *cells])
    return f"recall@{first} and recall@{last} by kind of question\n{table(rows)}"


def _around(report: Evaluation) -> str:
    """Returns the scores beside the file level; "" when there are none."""
    rows = [["system", *(f"unit@{k}" for k in report.ks)]]
    rows[0] += [f"h={h} @{k}" for h in (1, 2) for k in report.ks]
    for result in report.systems:
        if result.unit is None or result.subgraph is None:
            continue
        cells = [number(result.unit[f"recall@{k}"]) for k in report.ks]
        for found in result.subgraph.values():
            cells += [
                f"{number(found[f'@{k}'])} ({100 * found[f'coverage@{k}']:.0f} %)"
                for k in report.ks
            ]
        rows.append([result.name, *cells])
    if len(rows) == 1:
        return ""
    note = (
        "unit@k = share of right modules, packages, interfaces among the first k;\n"
        "h=1, h=2 @k = share of right files within h file-graph hops of the first k files "
        "(mean share of the corpus that lies there)"
    )
    return f"{note}\n{table(rows)}"


def _model(report: Evaluation) -> str:
    rows = [["system", "calls", "stored", "input tokens/call", "output", "fell back"]]
    for result in report.systems:
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
                f"{used.failed} of {report.n_questions}",
            ]
        )
    note = "language model: calls sent, stored answers, tokens, questions it did not help"
    return f"{note}\n{table(rows)}"


def _pairs(report: Evaluation) -> str:
    rows = [["first", "second", "better rank", "worse", "p (MRR)", "won @1", "lost", "p (@1)"]]
    pairs = report.pairs
    if len(report.systems) > MANY:
        pairs = tuple(p for p in pairs if LEADER in (p.first, p.second)) or pairs
    for pair in pairs:
        at_1 = [str(pair.at_1.wins), str(pair.at_1.losses), chance(pair.p_at_1)]
        by_rank = [str(pair.by_rank.wins), str(pair.by_rank.losses), chance(pair.p_mrr)]
        rows.append([pair.first, pair.second, *by_rank, *at_1])
    return "wins and losses of the first against the second, paired bootstrap\n" + table(rows)
