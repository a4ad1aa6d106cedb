"""Fits the model by which edges of the design answer questions for relations.

    python -m hdlgraph.eval.fit.relations OUT QUESTIONS INDEX [QUESTIONS INDEX ...]

Questions with an `evidence` line and a kind of KINDS_OF ask for a relation, others for none. What
is printed was measured with each corpus left out in turn. OUT becomes
`hdlgraph/query/relations/joint/model.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from hdlgraph.eval.structural.elaborated import say
from hdlgraph.project import Project
from hdlgraph.query.features.feature import Asked
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.rank import FEATURES, rank
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.feature import Related, by_readings
from hdlgraph.query.relations.joint.cue_words import features
from hdlgraph.query.relations.joint.decide import asked_of
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.rows import WIDTH, rows
from hdlgraph.query.relations.readings.read import readings
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.search import Searcher

KINDS_OF = {
    "drives": "drives", "reads": "reads", "binds": "binds", "between": "join", "connects": "join",
    "tested_by": "tested", "imports": "imports", "type_defined_in": "declared", "type": "declared",
    "uses": "declared", "configured_by": "configured", "extends": "extends",
    "clocked_by": "clocked", "reset_by": "clocked", "state_of": "state",
}  # fmt: skip
HIERARCHY = ("instantiates", "instantiated_by", "contained_in")
NONE = "none"
STRENGTH = 1.0
"""Of the regularisation of the model of kinds (C of scikit-learn)."""
RIDGE, START = 0.2, 10.0
"""Of the weights of rows: ridge, and where the weight of the plain ranking starts."""
LEAST = 0.02
"""Questions that ask less likely for a relation do not count for the weights."""
SHARES = {True: 1.0, False: 0.5}
"""Weight of a question for a relation, and of another one."""


@dataclass
class Example:
    """A question with its place, label, and the rows of its files (see `rows`)."""

    corpus: str
    text: str
    label: str
    relevant: frozenset[str]
    equivalent: frozenset[str]
    has_argument: bool
    features: list[float] = field(default_factory=list)
    likely: tuple[float, ...] = ()
    values: np.ndarray | None = None
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    right: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))


def label_of(asked: Mapping[str, Any]) -> str:
    """Returns the kind of relation that a question asks for, NONE for no relation."""
    kind = asked["kind"].replace("-", "_")
    if kind in HIERARCHY:
        return "parent" if asked["evidence"].rpartition(":")[0] in asked["relevant"] else "child"
    return KINDS_OF.get(kind, NONE)


def read(questions: Path, corpus: str) -> Iterator[Example]:
    """Yields the questions of a set about one corpus; paths lose the corpus before them."""
    for line in questions.read_text("utf-8").splitlines():
        asked = json.loads(line)
        paths = {key: frozenset(path.removeprefix(f"{corpus}/") for path in asked.get(key, ()))
                 for key in ("relevant", "equivalent")}  # fmt: skip
        text = " ".join(asked["question"].split())
        yield Example(corpus, text, label_of(asked), paths["relevant"], paths["equivalent"],
                      "argument" in asked)  # fmt: skip


def kind_model(examples: Sequence[Example]) -> LogisticRegression:
    """Returns the fitted model of kinds."""
    made = LogisticRegression(C=STRENGTH, max_iter=3000)
    return made.fit([one.features for one in examples], [one.label for one in examples])


def likely(made: LogisticRegression, example: Example) -> tuple[float, ...]:
    """Returns the probability of each kind."""
    found = dict(zip(made.classes_, made.predict_proba([example.features])[0], strict=True))
    return tuple(float(found.get(kind, 0.0)) for kind in KINDS)


def fill(example: Example, searcher: Searcher) -> None:
    """Makes the rows of a question; it stays without where its answer is not in the index."""
    lexicon, index = searcher.lexicon, searcher.index
    paths = {path: number for number, path in enumerate(lexicon.paths)}
    right = [paths[path] for path in example.relevant if path in paths]
    resolver = index.part(resolver_of)
    if not right or resolver is None or asked_relation(example.text):
        return
    question = searcher.analyse(example.text)
    asked = Asked(question, index, searcher.weights(None), 1, None,
                  QuestionVectors(question.text, index))  # fmt: skip
    rank(asked, [one for one in FEATURES if not isinstance(one, Related)])
    read = readings(example.text)
    found = by_readings(read, resolver, asked)
    made = rows(asked_of(asked, resolver, read, example.likely, found.part if found else None))
    example.values = np.stack([row.values for row in made])
    example.numbers = np.asarray([row.number for row in made])
    example.right = np.isin(example.numbers, right)
    same = [paths[path] for path in example.equivalent if path in paths]
    example.counts = ~np.isin(example.numbers, same) | example.right


def weights(examples: Sequence[Example]) -> np.ndarray:
    """Returns the weights of rows: those by which the right files are likeliest."""
    start = np.zeros(WIDTH)
    start[0] = START
    used = [one for one in examples if one.values is not None and one.right.any()]

    def loss(now: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = RIDGE * ((now - start) ** 2).sum(), 2 * RIDGE * (now - start)
        for one in used:
            scores = np.where(one.counts, one.values @ now, -1e9)
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            good = chance[one.right].sum() + 1e-12
            share = SHARES[one.label != NONE]
            total -= share * np.log(good)
            slope -= share * ((np.where(one.right, chance / good, 0.0) - chance) @ one.values)
        return float(total), slope

    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 150}).x


def place(example: Example, found: np.ndarray) -> int:
    """Returns the rank of the first right file."""
    scores = example.values @ found
    best: dict[int, float] = {}
    for number, score in zip(example.numbers.tolist(), scores.tolist(), strict=True):
        best[number] = max(score, best.get(number, score))
    right = set(example.numbers[example.right].tolist())
    order = sorted(best, key=lambda number: (-best[number], number))
    return next((at for at, number in enumerate(order, 1) if number in right), len(order) + 1)


def main() -> None:
    """Reads the command line, fits, measures and writes the model."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.fit.relations", description=(__doc__ or "")
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("pairs", nargs="+", type=Path, metavar="QUESTIONS INDEX")
    parser.add_argument("--folds", type=Path, metavar="DIR",
                        help="write the models without each corpus too")  # fmt: skip
    given = parser.parse_args()
    searchers: dict[Path, Searcher] = {}
    examples: list[tuple[Example, Path]] = []
    for questions, folder in zip(given.pairs[::2], given.pairs[1::2], strict=True):
        searchers.setdefault(folder, Project.open(folder).searcher())
        known = set(searchers[folder].lexicon.paths)
        examples += [(one, folder) for one in read(questions, folder.name)
                     if one.relevant & known]  # fmt: skip
    corpora = sorted({one.corpus for one, _ in examples})
    for one, _ in examples:
        one.features = features(one.text, readings(one.text))
    plain = [one for one, _ in examples]
    for corpus in corpora:
        made = kind_model([one for one in plain if one.corpus != corpus])
        for one, folder in examples:
            if one.corpus == corpus:
                one.likely = likely(made, one)
                if sum(one.likely) > LEAST:
                    fill(one, searchers[folder])
    _measure(plain, corpora)
    _write(given.out, kind_model(plain), weights(plain))
    if given.folds:
        given.folds.mkdir(exist_ok=True)
        for corpus in corpora:
            others = [one for one in plain if one.corpus != corpus]
            _write(given.folds / f"{corpus}.json", kind_model(others), weights(others))


def _write(out: Path, made: LogisticRegression, found: np.ndarray) -> None:
    order = [list(made.classes_).index(kind) for kind in (*KINDS, NONE)]
    model = {
        "kinds": [[round(float(v), 4) for v in made.coef_[at]] for at in order],
        "kinds_at_0": [round(float(made.intercept_[at]), 4) for at in order],
        "weights": [round(float(v), 4) for v in found],
    }
    out.write_text(json.dumps(model) + "\n", "utf-8")


def _measure(examples: Sequence[Example], corpora: Sequence[str]) -> None:
    places: dict[str, list[int]] = {}
    for corpus in corpora:
        found = weights([one for one in examples if one.corpus != corpus])
        for one in examples:
            if one.corpus == corpus and one.values is not None:
                kind = "no relation" if one.label == NONE else (
                    "edges" if one.has_argument else "older")  # fmt: skip
                for group in (kind, f"{kind}, {corpus}"):
                    places.setdefault(group, []).append(place(one, found))
    for group, ranks in sorted(places.items()):
        first = sum(one == 1 for one in ranks) / len(ranks)
        five = sum(one <= 5 for one in ranks) / len(ranks)
        say(f"{group:28} {len(ranks):4} {first:7.2f} {five:7.2f}")


if __name__ == "__main__":
    main()
