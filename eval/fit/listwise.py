"""Fits the network that puts the first files of a search in order (`hdlgraph.query.listwise`).

    python -m hdlgraph.eval.fit.listwise OUT [--same NAME,NAME]... QUESTIONS INDEX [...]

OUT becomes `hdlgraph/query/listwise/model.json`. Learnt is the order of the first files by the sum
of the parts, from questions of all kinds over many repositories; a question of an index weighs
1 / sqrt(the number of those), times SHARES of its kind. Questions for which edges decide are left
out. Printed: recall@1, @5 and @20 by the sum and by networks fitted on other indexes, for each
index and for each kind of question; `--same` names indexes of one origin (or of one repository,
with and without its comments), which are left out together.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.judged import judged
from hdlgraph.eval.fit.network import Listed, Recipe, train
from hdlgraph.eval.fit.recall import table
from hdlgraph.eval.sets.questions import Question, read_questions
from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.listwise.inputs import NAMES, rows
from hdlgraph.query.listwise.order import asks_for_relation
from hdlgraph.query.network import Network
from hdlgraph.query.search import Searcher

FIRST = 40
"""Files of a question that are learnt from; more make the first places no better, though a search
puts twice as many in order (`hdlgraph.query.listwise.order`)."""
RECIPE = Recipe(plain=4.0, hidden=32, epochs=12, linear=1.0, starts=4)
"""Chosen among those that the page of training names, with repositories left out."""
DIGITS = 4
SHARES = dict.fromkeys(
    (
        "natural", "hard", "functional", "parameter", "safety_security", "signal_flow",
        "structural",
    ),
    2.0,
)  # fmt: skip
"""How often questions of a kind count, 1 for others: people ask most what a design does."""


@dataclass(frozen=True)
class Asked:
    """A question with its first files, in the order of the sum.

    `values`: float32 (files, len(NAMES)); `right`, `ignored`: bool (files,); `rank` is that of the
    first right file by the sum, of all files, those that are as good left out.
    """

    index: str
    kind: str
    values: np.ndarray
    right: np.ndarray
    ignored: np.ndarray
    rank: int


def collect(index: Path, questions: Sequence[Question]) -> Iterator[Asked]:
    """Yields the questions that ask for no relation and of which the index has a right file."""
    for searcher, question, right, equal in judged(index, questions):
        found = asked(searcher, question, {*right}, {*equal} - {*right}, index.name)
        if found is not None:
            yield found


def asked(
    searcher: Searcher, question: Question, right: set[int], equal: set[int], index: str
) -> Asked | None:
    """Returns a question with its first files, or None where it asks for a relation.

    Args:
        searcher: of the index.
        question: the question.
        right: numbers of the right files.
        equal: numbers of files that are as good.
        index: the name of the index.
    """
    ranking = searcher.ranking(question.text, 1)
    if asks_for_relation(ranking):
        return None
    return seen(searcher, ranking, question.kind, (right, equal), index)


def seen(
    searcher: Searcher, ranking: Ranking, kind: str, files: tuple[set[int], set[int]], index: str
) -> Asked:
    """Returns a question with its first files as they were ranked.

    Args:
        searcher: of the index.
        ranking: by the sum, in which a right file stands.
        kind: of the question.
        files: numbers of the right files, and of those that are as good.
        index: the name of the index.
    """
    right, equal = files
    others = [number for number in ranking.order if number not in equal]
    first = ranking.order[:FIRST]
    return Asked(
        index, kind, rows(ranking, searcher.signs(ranking.question), first),
        np.asarray([number in right for number in first]),
        np.asarray([number in equal for number in first]),
        1 + next(place for place, number in enumerate(others) if number in right),
    )  # fmt: skip


def fit(questions: Sequence[Asked]) -> Network:
    """Returns the network that fits some questions."""
    count = Counter(one.index for one in questions)
    weights = np.asarray(
        [count[one.index] ** -0.5 * SHARES.get(one.kind, 1.0) for one in questions]
    )
    weights /= weights.mean()
    listed = [
        Listed(one.values, one.right, ~one.ignored, float(weight))
        for one, weight in zip(questions, weights, strict=True)
    ]
    return train(listed, RECIPE)


def ranks(questions: Sequence[Asked], network: Network) -> np.ndarray:
    """Returns the rank of the first right file of each question."""
    return np.asarray([_rank(one, network) for one in questions])


def _rank(one: Asked, network: Network) -> int:
    if not one.right.any():
        return one.rank
    values = network.scores(one.values)
    order = np.argsort(-values, kind="stable")
    kept = order[~one.ignored[order]]
    return 1 + int(np.flatnonzero(one.right[kept])[0])


def left_out(questions: Sequence[Asked], origin: Mapping[str, str]) -> np.ndarray:
    """Returns the ranks by networks that were fitted without the indexes of a question's origin."""
    out = np.zeros(len(questions), np.int64)
    names = np.asarray([origin.get(one.index, one.index) for one in questions])
    for name in sorted(set(names.tolist())):
        network = fit([one for one, own in zip(questions, names, strict=True) if own != name])
        mine = names == name
        out[mine] = ranks([questions[at] for at in np.flatnonzero(mine).tolist()], network)
    return out


def write(out: Path, network: Network) -> None:
    """Writes a network as `hdlgraph.query.listwise.order` reads it."""
    numbers = {
        name: np.round(np.asarray(part, np.float64), DIGITS).tolist()
        for name, part in network._asdict().items()
    }
    found = {"names": NAMES, **numbers}
    out.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Reads the command line, fits, measures and writes the network."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.fit.listwise", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("pairs", nargs="+", type=Path, metavar="QUESTIONS INDEX")
    parser.add_argument("--same", action="append", default=[], metavar="NAME,NAME")
    given = parser.parse_args(arguments)
    if len(given.pairs) % 2:
        parser.error("name an index behind each question set")
    origin = {name: same for same in given.same for name in same.split(",")}
    questions: list[Asked] = []
    for path, index in zip(given.pairs[::2], given.pairs[1::2], strict=True):
        questions += collect(index, read_questions(path))
    if len({origin.get(one.index, one.index) for one in questions}) < 2:
        parser.error("name indexes of two origins at least: each is judged by the others")
    columns = {
        "sum": np.asarray([one.rank for one in questions]),
        "network, index left out": left_out(questions, origin),
    }
    for line in table(questions, columns):
        sys.stdout.write(line + "\n")
    write(given.out, fit(questions))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
