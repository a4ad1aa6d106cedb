"""Runs question sets over documents: recall of passages, words of answers, one line a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import QuestionsError
from hdlgraph.eval.documents.cross import asked, ranks, read_cross, summary, unknown
from hdlgraph.eval.documents.recall import KS, JudgedPassages, micro_recall, places, read_questions
from hdlgraph.eval.documents.sets import Place, opened
from hdlgraph.eval.flows.flows import DEPTH
from hdlgraph.eval.flows.retrieve import Retriever
from hdlgraph.eval.flows.run import Wanted, run_flows
from hdlgraph.safety.safe_files import read_head, reason_of

if TYPE_CHECKING:
    from hdlgraph.project import Project

Progress = Callable[[str, int, int], None]
OWN = "hdlgraph"
HEAD = 100_000
"""Bytes of a file of questions in which its form is looked for."""
GONE = 5
"""Judged paths without a place in the index that are named."""
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
        if is_cross(file):
            found.append(_cross(project, name, file))
            continue
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


def is_cross(file: Path) -> bool:
    """Returns whether a file of questions judges sections and files of RTL beside each other.

    Raises:
        QuestionsError: it cannot be read.
    """
    try:
        first = read_head(file.parent.resolve(), file.name, HEAD)[0].lstrip().partition(b"\n")[0]
        return "sections" in msgspec.json.decode(first, type=dict[str, Any])
    except OSError as error:
        raise QuestionsError(
            f"cannot read {file}: {reason_of(error, file)}; check the path"
        ) from error
    except msgspec.MsgspecError:  # the reader of the questions names the line
        return False


def _cross(project: Project, name: str, file: Path) -> dict[str, Any]:
    questions = read_cross(file)
    gone = unknown(project, questions)
    notes = [f"{one}: not in the index" for one in gone[:GONE]]
    if gone[GONE:]:
        notes.append(f"{len(gone) - GONE} more judged paths are not in the index")
    measured = summary([ranks(one, asked(project, one)) for one in questions])
    sides = {"section": measured["section"], "rtl": measured["rtl"], "both": measured["both@5"]}
    return {
        "name": Path(name).stem,
        "questions": file.as_posix(),
        "n_questions": len(questions),
        "index": project.folder.as_posix(),
        "cross": sides,
        "notes": notes,
    }


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
    if cross := one.get("cross"):
        yield f"{one['name']}: {one['n_questions']} questions across documents and RTL"
        for side in ("section", "rtl"):
            row = "  ".join(f"{k} {share:.3f}" for k, share in cross[side].items())
            yield f"  right {side}: {row}"
        yield f"  both within five and five: {cross['both']:.3f}"
        yield from (f"  {note}" for note in one["notes"])
        return
    yield f"{one['name']}: {one['n_questions']} questions, answers by {one['writer']}"
    if one["judged"]:
        row = "  ".join(f"@{k} {_with_interval(one, str(k))}" for k in KS)
        yield f"  recall of {one['judged']} passages: {row}"
    for name, other in one.get("rankings", {}).items():
        yield f"  {name}: " + "  ".join(f"@{k} {other['recall'][str(k)]:.3f}" for k in KS)
    if answers := one["answers"]:
        rouge = [f"{key} {answers[key]['mean']:.3f}" for key in ("rougeL", "rougeLsum")]
        yield (
            f"  {answers['n']} answers: {', '.join(rouge)}, recall of it "
            f"{answers['rougeLsum_recall']['mean']:.3f}, BLEU {answers['bleu']:.3f}"
        )
    yield from (f"  {note}" for note in one["notes"])


def _with_interval(one: dict[str, Any], k: str) -> str:
    low, high = one["intervals"][k]
    return f"{one['recall'][k]:.3f} ({low:.2f}-{high:.2f})"
