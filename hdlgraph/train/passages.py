"""Micro recall of passages by their vectors alone, as they are and with maps learnt by folds.

    python -m hdlgraph.train.passages QUESTIONS.jsonl INDEX [--folds N] [--seeds N] [--by-document]

A question's map is learnt from the questions of other folds; with `--by-document` no document that
answers a question has a part in its map. Printed as JSON: the recall at each k, with maps the mean
over the seeds. Nothing is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.project import Project
from hdlgraph.query.trained.query_map import mapped
from hdlgraph.train.contrastive import Recipe
from hdlgraph.train.embedder import learn
from hdlgraph.train.examples import Asked, Material, bind
from hdlgraph.train.judging import folds
from hdlgraph.train.pairs import read_pairs
from hdlgraph.train.targets import Sections, sections_of

KS = (1, 3, 5, 10, 20)


def recall(target: Sections, some: Sequence[tuple[Asked, np.ndarray]]) -> dict[str, float]:
    """Returns the share of judged passages among the first k, for questions with their vectors."""
    hits, total = dict.fromkeys(KS, 0), 0
    for asked, vector in some:
        near = target.rows @ vector
        order = list(dict.fromkeys(target.owners[np.argsort(-near, kind="stable")].tolist()))
        total += len(asked.right)
        for k in KS:
            hits[k] += len(asked.right.intersection(order[:k]))
    return {str(k): round(hit / max(total, 1), 4) for k, hit in hits.items()}


def by_folds(
    target: Sections, material: Material, groups: Sequence[int], count: int, seed: int
) -> dict[str, float]:
    """Returns the recall where each fold's questions go through a map of the other folds."""
    fold = folds(groups, seed, count)
    found: list[tuple[Asked, np.ndarray]] = []
    for number in np.unique(fold).tolist():
        rest = [one for one, n in zip(material.asked, fold, strict=True) if n != number]
        matrix, _ = learn(rest, material.rows, Recipe(seed=seed))
        held = (one for one, n in zip(material.asked, fold, strict=True) if n == number)
        found += [(one, mapped(one.example.vector, matrix)) for one in held]
    return recall(target, found)


def measure(
    project: Project, questions: Path, count: int, seeds: int, by_document: bool
) -> dict[str, object]:
    """Returns the recall before and after.

    Raises:
        UsageError: the index has no passages with vectors.
    """
    target = sections_of(project)
    if target is None:
        raise UsageError(f"{project.folder}: no passages with vectors in it")
    material = bind(target, read_pairs(questions))
    if by_document:
        names = [min(target.document(item) for item in one.right) for one in material.asked]
        groups = [sorted(set(names)).index(name) for name in names]
    else:
        groups = list(range(len(material.asked)))
    found = [by_folds(target, material, groups, count, seed) for seed in range(seeds)]
    return {
        "questions": len(material.asked),
        "judged": sum(len(one.right) for one in material.asked),
        "before": recall(target, [(one, one.example.vector) for one in material.asked]),
        "after": {k: round(float(np.mean([one[k] for one in found])), 4) for k in found[0]},
    }


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the measures; the command `python -m hdlgraph.train.passages`."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.train.passages", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--by-document", action="store_true")
    given = parser.parse_args(arguments)
    project = Project.open(given.index)
    found = measure(project, given.questions, given.folds, given.seeds, given.by_document)
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
