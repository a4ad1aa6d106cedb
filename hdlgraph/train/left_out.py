"""Judges what is trained on whole repositories that are left out of the training.

    python -m hdlgraph.train.left_out INDEX=QUESTIONS.jsonl... [--judge INDEX=QUESTIONS.jsonl...]
        [--pairs INDEX=PAIRS.jsonl...]

For each repository the maps and rerankers learn from all others, and rank its questions; those of
`--judge` are never learnt from. `--pairs` adds pairs to learn from, as `train export` writes them,
which are left out with their repository. A table has the ranks of each repository and of all, for
several recipes: their number belongs to every figure that is reported. Nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.project import Project
from hdlgraph.train.contrastive import Recipe
from hdlgraph.train.embedder import learn, vectors_rank
from hdlgraph.train.examples import Asked, Material, bind
from hdlgraph.train.judging import Compared, first_right
from hdlgraph.train.labels import read_labels
from hdlgraph.train.pairs import read_pairs
from hdlgraph.train.reranker import Cards, collect, fit, ranked
from hdlgraph.train.targets import Files, files_of

RECIPES = (Recipe(), Recipe(l2=1.0), Recipe(l2=0.1))
STRENGTHS = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Repository:
    """A repository with its questions; `learnt` says whether others may learn from them."""

    name: str
    target: Files
    material: Material
    cards: list[Cards]
    learnt: bool


def read(index: Path, questions: Path, learnt: bool, pairs: Path | None) -> Repository:
    """Returns a repository, its questions ranked.

    Raises:
        UsageError: its index has no vectors.
    """
    project = Project.open(index)
    target = files_of(project)
    if target is None:
        raise UsageError(f"{index}: has no vectors")
    material = bind(target, [*read_pairs(questions), *(read_pairs(pairs) if pairs else ())])
    asked = {one.query for one in read_pairs(questions)}
    judged = tuple(one for one in material.asked if one.pair.query in asked)
    more = tuple(one for one in material.asked if one.pair.query not in asked)
    cards, _ = collect(project, read_labels(questions))
    material = replace(material, asked=(*judged, *(replace(one, order=()) for one in more)))
    return Repository(index.name, target, material, cards, learnt)


def merged(some: Sequence[Repository]) -> tuple[list[Asked], np.ndarray]:
    """Returns the pairs of several repositories, and all their rows one after the other."""
    found: list[Asked] = []
    rows, items, start = [], 0, 0
    for one in some:
        for asked in one.material.asked:
            example = asked.example
            moved = replace(
                example,
                right=example.right + start,
                wrong=example.wrong + start,
                ignored=example.ignored + start,
            )
            right = frozenset(n + items for n in asked.right)
            ignored = frozenset(n + items for n in asked.ignored)
            found.append(replace(asked, right=right, ignored=ignored, example=moved))
        rows.append(one.material.rows)
        start += len(one.material.rows)
        items += 1 + int(one.target.owners.max(initial=0))
    return found, np.concatenate(rows)


def judge_maps(all: Sequence[Repository], recipe: Recipe) -> list[list[Compared]]:
    """Returns for each repository the ranks by vectors alone and by the whole search."""
    out = []
    for one in all:
        rest = [other for other in all if other is not one and other.learnt]
        matrix, _ = learn(*merged(rest), recipe)
        alone, whole = [], []
        for asked in one.material.asked:
            if not asked.order:
                continue
            sets = asked.right, asked.ignored
            alone.append((vectors_rank(one.target, asked), vectors_rank(one.target, asked, matrix)))
            with one.target.embedder.using(matrix):
                order = one.target.search(asked.pair.query)
            whole.append((first_right(asked.order, *sets), first_right(order, *sets)))
        out.append([_compared("vectors alone", alone), _compared("whole search", whole)])
    return out


def judge_orders(all: Sequence[Repository], strength: float) -> list[list[Compared]]:
    """Returns for each repository the ranks of the whole search, re-ranked or not."""
    out = []
    for one in all:
        rest = [
            cards for other in all if other is not one and other.learnt for cards in other.cards
        ]
        weights = fit(rest, strength)
        ranks = [(ranked(cards), ranked(cards, weights)) for cards in one.cards]
        out.append([_compared("whole search", ranks)])
    return out


def _compared(name: str, ranks: Sequence[tuple[int, int]]) -> Compared:
    return Compared(name, tuple(b for b, _ in ranks), tuple(a for _, a in ranks))


def table(title: str, all: Sequence[Repository], found: Sequence[Sequence[Compared]]) -> list[str]:
    """Returns lines: recall@1 and MRR of each repository, and of all together with intervals."""
    lines = [title]
    for column in range(len(found[0])):
        every = [one[column] for one in found]
        pooled = Compared(
            every[0].name,
            tuple(rank for one in every for rank in one.before),
            tuple(rank for one in every for rank in one.after),
        )
        names = [one.name for one in all]
        for name, one in zip([*names, "all"], [*every, pooled], strict=True):
            first, mrr, record = one.recall(1), one.mrr, one.to_dict()
            gain, low, high = (100 * value for value in record["gain_at_1"])
            lines.append(
                f"  {one.name:14}{name:14}{len(one.before):5}  @1 {first[0]:.3f} > {first[1]:.3f}"
                f"  MRR {mrr[0]:.3f} > {mrr[1]:.3f}  @1 {gain:+.1f} ({low:+.1f} to {high:+.1f}),"
                f" p {record['p_at_1']:.3f}, by MRR {record['p']:.3f}"
            )
    return lines


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; the command `python -m hdlgraph.train.left_out`."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.train.left_out", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("learnt", nargs="+", metavar="INDEX=QUESTIONS.jsonl")
    parser.add_argument("--judge", nargs="*", default=[], metavar="INDEX=QUESTIONS.jsonl")
    parser.add_argument("--pairs", nargs="*", default=[], metavar="INDEX=PAIRS.jsonl")
    given = parser.parse_args(arguments)
    pairs = dict(map(_parted, given.pairs))
    all = [
        read(index, questions, learnt, pairs.get(index))
        for some, learnt in ((given.learnt, True), (given.judge, False))
        for index, questions in map(_parted, some)
    ]
    for recipe in RECIPES:
        _print(table(f"map {recipe}", all, judge_maps(all, recipe)))
    for strength in STRENGTHS:
        _print(table(f"reranker C {strength}", all, judge_orders(all, strength)))
    return 0


def _print(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def _parted(text: str) -> tuple[Path, Path]:
    index, equals, file = text.partition("=")
    if not equals:
        raise UsageError(f"{text}: write INDEX=FILE.jsonl")
    return Path(index), Path(file)


if __name__ == "__main__":
    raise SystemExit(main())
