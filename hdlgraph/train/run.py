"""What the commands `train` do: from files to models and back to a report."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph import __version__
from hdlgraph.errors import QuestionsError
from hdlgraph.project import Project
from hdlgraph.safety.safe_files import read_regular, reason_of
from hdlgraph.store.guard import check_writable
from hdlgraph.store.trained.folder import FOLDER
from hdlgraph.train.contrastive import Recipe
from hdlgraph.train.embedder import train_embedder
from hdlgraph.train.label import Labelled, Labeller, Question
from hdlgraph.train.labels import read_labels
from hdlgraph.train.pairs import BYTES, read_pairs
from hdlgraph.train.report import EMBEDDER, TOKEN_ENCODER, TrainingReport
from hdlgraph.train.reranker import train_reranker

Progress = Callable[[str, int, int], None]
FULL = "embedder-full"
"""The kind that learns all weights of the embedder, not a map beside it."""


def train_model(
    project: Project,
    kind: str,
    examples: Path,
    out: Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> TrainingReport:
    """Trains one kind of model on a file of examples and returns how it was judged.

    Args:
        project: an index.
        kind: "embedder" learns maps of vectors from pairs, FULL all weights of the embedder,
            TOKEN_ENCODER those of the model of token vectors, "reranker" an order from labels.
        examples: the pairs or the labels.
        out: folder of the models; None takes that of the index.
        seed: of splits and order.
        progress: told how many are done.

    Raises:
        QuestionsError: the examples cannot be read, or are too few.
    """
    if kind in (FULL, TOKEN_ENCODER):
        return _fine_tune(project, kind, examples, out, seed, progress)
    pairs = read_pairs(examples) if kind == "embedder" else []
    labels = read_labels(examples) if kind == "reranker" else []
    made, folder = _made(project, examples, len(pairs or labels)), _folder(project, out)
    if kind == "embedder":
        return train_embedder(project, pairs, folder, Recipe(seed=seed), made, progress)
    return train_reranker(project, labels, folder, made, seed, progress)


def _fine_tune(
    project: Project,
    kind: str,
    pairs: Path,
    out: Path | None,
    seed: int,
    progress: Progress | None,
) -> TrainingReport:
    """Fine-tunes a model on a file of pairs; errors as of `read_pairs` and `fine_tune`."""
    from hdlgraph.train.full.fine_tune import check_extra, fine_tune
    from hdlgraph.train.full.material import source
    from hdlgraph.train.full.open import open_tunable

    check_extra()
    found = read_pairs(pairs)
    step = (lambda n, m: progress(f"{kind}: pairs", n, m)) if progress else None
    made = _made(project, pairs, len(found))
    one = source(project, found, step)
    which = kind if kind == TOKEN_ENCODER else EMBEDDER
    model = open_tunable(project.settings.embedding, which, seed=seed)
    return fine_tune(model, [one], _folder(project, out), made, progress)


def label_questions(
    project: Project,
    questions: Path,
    out: Path,
    *,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Labelled:
    """Labels a file of questions; errors as of `Labeller`.

    Args:
        project: an index, and settings that name a query model.
        questions: one object with `question` in each line; further keys are passed over.
        out: the labels.
        max_cost: USD that the run may spend.
        max_tokens: tokens that it may spend.
        dry_run: whether nothing is asked, only counted.
        progress: told how many are done.
    """
    asked = _questions(questions)
    labeller = Labeller(project, max_cost, max_tokens)
    if dry_run:
        return labeller.estimate(asked, out)
    return labeller.run(asked, out, progress)


def _questions(path: Path) -> list[Question]:
    try:
        lines = read_regular(path, BYTES).split(b"\n")
    except OSError as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=Question)
        except (ValueError, RecursionError) as error:
            raise QuestionsError(f"{path}:{number}: {error}") from error
        if not any(ch.isalnum() for ch in one.question):
            raise QuestionsError(f'{path}:{number}: "question" has no letter or digit')
        found.append(one)
    if not found:
        raise QuestionsError(f'{path}: no questions in it; write {{"question": "..."}} in a line')
    return found


def _folder(project: Project, out: Path | None) -> Path:
    """Returns the folder of the models; one in the index folder must be the user's own."""
    if out is not None:
        return out.expanduser().resolve()
    check_writable(project.folder)
    return project.folder / FOLDER


def _made(project: Project, file: Path, count: int) -> dict[str, Any]:
    """Returns where a model comes from, without anything of this machine."""
    manifest = project.manifest()
    return {
        "hdlgraph": __version__,
        "from": file.name,
        "sha256": hashlib.sha256(read_regular(file, BYTES)).hexdigest(),
        "lines": count,
        "index": {"generation": manifest.generation, "files": len(manifest.files)},
    }
