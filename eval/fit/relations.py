"""Fits the model by which edges of the design answer questions for relations.

    python -m hdlgraph.eval.fit.relations OUT QUESTIONS INDEX [QUESTIONS INDEX ...]

Questions with an `evidence` line and a kind of KINDS_OF ask for a relation, others for none. What
is printed was measured with the corpora of each of FOLDS left out in turn, as are the probabilities
of kinds of which rows are made. OUT becomes `hdlgraph/query/relations/joint/model.json`.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from hdlgraph.eval.fit.network import Listed, Recipe, train
from hdlgraph.eval.structural.elaborated import say
from hdlgraph.project import Project
from hdlgraph.query.features.feature import Asked
from hdlgraph.query.network import Network
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.rank import FEATURES, rank
from hdlgraph.query.relations.answers import answers
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.feature import Related, by_readings
from hdlgraph.query.relations.joint.decide import LIKELY, asked_of
from hdlgraph.query.relations.joint.kinds import KINDS, adapted, may_ask, values, without_names
from hdlgraph.query.relations.joint.known import SIGNS, signs
from hdlgraph.query.relations.joint.rows import Rows, rows
from hdlgraph.query.relations.joint.score import PLAIN, of_files
from hdlgraph.query.relations.readings.read import readings
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.search import Searcher

KINDS_OF = {
    "drives": "drives", "reads": "reads", "binds": "binds", "between": "between",
    "connects": "join",
    "tested_by": "tested", "tested": "tested", "imports": "imports", "type_defined_in": "declared",
    "type_defined": "declared", "type": "declared", "uses": "declared",
    "configured_by": "configured", "configured": "configured", "extends": "extends",
    "clocked_by": "clocked", "reset_by": "clocked", "clocked": "clocked", "clock_reset": "clocked",
    "state_of": "state", "state": "state", "fsm_state": "state", "instantiates_child": "child",
    "instantiates_parent": "parent",
}  # fmt: skip
HIERARCHY = ("instantiates", "instantiated_by", "contained_in", "contained")
NONE = "none"
FOLDS = 5
RECIPE = Recipe(plain=PLAIN)
"""Of the network of the rows."""
STRENGTH = 0.3
"""Of the regularisation of the models of kinds (C of scikit-learn)."""
FLAT = 0.01
"""Ridge of the weights that choose the known end."""
LEAST = 0.05
"""Questions that ask less likely for a relation have no rows."""
SHARES = {True: 1.0, False: 0.5}
"""Weight of a question for a relation, and of another one."""


@dataclass
class Example:
    """A question with its place, label, vector, and the rows of its files (see `rows`)."""

    corpus: str
    group: str
    text: str
    label: str
    relevant: frozenset[str]
    equivalent: frozenset[str]
    argument: frozenset[str] = frozenset()
    vector: np.ndarray | None = None
    likely: tuple[float, ...] = ()
    values: np.ndarray | None = None
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    known: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    arguments: frozenset[int] = frozenset()
    right: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))

    @property
    def listed(self) -> Listed:
        """Returns the question as the network is fitted to it."""
        assert self.values is not None
        return Listed(self.values, self.right, self.counts, SHARES[self.label != NONE])


def label_of(asked: Mapping[str, Any]) -> str:
    """Returns the kind of relation that a question asks for, NONE for no relation."""
    kind = str(asked.get("kind", "")).replace("-", "_")
    place = str(asked.get("evidence", "")).rpartition(":")[0]
    if kind in HIERARCHY:
        return "parent" if place in asked["relevant"] else "child"
    return KINDS_OF.get(kind, NONE) if place else NONE


def read(questions: Path, corpus: str) -> Iterator[Example]:
    """Yields the questions of a set about one corpus; paths lose the corpus before them."""
    for line in questions.read_text("utf-8").splitlines():
        asked = json.loads(line)
        if asked.get("corpus", corpus) not in (corpus, "libraries", "riscv-cores"):
            continue
        paths = {key: frozenset(path.removeprefix(f"{corpus}/") for path in asked.get(key, ()))
                 for key in ("relevant", "equivalent", "argument")}  # fmt: skip
        text = " ".join(asked["question"].split())
        label = label_of(asked)
        group = "no relation" if label == NONE else questions.parent.name
        yield Example(
            corpus, group, text, label, paths["relevant"], paths["equivalent"], paths["argument"]
        )


def folds(examples: Sequence[Example]) -> list[frozenset[str]]:
    """Returns the corpora in FOLDS parts with about as many questions each."""
    sizes: dict[str, int] = {}
    for one in examples:
        sizes[one.corpus] = sizes.get(one.corpus, 0) + 1
    parts: list[list[str]] = [[] for _ in range(FOLDS)]
    for corpus in sorted(sizes, key=lambda name: (-sizes[name], name)):
        min(parts, key=lambda part: sum(sizes[one] for one in part)).append(corpus)
    return [frozenset(part) for part in parts if part]


def kind_model(examples: Sequence[Example], with_vector: bool) -> LogisticRegression:
    """Returns the fitted model of kinds."""
    made = LogisticRegression(C=STRENGTH, max_iter=1000)
    rows = [values(one.text, readings(one.text), one.vector if with_vector else None)
            for one in examples]  # fmt: skip
    return made.fit(rows, [one.label for one in examples])


def likely(made: LogisticRegression, example: Example) -> tuple[float, ...]:
    """Returns the probability of each kind."""
    if not may_ask(example.text):
        return (0.0,) * len(KINDS)
    row = values(example.text, readings(example.text), example.vector)
    found = dict(zip(made.classes_, made.predict_proba([row])[0], strict=True))
    return adapted(example.text, [float(found.get(kind, 0.0)) for kind in KINDS])


def embed(example: Example, searcher: Searcher) -> None:
    """Gives a question its vector, without names."""
    embedder = searcher.index.embedder
    if embedder is None:
        raise SystemExit(f"{searcher.index.folder}: the index has no vectors; index it with them")
    example.vector = embedder.embed(
        [without_names(searcher.analyse(example.text).text)], query=True
    )[0]


def fill(example: Example, searcher: Searcher) -> None:
    """Makes the rows of a question; it stays without where its answer is not in the index."""
    index = searcher.index
    resolver = index.part(resolver_of)
    if resolver is None or sum(example.likely) <= LEAST:
        return
    question = searcher.analyse(example.text)
    asked = Asked(question, index, searcher.weights_for(question, None), 1, None,
                  QuestionVectors(question.text, index))  # fmt: skip
    rank(asked, [one for one in FEATURES if not isinstance(one, Related)])
    read = readings(example.text)
    relation = asked_relation(example.text)
    form = answers(relation, resolver) if relation else None
    found = by_readings(read, resolver, asked, form)
    part = found.part if found else None
    made = rows(asked_of(asked, resolver, read, example.likely, part, form))
    lay(example, made, searcher.lexicon.paths)


def lay(example: Example, made: Rows, paths: Sequence[str]) -> None:
    """Keeps the rows of a question, those of files that its answers equal apart."""
    own = [paths[row.number] for row in made.every]
    example.values = made.values
    example.numbers = np.asarray([row.number for row in made.every])
    example.known = np.asarray([row.known for row in made.every])
    example.right = np.asarray([path in example.relevant for path in own])
    same = np.asarray([path in example.equivalent for path in own])
    example.counts = ~same | example.right
    named = example.argument & set(paths)
    example.arguments = frozenset(paths.index(path) for path in named)


def place(example: Example, found: Network) -> int:
    """Returns the rank of the first right file."""
    assert example.values is not None
    scores = found.scores(example.values)
    best = of_files(example.numbers[example.counts].tolist(), scores[example.counts])
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
    parser.add_argument("--keep", type=Path, metavar="FILE",
                        help="write the examples with their rows, for trials")  # fmt: skip
    given = parser.parse_args()
    searchers: dict[Path, Searcher] = {}
    examples: list[tuple[Example, Searcher]] = []
    for questions, folder in zip(given.pairs[::2], given.pairs[1::2], strict=True):
        searcher = searchers.setdefault(folder, Project.open(folder).searcher())
        known = set(searcher.lexicon.paths)
        examples += [(one, searcher) for one in read(questions, folder.name)
                     if one.relevant & known]  # fmt: skip
    examples.sort(key=lambda one: (one[0].corpus, one[0].group, one[0].text))
    for one, searcher in examples:
        embed(one, searcher)
    plain = [one for one, _ in examples]
    for fold in folds(plain):
        made = kind_model([one for one in plain if one.corpus not in fold], with_vector=True)
        for one, searcher in examples:
            if one.corpus in fold:
                one.likely = likely(made, one)
                fill(one, searcher)
    if given.keep:
        given.keep.write_bytes(pickle.dumps(plain))
    fit(given.out, plain, next(iter(searchers.values())).index.embedder.name)  # type: ignore[union-attr]


def fit(out: Path, examples: Sequence[Example], embedder: str) -> None:
    """Measures with corpora left out, then fits on all and writes the model."""
    measure(examples)
    used = [one for one in examples if one.values is not None]
    rows_model = train([one.listed for one in used], RECIPE)
    model = {
        "embedder": embedder,
        "kinds": _written(kind_model(examples, with_vector=True)),
        "kinds by cues": _written(kind_model(examples, with_vector=False)),
        "rows": {name: _rounded(one) for name, one in rows_model._asdict().items()},
        "known": _rounded(known_model(used, rows_model)),
    }
    out.write_text(json.dumps(model, separators=(",", ":")) + "\n", "utf-8")


def known_model(examples: Sequence[Example], found: Network) -> np.ndarray:
    """Returns the weights of `joint.known.SIGNS`: those by which the arguments are likeliest.

    What the network has first is no known end; a question that asks for no relation tells nothing.
    """
    rows = []
    for one in examples:
        if one.values is None or sum(one.likely) < LIKELY or not one.arguments:
            continue
        scores = found.scores(one.values)
        files, seen = signs(one.numbers, one.known, one.values, scores)
        other = np.asarray(files) != one.numbers[int(np.argmax(scores))]
        right = np.asarray([number in one.arguments for number in files])
        if (right & other).any():
            rows.append((seen[other], right[other]))

    def loss(now: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = FLAT * (now**2).sum(), 2 * FLAT * now
        for seen, right in rows:
            chance = np.exp(seen @ now - (seen @ now).max())
            chance /= chance.sum()
            good = chance[right].sum() + 1e-12
            total -= np.log(good)
            slope -= (np.where(right, chance / good, 0.0) - chance) @ seen
        return float(total), slope

    return minimize(loss, np.zeros(len(SIGNS)), jac=True, method="L-BFGS-B").x


def _written(made: LogisticRegression) -> dict[str, Any]:
    order = [list(made.classes_).index(kind) for kind in (*KINDS, NONE)]
    return {"weights": _rounded(made.coef_[order]), "at 0": _rounded(made.intercept_[order])}


def _rounded(found: np.ndarray) -> Any:
    return np.asarray(found, np.float64).round(4).tolist()


def measure(examples: Sequence[Example]) -> None:
    """Prints the shares of right files at 1 and 5 with the corpora of each fold left out."""
    places: dict[str, list[int]] = {}
    for fold in folds(examples):
        others = [one.listed for one in examples
                  if one.values is not None and one.corpus not in fold]  # fmt: skip
        found = train(others, RECIPE)
        for one in examples:
            if one.corpus in fold and one.values is not None:
                kind = one.group if one.label == NONE else "relation"
                groups = {kind, one.group, f"{kind}, {one.corpus}", f"{kind}, {one.label}"}
                for group in groups:
                    places.setdefault(group, []).append(place(one, found))
    for group, ranks in sorted(places.items()):
        first = sum(one == 1 for one in ranks) / len(ranks)
        five = sum(one <= 5 for one in ranks) / len(ranks)
        say(f"{group:28} {len(ranks):4} {first:7.2f} {five:7.2f}")


if __name__ == "__main__":
    main()
