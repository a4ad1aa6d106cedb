"""The paper's protocol: one table over all files, and over samples with fixed distractors.

Each question's distractors are the best wrong files of the paper's baseline. A sample is their
union over all questions, with every relevant and equivalent file. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.protocols.samples import BASELINE, Sample, SampledRuns
from hdlgraph.eval.protocols.table1_text import to_dict, to_text
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.sets.corpora import cache_folder
from hdlgraph.eval.sets.questions import Question, read_questions
from hdlgraph.eval.systems.registry import Corpus, check_model, check_systems, make_system

if TYPE_CHECKING:
    from hdlgraph.project import Project

SYSTEMS = ("tfidf-embedding:code", "tfidf-embedding", "minmax", "hdlgraph")
SIZES = (15, 2)
"""Distractors per question of the samples, the larger first."""

ALL = "all files"
Progress = Callable[[str, int, int], None]


class Table1(SampledRuns):
    """What the paper's protocol gives, as JSON and as text."""

    __slots__ = ()

    def to_text(self) -> str:
        """Returns the paper's table beside ours, comparisons and the differences in setting."""
        return to_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON object (`schema` 1), with the paths of the samples."""
        return to_dict(self)


def table1(
    project: Project,
    questions: Path,
    systems: Sequence[str] = SYSTEMS,
    *,
    field: str = "question",
    samples: Path | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Table1:
    """Returns recall@1 of each system over all files and over the two samples of the paper.

    Args:
        project: the indexed repository.
        questions: JSONL file, as `hdlgraph.eval.sets.questions` reads it.
        systems: names, see `hdlgraph.eval.systems.registry.SYSTEMS`.
        field: key of the question's text.
        samples: folder that gets top-15.files and top-2.files, one path a line, for
            `hdlgraph eval run --corpus`; None writes none.
        cache: folder for vectors of baselines; None takes the user's cache folder.
        progress: called as progress(what, done, total).

    Raises:
        QuestionsError: bad lines or judged paths outside the index.
        UsageError: unknown system, a folder that cannot be written, or no embeddings: the
            baseline that picks the distractors needs them.
        IndexMissingError: there is no index.
    """
    check_systems(list(systems))
    check_model(list(systems), project)
    indexed = project.manifest().files
    asked = read_questions(Path(questions), field, indexed)
    vectors = cache or cache_folder() / "vectors"
    room = Corpus(project, tuple(sorted(indexed)), vectors)
    found = distractors(room, asked, max(SIZES), progress)

    def measured(name: str, corpus: Sequence[str] | None) -> EvalReport:
        named = _labelled(name, progress)
        return evaluate(project, questions, systems, (1, 5, 10), corpus, field, vectors, named)

    chosen = {size: sample_paths(asked, found, size) for size in SIZES}
    if samples is not None:
        for size, paths in chosen.items():
            _write_list(samples, size, paths, questions)
    columns: list[tuple[str, int | None, tuple[str, ...], EvalReport]]
    columns = [(ALL, None, room.paths, measured(ALL, None))]
    for size, paths in chosen.items():
        name = f"top-{size} + correct"
        columns.append((name, size, paths, measured(name, paths)))
    known = project.explanations()
    written = {path for path, text in known.items() if text.model != "deterministic"}
    return Table1(
        questions=str(questions),
        field=field,
        n_questions=len(asked),
        systems=tuple(systems),
        samples=tuple(
            Sample(name, size, paths, len(written.intersection(paths)), report)
            for name, size, paths, report in columns
        ),
        distractors=found,
    )


def distractors(
    corpus: Corpus,
    questions: Sequence[Question],
    size: int,
    progress: Progress | None = None,
) -> dict[str, tuple[str, ...]]:
    """Returns the `size` best wrong files of the baseline per question id, best first.

    Wrong is what is neither relevant nor equivalent; a small corpus may have fewer.
    """
    baseline = make_system(BASELINE, corpus)
    out = {}
    for done, question in enumerate(questions, 1):
        right = {*question.relevant, *question.equivalent}
        ranked = baseline.rank(question.text, size + len(right))
        out[question.id] = tuple(path for path in ranked if path not in right)[:size]
        if progress:
            progress("distractors", done, len(questions))
    return out


def sample_paths(
    questions: Sequence[Question], found: Mapping[str, Sequence[str]], size: int
) -> tuple[str, ...]:
    """Returns the sorted candidates of a sample of `size` distractors per question.

    They are the union of the distractors, and all relevant and equivalent files.
    """
    paths: set[str] = set()
    for question in questions:
        paths.update(found[question.id][:size], question.relevant, question.equivalent)
    return tuple(sorted(paths))


def _write_list(folder: Path, size: int, paths: Sequence[str], questions: Path) -> None:
    path = folder / f"top-{size}.files"
    head = (
        f"# {len(paths)} files: the {size} best wrong files of {BASELINE} for each question of\n"
        f"# {Path(questions).name}, and all relevant and equivalent files\n"
    )
    # ./ keeps a path that starts with # from being read as a comment.
    lines = (f"./{name}\n" if name.startswith(("#", " ")) else f"{name}\n" for name in paths)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(head + "".join(lines), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}; name another folder for the samples"
        ) from error


def _labelled(name: str, progress: Progress | None) -> Progress | None:
    if progress is None:
        return None
    return lambda system, done, total: progress(f"{name}: {system}", done, total)
