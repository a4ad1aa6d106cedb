"""What an encoder learns from: the pairs of one or several indexes, their texts as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.train.examples import Asked, Material, bind
from hdlgraph.train.full.fit import Line, Tokens
from hdlgraph.train.pairs import Pair
from hdlgraph.train.targets import Files, files_of

if TYPE_CHECKING:
    from hdlgraph.train.full.tunable import Tunable


@dataclass(frozen=True)
class Source:
    """An index with the pairs that are of it."""

    project: Project
    target: Files
    material: Material


def source(project: Project, pairs: Sequence[Pair], tick: Any = None) -> Source:
    """Returns an index with its pairs, the hard negatives of each found.

    Raises:
        UsageError: the index has no vectors.
    """
    target = files_of(project)
    if target is None:
        raise UsageError(
            f"index {project.folder}: it has no vectors of files; make it again without "
            "--no-embeddings"
        )
    return Source(project, target, bind(target, pairs, tick))


@dataclass(frozen=True)
class Question:
    """A pair of a source, as an example, in a group that is not parted."""

    source: int
    asked: Asked
    line: Line


def gather(sources: Sequence[Source], model: Tunable) -> tuple[list[str], list[Question]]:
    """Returns all texts, and the pairs of all sources that have right texts and wrong ones.

    Args:
        sources: indexes with their pairs.
        model: gives the texts of rows, and what stands before a question.
    """
    nearest = model.recipe.right
    texts: list[str] = []
    found: list[Question] = []
    for number, one in enumerate(sources):
        start = len(texts)
        texts += [*model.texts(one), *one.material.texts]
        for asked in one.material.asked:
            example = asked.example
            wrong = _nearest(one.material.rows, example.wrong, example.vector) + start
            right = example.right + start
            if len(right) and len(wrong):
                fits = frozenset([*right.tolist(), *(example.ignored + start).tolist()])
                if nearest:
                    by_nearness = _nearest(one.material.rows, example.right, example.vector)
                    right = by_nearness[:nearest] + start
                line = Line(len(texts), tuple(right.tolist()), tuple(wrong.tolist()), fits)
                texts.append(model.prefix + asked.pair.query)
                found.append(Question(number, asked, line))
    return texts, found


def _nearest(rows: np.ndarray, chosen: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Returns numbers of rows, the nearest to a vector first."""
    return chosen[np.argsort(-(rows[chosen] @ vector), kind="stable")]


def groups(questions: Sequence[Question]) -> list[int]:
    """Returns the number of the group of each question: those of one file of one source."""
    names = [(one.source, one.asked.group) for one in questions]
    order = {name: number for number, name in enumerate(sorted(set(names)))}
    return [order[name] for name in names]


def tokens_of(texts: Sequence[str], tokenizer: Any, most: int) -> Tokens:
    """Returns texts as tokens, cut at `most`."""
    tokenizer.enable_truncation(max_length=most)
    clipped = [text[: most * 32].encode("utf-8", "replace").decode() for text in texts]
    return filled([encoding.ids for encoding in tokenizer.encode_batch(clipped)], most)


def filled(rows: Sequence[Sequence[int]], most: int) -> Tokens:
    """Returns rows of tokens as arrays of `most` columns, where shorter ones are filled up."""
    ids = np.zeros((len(rows), most), np.int32)
    mask = np.zeros((len(rows), most), np.float32)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return Tokens(ids, mask)
