"""Runs flows over a question set and measures recall, answers, calls, tokens and seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.documents.recall import (
    KS,
    JudgedPassages,
    micro_recall,
    places,
    read_questions,
)
from hdlgraph.eval.flows.asking import asking
from hdlgraph.eval.flows.compress import Compressor, extractive
from hdlgraph.eval.flows.flows import DEPTH, FLOWS, NEEDS_MODEL, Kit
from hdlgraph.eval.flows.generate import Extractive, Generator, ModelGenerator, Spent
from hdlgraph.eval.flows.retrieve import Retriever
from hdlgraph.eval.scores.wording import check_library, wording

if TYPE_CHECKING:
    from hdlgraph.project import Project

Progress = Callable[[str, int, int], None]
WRITERS = ("auto", "extractive", "model")


@dataclass(frozen=True)
class Wanted:
    """What a run is to do.

    Attributes:
        flows: names of `FLOWS`; none for all that can run.
        writer: "extractive", "model", or "auto" for the model where one is configured.
        k: passages that an answer is made from.
        limit: questions asked, the first of the file; 0 for all.
        compressor: shortens passages; None for the extractive one.
    """

    flows: Sequence[str] = ()
    writer: str = "auto"
    k: int = 5
    limit: int = 0
    compressor: Compressor | None = None


@dataclass(frozen=True)
class FlowsReport:
    """What all flows of a run gave; `answers` holds a record of each flow and question."""

    found: dict[str, Any]
    answers: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return self.found

    def to_text(self) -> str:
        """Returns a table with a line for each flow."""
        return "\n".join(_table(self.found))


def run_flows(
    project: Project, questions: Path, wanted: Wanted, progress: Progress | None = None
) -> FlowsReport:
    """Returns what each flow gives on a question set, all with the same generator.

    Args:
        project: with documents in its index.
        questions: as `eval.documents.recall` reads them; those with an `answer` are scored.
        wanted: flows, writer and numbers.
        progress: called with a flow, questions done and their number.

    Raises:
        UsageError: a flow is unknown or needs a model that is not configured, no documents are
            indexed, or the libraries of the scores are not installed.
        QuestionsError: the file cannot be used.
    """
    asked = read_questions(questions)[: wanted.limit or None]
    retriever = Retriever(project)
    model = _wants_model(project, wanted.writer)
    generator: Generator = ModelGenerator(project) if model else Extractive(retriever.rarity)
    names, skipped = _chosen(wanted.flows, model)
    check_library()
    if not 1 <= wanted.k <= DEPTH:
        raise UsageError(f"-k {wanted.k}: give a number from 1 to {DEPTH}")
    shorter = wanted.compressor or extractive(retriever.rarity)
    kit = Kit(retriever, generator, shorter, asking(project, generator), wanted.k)
    flows, answers = [], []
    for name in names:
        measured, records = _one(name, kit, asked, progress)
        flows.append(measured)
        answers += records
    notes = [] if retriever.with_vectors else ["the index has no vectors: BM25 stands in for them"]
    found = {
        "schema": 1,
        "questions": questions.as_posix(),
        "n_questions": len(asked),
        "judged": sum(len(one.wanted) for one in asked),
        "with_answer": sum(bool(one.answer.strip()) for one in asked),
        "writer": generator.name,
        "k": wanted.k,
        "flows": flows,
        "skipped": skipped,
        "notes": notes,
    }
    return FlowsReport(found, tuple(answers))


def _wants_model(project: Project, writer: str) -> bool:
    if writer not in WRITERS:
        raise UsageError(f"writer {writer}: unknown; known are {', '.join(WRITERS)}")
    return writer == "model" or (writer == "auto" and project.settings.llm.provider != "none")


def _chosen(flows: Sequence[str], model: bool) -> tuple[list[str], list[dict[str, str]]]:
    """Returns the flows to run, and those of all that cannot be run, with the reason."""
    unknown = [name for name in flows if name not in FLOWS]
    if unknown:
        raise UsageError(f"flow {unknown[0]}: unknown; known are {', '.join(FLOWS)}")
    names = [name for name in FLOWS if not flows or name in flows]
    without = [name for name in names if name in NEEDS_MODEL and not model]
    why = "needs a language model: name one in the `llm` section of a settings file"
    if flows and without:
        raise UsageError(f"flow {', '.join(without)}: {why} and give that with --settings")
    kept = [name for name in names if name not in without]
    return kept, [{"name": name, "why": why} for name in without]


def _one(
    name: str, kit: Kit, asked: Sequence[JudgedPassages], progress: Progress | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the measures of one flow, and a record of each of its answers."""
    spent = kit.generator.spent = Spent()
    rankings, records, seconds = [], [], 0.0
    for done, one in enumerate(asked, 1):
        started = time.perf_counter()
        found = FLOWS[name](kit, " ".join(one.question.split()))
        seconds += time.perf_counter() - started
        passages = kit.retriever.passages(found.ranking, one.question)
        rankings.append(places(passages))
        records.append(
            {
                "id": one.id,
                "flow": name,
                "question": one.question,
                "answer": found.answer,
                "reference": one.answer,
                "model": kit.generator.name,
                "passages": [f"{p.path}:{p.line}" for p in passages[: kit.k]],
            }
        )
        if progress:
            progress(name, done, len(asked))
    measured = {
        "name": name,
        **micro_recall(rankings, asked),
        "answers": _answers(records),
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "failed": spent.failed,
        "seconds": round(seconds / max(len(asked), 1), 4),
    }
    return measured, records


def _answers(records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    pairs = [(one["answer"], one["reference"]) for one in records if one["reference"].strip()]
    return wording(pairs) if pairs else None


def _table(found: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of the table."""
    yield (
        f"{found['n_questions']} questions, {found['judged']} judged passages, "
        f"{found['with_answer']} answers; written by {found['writer']} from {found['k']} passages"
    )
    recalls = [f"@{k}" for k in KS]
    names = ("flow", *recalls, "ROUGE-L", "Lsum", "Lsum rec", "BLEU", "calls", "in", "out", "s")
    rows = [names, *(_row(one) for one in found["flows"])]
    widths = [max(len(row[n]) for row in rows) for n in range(len(names))]
    for row in rows:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join((first.strip().ljust(widths[0]), *rest)).rstrip()
    for one in found["flows"]:
        if one["failed"]:
            yield f"{one['name']}: {one['failed']} calls failed"
    yield from (f"{one['name']}: left out, {one['why']}" for one in found["skipped"])
    yield from found["notes"]


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    recalls = [f"{one['recall'][str(k)]:.3f}" if one["judged"] else "-" for k in KS]
    answers = one["answers"]
    keys = ("rougeL", "rougeLsum", "rougeLsum_recall")
    scores = [f"{answers[key]['mean']:.3f}" if answers else "-" for key in keys]
    bleu = f"{answers['bleu']:.3f}" if answers else "-"
    counts = [str(one[key]) for key in ("calls", "input_tokens", "output_tokens")]
    return (one["name"], *recalls, *scores, bleu, *counts, f"{one['seconds']:.3f}")
