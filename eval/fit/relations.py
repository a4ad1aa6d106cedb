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
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.network import Recipe, train
from hdlgraph.eval.fit.relation_questions import NONE, Example, folds, read
from hdlgraph.eval.structural.elaborated import say
from hdlgraph.project import Project
from hdlgraph.query.features.feature import Asked
from hdlgraph.query.network import Network
from hdlgraph.query.question.vectors import QuestionVectors
from hdlgraph.query.rank import FEATURES, rank
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.feature import Related, by_readings
from hdlgraph.query.relations.find import answers
from hdlgraph.query.relations.joint.decide import LIKELY, asked_of
from hdlgraph.query.relations.joint.kinds import KINDS, adapted, may_ask, values, without_names
from hdlgraph.query.relations.joint.known import SIGNS, signs
from hdlgraph.query.relations.joint.overlap import by_meaning
from hdlgraph.query.relations.joint.question import Question
from hdlgraph.query.relations.joint.rows import Rows, rows
from hdlgraph.query.relations.joint.score import PLAIN, of_files
from hdlgraph.query.relations.readings.read import readings
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.relations.wording.patterns import patterns
from hdlgraph.query.search import Searcher

RECIPE = Recipe(plain=PLAIN)
"""Of the network of the rows."""
STRENGTH = 0.3
"""Of the regularisation of the models of kinds (C of scikit-learn)."""
FLAT = 0.01
"""Ridge of the weights that choose the known end."""
OFTEN, CORPORA = 16, 4
"""Questions and corpora that have a pattern that the models of kinds look for."""
SCALE, ROLES = 20.0, 0.01
"""Of what the roles of tokens say, and of the regularisation of their weights (C)."""
EITHER = ("drives", "reads")
"""Kinds whose edge is stated at both of its ends: where a set has it says nothing of a question."""
LEAST = 0.05
"""Questions that ask less likely for a relation have no rows."""


def known_patterns(examples: Sequence[Example]) -> list[str]:
    """Returns the patterns that enough questions of enough corpora have."""
    counts: Counter[str] = Counter()
    corpora: dict[str, set[str]] = {}
    for one in examples:
        for pattern in patterns(one.text):
            counts[pattern] += 1
            corpora.setdefault(pattern, set()).add(one.corpus)
    return sorted(one for one, count in counts.items()
                  if count >= OFTEN and len(corpora[one]) >= CORPORA)  # fmt: skip


class Told(NamedTuple):
    """What the models see of questions, and what they ask for."""

    rows: csr_matrix
    labels: list[str]
    states: list[bool]


def told(examples: Sequence[Example], known: Sequence[str], with_vector: bool) -> Told:
    """Returns what the models of kinds and places see of some questions."""
    rows = [csr_matrix(values(one.text, readings(one.text), one.vector if with_vector else None,
                              known)) for one in examples]  # fmt: skip
    return Told(vstack(rows).tocsr(), [one.label for one in examples],
                [one.states for one in examples])  # fmt: skip


def kind_model(seen: Told) -> LogisticRegression:
    """Returns the fitted model of kinds."""
    return LogisticRegression(C=STRENGTH, max_iter=1000).fit(seen.rows, seen.labels)


def place_model(seen: Told) -> LogisticRegression:
    """Returns the fitted model of whether the file is asked for in which the edge is stated."""
    asks = np.asarray([label not in (NONE, *EITHER) for label in seen.labels])
    made = LogisticRegression(C=STRENGTH, max_iter=1000)
    return made.fit(seen.rows[asks], np.asarray(seen.states)[asks])


def likely(text: str, made: LogisticRegression, chances: np.ndarray) -> tuple[float, ...]:
    """Returns the probability of each kind."""
    if not may_ask(text):
        return (0.0,) * len(KINDS)
    found = dict(zip(made.classes_, chances, strict=True))
    return adapted(text, [float(found.get(kind, 0.0)) for kind in KINDS])


def guess(examples: Sequence[Example]) -> None:
    """Gives all questions their probabilities by models of the corpora of the other folds."""
    seen = told(examples, known_patterns(examples), with_vector=True)
    for fold in folds(examples):
        other = [at for at, one in enumerate(examples) if one.corpus not in fold]
        own = [at for at, one in enumerate(examples) if one.corpus in fold]
        some = Told(seen.rows[other], [seen.labels[at] for at in other],
                    [seen.states[at] for at in other])  # fmt: skip
        made, placed = kind_model(some), place_model(some)
        rows = seen.rows[own]
        for at, chances, place in zip(
            own, made.predict_proba(rows), placed.predict_proba(rows)[:, 1], strict=True
        ):
            examples[at].likely = likely(examples[at].text, made, chances)
            examples[at].placed = float(place)


def embed(example: Example, searcher: Searcher) -> None:
    """Gives a question its vector, without names."""
    embedder = searcher.index.embedder
    if embedder is None:
        raise SystemExit(f"{searcher.index.folder}: the index has no vectors; index it with them")
    example.vector = embedder.embed(
        [without_names(searcher.analyse(example.text).text)], query=True
    )[0]


def side(example: Example, searcher: Searcher) -> None:
    """Keeps what the roles of tokens say of the files that answer, less that of the known ones."""
    asked = question_of(example, searcher)
    at = {path: number for number, path in enumerate(searcher.lexicon.paths)}
    right = [at[path] for path in sorted(example.relevant & at.keys())]
    other = [at[path] for path in sorted((example.argument - example.relevant) & at.keys())]
    if asked is not None and other and right and asked.told.size:
        gains = by_meaning(asked.sides.asked, [*right, *other]).gains[:-1]
        count = min(gains.shape[1], len(asked.told))
        apart = gains[: len(right)].mean(axis=0) - gains[len(right) :].mean(axis=0)
        example.sided = apart[:count] @ asked.told[:count]


def role_model(examples: Sequence[Example]) -> np.ndarray:
    """Returns the weights of `wording.roles`: what answers is nearer than what is named."""
    rows = SCALE * np.stack([one.sided for one in examples if one.sided is not None])
    labels = np.repeat([1, 0], len(rows))
    made = LogisticRegression(C=ROLES, fit_intercept=False, max_iter=1000)
    return SCALE * made.fit(np.concatenate([rows, -rows]), labels).coef_[0]


def weigh(examples: Sequence[Example]) -> None:
    """Gives all questions the weights of roles fitted on the corpora of the other folds."""
    for fold in folds(examples):
        weights = role_model([one for one in examples if one.corpus not in fold])
        for one in examples:
            if one.corpus in fold:
                one.weights = weights


def fill(example: Example, searcher: Searcher) -> None:
    """Makes the rows of a question; it stays without where its answer is not in the index."""
    if sum(example.likely) > LEAST:
        asked = question_of(example, searcher)
        if asked is not None:
            made = rows(replace(asked, weights=example.weights))
            lay(example, made, searcher.lexicon.paths)


def question_of(example: Example, searcher: Searcher) -> Question | None:
    """Returns a question as rows are made of it, None where its index has no graph."""
    index = searcher.index
    resolver = index.part(resolver_of)
    if resolver is None:
        return None
    question = searcher.analyse(example.text)
    asked = Asked(question, index, searcher.weights_for(question, None), 1, None,
                  QuestionVectors(question.text, index))  # fmt: skip
    rank(asked, [one for one in FEATURES if not isinstance(one, Related)])
    read = readings(example.text)
    relation = asked_relation(example.text)
    form = answers(relation, resolver) if relation else None
    found = by_readings(read, resolver, asked, form)
    part = found.part if found else None
    return asked_of(asked, resolver, read, example.likely, part, form, example.placed)


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


@telling_errors
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
    guess(plain)
    for one, searcher in examples:
        if one.argument:
            side(one, searcher)
    weigh(plain)
    for one, searcher in examples:
        fill(one, searcher)
    if given.keep:
        given.keep.write_bytes(pickle.dumps(plain))
    fit(given.out, plain, next(iter(searchers.values())).index.embedder.name)  # type: ignore[union-attr]


def fit(out: Path, examples: Sequence[Example], embedder: str) -> None:
    """Fits on all questions and writes the model, then measures with corpora left out."""
    used = [one for one in examples if one.values is not None]
    rows_model = train([one.listed for one in used], RECIPE)
    known = known_patterns(examples)
    whole, cues = (told(examples, known, with_vector=one) for one in (True, False))
    model = {
        "embedder": embedder,
        "patterns": known,
        "kinds": _written(kind_model(whole), (*KINDS, NONE)),
        "kinds by cues": _written(kind_model(cues), (*KINDS, NONE)),
        "placed": _written(place_model(whole), (False, True)),
        "placed by cues": _written(place_model(cues), (False, True)),
        "rows": {name: _rounded(one) for name, one in rows_model._asdict().items()},
        "roles": _rounded(role_model(examples)),
        "known": _rounded(known_model(used, rows_model)),
    }
    out.write_text(json.dumps(model, separators=(",", ":")) + "\n", "utf-8")
    measure(examples)


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


def _written(made: LogisticRegression, order: Sequence[Any]) -> dict[str, Any]:
    """Returns the numbers of a model, a row for each of some classes; of two one has none."""
    weights, at_0 = made.coef_, made.intercept_
    if len(made.classes_) == 2:
        weights = np.stack([np.zeros_like(weights[0]), weights[0]])
        at_0 = np.asarray([0.0, at_0[0]])
    places = [list(made.classes_).index(one) for one in order]
    return {"weights": _rounded(weights[places]), "at 0": _rounded(at_0[places])}


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
    raise SystemExit(main())
