"""The table of the paper's protocol as text and JSON, with what is known of the paper's own."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.eval.protocols.samples import BASELINE, Sample, SampledRuns
from hdlgraph.eval.scores import measures
from hdlgraph.eval.scores.tables import table

if TYPE_CHECKING:
    from hdlgraph.eval.scores.records import SystemResult

PAPER_QUESTIONS = 29
PAPER_RECALL = (0.59, 0.79)
"""Recall@1 strict and lenient that the paper reports for GraphRAG over explanations, at best."""
PAPER_RANGE = 0.55
PAPER_BASELINE = 0.31
"""Recall@1 of GraphRAG over explanations at worst, and of the baseline; samples not known here."""

PAPER_ROWS = (
    "TF-IDF + embedding over code",
    "TF-IDF + embedding over explanations",
    "GraphRAG over explanations",
)

PAPER: dict[tuple[str, str], tuple[float, float]] = {}
"""(row, sample name) to recall@1 strict and lenient: the cells of the paper's table that this
project knows. Its sources give none of the nine; nothing is filled in from memory.
"""

DIFFERENCES = f"""\
Differences in setting. The paper asks {PAPER_QUESTIONS} private questions, over explanations that a
language model wrote; here all {{questions}} questions over {{files}} files can be repeated by
anybody, and {{written}} of these files have an explanation written by a model, the others the
built-in one, made without a model. So the protocol is the same, but no cell can be compared with a
cell. Of the paper's figures these are known here, without their samples: {PAPER_BASELINE:.0%} for
its baseline, {PAPER_RANGE:.0%} to {PAPER_RECALL[0]:.0%} for GraphRAG over explanations,
{PAPER_RECALL[1]:.0%} of it lenient; "-" is a cell that is not known. The questions here were
written from the sources by one reader with the help of a language model; one question is
{{point:.1f}} points. Distractors are the best wrong files of
{{baseline}} over all files, the same for every system. They are that system's own mistakes: in the
samples its wrong first files all stay, those of others may be missing. Baselines take their
statistics from the candidates alone, hdlgraph its word statistics from the whole index."""


def to_text(found: SampledRuns) -> str:
    """Returns the tables and the differences in setting as plain text."""
    head = (
        f"The paper's protocol on {found.questions}: {found.n_questions} questions, "
        "recall@1 strict / lenient"
    )
    parts = [head, _main(found), _more(found)]
    if len(found.systems) > 1:
        parts.append(_duels(found))
    parts.append(textwrap.fill(differences(found), 100))
    return "\n\n".join(parts) + "\n"


def differences(found: SampledRuns) -> str:
    """Returns the paragraph on what differs from the paper, on one line."""
    everything = found.samples[0]
    return " ".join(
        DIFFERENCES.format(
            questions=found.n_questions,
            files=len(everything.files),
            written=everything.written,
            point=100 / found.n_questions,
            baseline=BASELINE,
        ).split()
    )


def to_dict(found: SampledRuns) -> dict[str, Any]:
    """Returns the JSON object: the paper's known figures, samples with paths, measures, wins."""
    return {
        "schema": 1,
        "questions": found.questions,
        "field": found.field,
        "n_questions": found.n_questions,
        "baseline": BASELINE,
        "paper": {
            "n_questions": PAPER_QUESTIONS,
            "recall@1": PAPER_RECALL[0],
            "lenient@1": PAPER_RECALL[1],
            "recall@1 of the baseline": PAPER_BASELINE,
            "cells": [
                {"row": row, "sample": sample, "recall@1": strict, "lenient@1": lenient}
                for (row, sample), (strict, lenient) in sorted(PAPER.items())
            ],
        },
        "distractors": {key: list(paths) for key, paths in found.distractors.items()},
        "samples": [_sample_dict(sample, found) for sample in found.samples],
        "differences": differences(found),
    }


def _sample_dict(sample: Sample, found: SampledRuns) -> dict[str, Any]:
    keys = [f"{kind}@{k}" for kind in ("recall", "lenient") for k in (1, 5, 10)] + ["mrr"]
    return {
        "name": sample.name,
        "distractors": sample.distractors,
        "n_files": len(sample.files),
        "written": sample.written,
        "files": None if sample.distractors is None else list(sample.files),
        "systems": [
            {
                "name": result.name,
                "measures": {
                    key: {part: round(x, 4) for part, x in result.measures[key]._asdict().items()}
                    for key in keys
                },
            }
            for result in sample.report.systems
        ],
        "at_1": [
            {"first": leader, "second": other, "wins": won, "losses": lost, "p": round(p, 4)}
            for leader, other, won, lost, p in _compared(sample, found.systems)
        ],
    }


def _main(found: SampledRuns) -> str:
    rows = [["", *(sample.name for sample in found.samples)]]
    rows.append(["files", *(f"{len(sample.files):,}" for sample in found.samples)])
    rows.append(["  explained by a model", *(f"{sample.written:,}" for sample in found.samples)])
    left = list(found.systems)
    for row in PAPER_ROWS:
        cells = [PAPER.get((row, sample.name)) for sample in found.samples]
        rows.append([f"paper: {row}", *(_pair(*cell) if cell else "-" for cell in cells)])
        ours = [name for name in left if _paper_row(name) == row]
        rows += [_ours(found, name) for name in ours]
        left = [name for name in left if name not in ours]
    if left:
        rows.append(["not in the paper", *("" for _ in found.samples)])
    return table(rows + [_ours(found, name) for name in left])


def _ours(found: SampledRuns, name: str) -> list[str]:
    both = [sample.report.system(name).measures for sample in found.samples]
    return [f"  {name}", *(_pair(m["recall@1"].mean, m["lenient@1"].mean) for m in both)]


def _paper_row(system: str) -> str:
    base, _, text = system.partition(":")
    if base == "tfidf-embedding":
        return PAPER_ROWS[0] if text == "code" else PAPER_ROWS[1]
    graph = base.startswith(("hdlgraph", "graphrag", "lightrag"))
    return PAPER_ROWS[2] if graph else ""


def _more(found: SampledRuns) -> str:
    rows = [["recall@1 [95 %], @5, @10", *(sample.name for sample in found.samples)]]
    rows.extend(
        [name, *(_three(sample.report.system(name)) for sample in found.samples)]
        for name in found.systems
    )
    return table(rows)


def _three(result: SystemResult) -> str:
    first = result.measures["recall@1"]
    interval = f"{number(first.mean)} [{number(first.low)}-{number(first.high)}]"
    later = ", ".join(number(result.measures[f"recall@{k}"].mean) for k in (5, 10))
    return f"{interval}, {later}"


def _duels(found: SampledRuns) -> str:
    leader = leading(found.systems)
    rows = [[f"{leader} against", *(sample.name for sample in found.samples)]]
    cells: dict[str, list[str]] = {}
    for sample in found.samples:
        for _, other, won, lost, p in _compared(sample, found.systems):
            cells.setdefault(other, []).append(f"{won} won, {lost} lost, p {number(p, 4)}")
    rows += [[other, *row] for other, row in cells.items()]
    return f"questions won and lost at rank 1, paired bootstrap\n{table(rows)}"


def leading(systems: Sequence[str]) -> str:
    """Returns the system that is compared with the others: hdlgraph, else the last named."""
    return "hdlgraph" if "hdlgraph" in systems else systems[-1]


def _compared(sample: Sample, systems: Sequence[str]) -> list[tuple[str, str, int, int, float]]:
    leader = leading(systems)
    mine = sample.report.system(leader).values["recall@1"]
    out = []
    for other in systems:
        if other != leader:
            theirs = sample.report.system(other).values["recall@1"]
            won = measures.duel(mine, theirs)
            p = measures.paired_p(mine, theirs)
            out.append((leader, other, won.wins, won.losses, p))
    return out


def _pair(strict: float, lenient: float) -> str:
    return f"{number(strict)} / {number(lenient)}"


def number(value: float, digits: int = 3) -> str:
    """Returns a share without its leading zero: .417, 1.00."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("0") if value < 1 else "1.00"
