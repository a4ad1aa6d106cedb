"""Fits how hits of several repositories compare (`hdlgraph/query/workspace/weigh.py`).

    python -m hdlgraph.eval.fit.workspace NAME=INDEX=QUESTIONS... [--words]

Each question of a set is asked in all the indexes; right are the files that its set names, in its
own repository, and files of the same content elsewhere. It counts once with all repositories, and
once with a few drawn ones beside its own, so that the numbers serve workspaces of all sizes. The
questions of `data/off-topic.jsonl` have no right file. Maximum likelihood of the right hits, or of
none where no right one was found, with a penalty on the squares of the numbers (of signs scaled to
deviation 1). With --words the searches are made by words and graph alone. Fixed seeds: same
indexes, same constants. Printed: the constants, and recall.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.calibrate import off_topic
from hdlgraph.eval.sets.line import Question
from hdlgraph.eval.sets.named import named_sets
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.project.models import Models
from hdlgraph.project.workspace.file import Entry
from hdlgraph.project.workspace.members import Members
from hdlgraph.project.workspace.searching import One, found_by
from hdlgraph.query.workspace.weigh import DEPTH, SIGNS, signs

SEED = 20260101
MOST = 150
"""Questions of one set."""
BESIDE = (1, 4)
"""Drawn repositories beside a question's own."""
L2 = 0.002
DIRECTIONS = {
    **dict.fromkeys(("place", "gap", "unknown"), (None, 0.0)),
    **dict.fromkeys(("sure", "together", "words", "declared", "covered", "verbatim"), (0.0, None)),
    "named": (0.0, 0.065),
}
"""Least and greatest number of a sign scaled to deviation 1, where its direction is fixed: a user
may call a repository by a common word."""


@dataclass(frozen=True)
class Case:
    """One question in one workspace: the signs of all hits, and which are right."""

    own: str
    names: tuple[str, ...]
    signs: np.ndarray
    right: np.ndarray


class Wordless(Models):
    """No model at all: what is searched by words and graph."""

    def embedder(self) -> None:
        """Returns no embedder."""

    def encoder(self) -> None:
        """Returns no encoder."""


def cases(
    sets: Mapping[str, tuple[Path, Path]], words: bool = False, most: int = MOST
) -> Iterator[Case]:
    """Yields the questions of all sets, each with all repositories and with some.

    Args:
        sets: index and questions of each repository, by its name.
        words: whether they are searched without vectors.
        most: questions of one set.
    """
    members = Members([Entry(name, index) for name, (index, _) in sets.items()])
    for name in sets if words else ():
        project = members.project(name)
        project._models = Wordless(project.settings, [])
    draw = random.Random(SEED)
    asked = [
        (name, one.text, frozenset((*one.relevant, *one.equivalent)))
        for name, (_, file) in sets.items()
        for one in _drawn(read_questions(file), most, draw)
    ]
    asked += [("", text, frozenset()) for text, _ in off_topic()]
    options = {"hops": None, "roles": (), "rerank": False, "fold": True, "lines": False}
    for number, (own, text, relevant) in enumerate(asked):
        outcomes = members.each(lambda project: found_by(project, text, DEPTH, options))  # noqa: B023
        wanted = _contents(members, own, relevant)
        others = sorted(set(outcomes.given) - {own})
        some = draw.sample(others, min(len(others), draw.randint(*BESIDE)))
        for chosen in (
            list(outcomes.given),
            [name for name in outcomes.given if name in {own, *some}],
        ):
            yield _case(
                own, text, {name: outcomes.given[name] for name in chosen}, relevant, wanted
            )
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {len(asked)} questions\n")


def _drawn(questions: Sequence[Question], most: int, draw: random.Random) -> list[Question]:
    chosen = sorted(draw.sample(range(len(questions)), min(most, len(questions))))
    return [questions[n] for n in chosen]


def _contents(members: Members, own: str, paths: frozenset[str]) -> frozenset[str]:
    files = members.project(own).manifest().files if own else {}
    return frozenset(files[path].sha256 for path in paths if path in files) - {""}


def _case(
    own: str, text: str, given: Mapping[str, One], relevant: frozenset[str], wanted: frozenset[str]
) -> Case:
    found = {name: one for name, one in given.items() if one.evidence is not None}
    scores = {name: np.asarray([h.score for h in one.result.hits]) for name, one in found.items()}
    features = signs({name: one.evidence for name, one in found.items()}, scores, text)  # type: ignore[misc]
    names, right = [], []
    for name, one in found.items():
        for hit, contents in zip(one.result.hits, one.contents, strict=True):
            is_own = name == own and not relevant.isdisjoint((hit.path, *hit.copies))
            names.append(name)
            right.append(is_own or not wanted.isdisjoint(contents))
    rows = [features[name] for name in found]
    whole = np.concatenate(rows) if rows else np.zeros((0, len(SIGNS)))
    return Case(own, tuple(names), whole, np.asarray(right, bool))


def fit(found: Sequence[Case], words: bool = False, l2: float = L2) -> tuple[float, np.ndarray]:
    """Returns the logit of "none is right", and the number of each sign.

    Args:
        found: the questions.
        words: whether more evidence may never count against a hit: words alone say less, and what
            is fitted to them is sooner an accident of the questions.
        l2: the penalty.
    """
    from scipy.optimize import minimize

    used = [one for one in found if len(one.right)]
    x = np.concatenate([one.signs for one in used])
    deviation = x.std(axis=0) + 1e-9
    x = x / deviation
    right = np.concatenate([one.right for one in used])
    sizes = np.asarray([len(one.right) for one in used])
    begin = np.cumsum(sizes) - sizes
    owner = np.repeat(np.arange(len(used)), sizes)
    lost = np.asarray([not one.right.any() for one in used])

    def loss(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        none, weights = numbers[0], numbers[1:]
        logits = x @ weights
        top = np.maximum(np.maximum.reduceat(logits, begin), none)
        powers, nothing = np.exp(logits - top[owner]), np.exp(none - top)
        every = np.add.reduceat(powers, begin) + nothing
        good = np.add.reduceat(powers * right, begin) + nothing * lost
        value = float(np.mean(np.log(every) - np.log(good)))
        slope = (powers / every[owner] - powers * right / good[owner]) @ x / len(used)
        first = float(np.mean(nothing / every - nothing * lost / good))
        gradient = np.concatenate(([first], slope + 2 * l2 * weights))
        return value + l2 * float(weights @ weights), gradient

    bounds = [(None, None), *((DIRECTIONS.get(name, (None, None))) for name in SIGNS)]
    done = minimize(
        loss,
        np.zeros(x.shape[1] + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds if words else None,
    )
    return float(done.x[0]), done.x[1:] / deviation


def recall(found: Sequence[Case], none: float, weights: np.ndarray) -> dict[str, float]:
    """Returns recall@1 and @5 over on-topic cases, and how well the confidence is calibrated."""
    first, five, known = [], [], []
    for one in found:
        logits = one.signs @ weights if len(one.right) else np.zeros(0)
        top = max([none, *logits.tolist()])
        powers = np.exp(logits - top)
        order = np.argsort(-logits, kind="stable")[:5]
        known.append(float(powers[order].sum() / (powers.sum() + np.exp(none - top))))
        five.append(bool(one.right[order].any()))
        first.append(bool(one.right[order[:1]].any()))
    own = np.asarray([bool(one.own) for one in found])
    sure, hit = np.asarray(known), np.asarray(five, float)
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(sure[bins == b].sum() - hit[bins == b].sum()) for b in range(10)]
    return {
        "cases": len(found),
        "recall@1": round(float(np.mean(np.asarray(first)[own])), 3),
        "recall@5": round(float(np.mean(hit[own])), 3),
        "calibration error": round(float(sum(gaps) / max(len(found), 1)), 3),
        "off-topic confidence": round(float(sure[~own].mean()), 3) if (~own).any() else 0.0,
    }


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Fits, and prints what stands in `weigh.py`."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.fit.workspace", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="NAME=INDEX=QUESTIONS")
    parser.add_argument("--words", action="store_true", help="search by words and graph alone")
    parser.add_argument("--most", type=int, default=MOST, help="questions of one set")
    given = parser.parse_args(arguments)
    _print(named_sets(given.sets), given.words, given.most)
    return 0


def _print(sets: Mapping[str, tuple[Path, Path]], words: bool, most: int) -> None:
    found = list(cases(sets, words, most))
    none, weights = fit(found, words)
    listed = ", ".join(f"{value:.3f}" for value in weights)
    kind = "WORD_" if words else ""
    sys.stdout.write(f"{kind}NONE = {none:.3f}\n{kind}WEIGHTS = ({listed})\n")
    for own in sets:
        rest = fit([one for one in found if one.own != own], words)
        sys.stdout.write(f"# without {own}: ")
        sys.stdout.write(
            f"{recall([one for one in found if one.own == own or not one.own], *rest)}\n"
        )
    sys.stdout.write(f"# all: {recall(found, none, weights)}\n")


if __name__ == "__main__":
    raise SystemExit(main())
