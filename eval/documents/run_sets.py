"""Runs question sets over documents: recall of passages, words of answers, one line a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.eval.documents.recall import KS, JudgedPassages, micro_recall, places, read_questions
from hdlgraph.eval.documents.sets import Place, opened
from hdlgraph.eval.flows.flows import DEPTH
from hdlgraph.eval.flows.retrieve import Retriever
from hdlgraph.eval.flows.run import Wanted, run_flows

if TYPE_CHECKING:
    from hdlgraph.project import Project

Progress = Callable[[str, int, int], None]
OWN = "hdlgraph"
BASELINES = ("bm25", "vectors", "rrf", "mmr", "sum")
"""Other rankings of the same passages: one feature alone, and the three fusions of all."""


@dataclass(frozen=True)
class SetsReport:
    """What sets gave; `answers` holds a record of each answer."""

    sets: tuple[dict[str, Any], ...]
    answers: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {"schema": 1, "sets": list(self.sets)}

    def to_text(self) -> str:
        """Returns a few lines for each set."""
        return "\n".join(line for one in self.sets for line in _lines(one))


def run_sets(
    names: Sequence[str],
    place: Place,
    writer: str = "auto",
    baselines: bool = False,
    progress: Progress | None = None,
) -> SetsReport:
    """Returns what is measured on sets.

    Args:
        names: of sets, or paths of files of questions.
        place: where they are and where their indexes go.
        writer: "extractive", "model", or "auto" for the model where one is configured.
        baselines: whether other rankings are measured as well.
        progress: called with a set, questions done and their number.

    Raises:
        UsageError: a set is unknown, or lacks its clone or its index.
        QuestionsError: a file of questions, or a clone, cannot be used.
    """
    found: list[dict[str, Any]] = []
    answers: list[Any] = []
    for name in dict.fromkeys(names):
        project, file = opened(name, place)
        measured, records = _one(project, name, file, writer, progress)
        if baselines:
            measured["rankings"] = rankings(project, read_questions(file))
        found.append(measured)
        answers += records
    return SetsReport(tuple(found), tuple(answers))


def _one(
    project: Project, name: str, file: Path, writer: str, progress: Progress | None
) -> tuple[dict[str, Any], Sequence[dict[str, Any]]]:
    def told(_: str, done: int, of: int) -> None:
        if progress:
            progress(name, done, of)

    report = run_flows(project, file, Wanted((OWN,), writer), told)
    whole, [flow] = report.found, report.found["flows"]
    measured = {
        "name": Path(name).stem,
        "questions": file.as_posix(),
        "n_questions": whole["n_questions"],
        "index": project.folder.as_posix(),
        "writer": whole["writer"],
        **{key: value for key, value in flow.items() if key != "name"},
        "notes": whole["notes"],
    }
    return measured, [{**one, "set": Path(name).stem} for one in report.answers]


def rankings(project: Project, questions: Sequence[JudgedPassages]) -> dict[str, Any]:
    """Returns the micro recall of other rankings of the same passages, each by its name."""
    retriever = Retriever(project)
    names = [one for one in BASELINES if one != "vectors" or retriever.with_vectors]
    return {name: micro_recall(_ranked(retriever, questions, name), questions) for name in names}


def _ranked(
    retriever: Retriever, questions: Sequence[JudgedPassages], name: str
) -> list[list[tuple[str, ...]]]:
    out = []
    for one in questions:
        if name == "vectors":
            numbers = retriever.order(retriever.plain([one.question]), DEPTH)
        elif name == "bm25":
            numbers = retriever.order(retriever.by_words([one.question]), DEPTH)
        else:
            numbers = retriever.own(one.question, DEPTH, name)
        out.append(places(retriever.passages(numbers, one.question)))
    return out


def _lines(one: dict[str, Any]) -> Iterator[str]:
    yield f"{one['name']}: {one['n_questions']} questions, answers by {one['writer']}"
    if one["judged"]:
        told = "  ".join(f"@{k} {_with_interval(one, str(k))}" for k in KS)
        yield f"  recall of {one['judged']} passages: {told}"
    for name, other in one.get("rankings", {}).items():
        yield f"  {name}: " + "  ".join(f"@{k} {other['recall'][str(k)]:.3f}" for k in KS)
    if said := one["answers"]:
        rouge = [f"{key} {said[key]['mean']:.3f}" for key in ("rougeL", "rougeLsum")]
        yield (
            f"  {said['n']} answers: {', '.join(rouge)}, recall of it "
            f"{said['rougeLsum_recall']['mean']:.3f}, BLEU {said['bleu']:.3f}"
        )
    yield from (f"  {note}" for note in one["notes"])


def _with_interval(one: dict[str, Any], k: str) -> str:
    low, high = one["intervals"][k]
    return f"{one['recall'][k]:.3f} ({low:.2f}-{high:.2f})"
