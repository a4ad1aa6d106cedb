"""Fine-tunes a model on pairs, judges it on questions kept apart, and writes it.

One part of five, by what answers, is kept for the judgement, or other indexes are; a share of the
rest says when to end. What is judged is what is written: the quantised model, by the vectors it
gives to all texts of an index. Five trainings, as a map has, would take five times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.train.embedder import ASIDE, LEAST, WHOLE
from hdlgraph.train.examples import Asked
from hdlgraph.train.full.fit import Learner
from hdlgraph.train.full.material import Source
from hdlgraph.train.full.questions import Question, gather, groups
from hdlgraph.train.full.tunable import Tunable
from hdlgraph.train.judging import Compared, first_right, folds
from hdlgraph.train.report import Trained, TrainingReport

Tick = Callable[[str, int, int], None]


def check_extra() -> None:
    """Checks that what fine-tuning needs is installed.

    Raises:
        UsageError: it is not.
    """
    missing = [name for name in ("jax", "onnx") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"--full and token-encoder need {' and '.join(missing)}: install them with `pip "
            'install "hdlgraph[train]"`'
        )


def fine_tune(
    model: Tunable,
    sources: Sequence[Source],
    out: Path,
    made: dict[str, Any],
    tick: Tick | None = None,
    others: Sequence[Source] = (),
) -> TrainingReport:
    """Fine-tunes a model, writes it and returns the judgement.

    Args:
        model: what is fine-tuned, and how.
        sources: indexes with their pairs; all of one model.
        out: folder for the folder of the model.
        made: where the pairs come from, kept with the model.
        tick: told the stage, and how many of how many are done.
        others: indexes of which nothing is learnt, to judge by in place of a fifth of the pairs.

    Raises:
        UsageError: fewer than LEAST pairs are of the indexes, or the model is none that can be
            fine-tuned.
    """
    texts, questions = gather(sources, model)
    if len(questions) < LEAST:
        raise UsageError(f"nothing to train: {len(questions)} pairs are of it ({LEAST} needed)")
    learnt, aside, held = split(questions, model.recipe.seed, apart=not others)
    tokens = model.tokens(texts, {one.line.question for one in questions})
    weights = model.weights()
    model.check_alike(weights, texts)
    learner = Learner(tokens, model, model.recipe)
    progress = (lambda n, m: tick(f"{model.kind}: steps", n, m)) if tick else None
    found, ran = learner.learn(weights, lines(learnt), lines(aside), progress)
    written = model.write(out, found)
    judged = [(one, list(one.material.asked)) for one in others] or apart(sources, held)
    compared = judge(model, judged, written, tick)
    better = compared[-1].better
    counts = {"learnt": len(learnt), "aside": len(aside), "held_out": len(compared[0].before)}
    about = {
        "better": better,
        "judged": [one.to_dict() for one in compared],
        "base": model.base,
        "made": {**made, "recipe": asdict(model.recipe), **ran, "pairs": counts},
    }
    model.write_about(written, about)
    unknown = tuple(pair.line for one in sources for pair in one.material.unknown)
    trained = Trained(model.kind, better, tuple(compared), written.name, len(learnt), unknown)
    return TrainingReport((trained,), str(out))


def lines(questions: Sequence[Question]) -> list[Any]:
    """Returns the examples of questions."""
    return [one.line for one in questions]


def apart(sources: Sequence[Source], held: Sequence[Question]) -> list[tuple[Source, list[Asked]]]:
    """Returns the questions that were kept apart, by their indexes."""
    return [
        (one, [q.asked for q in held if q.source == number]) for number, one in enumerate(sources)
    ]


def split(
    questions: Sequence[Question], seed: int, *, apart: bool = True
) -> tuple[list[Question], list[Question], list[Question]]:
    """Returns the questions to learn from, those that say when to end, and those to judge by.

    Args:
        questions: all.
        seed: of the parts.
        apart: whether some are kept to judge by.
    """
    group_of = groups(questions)
    fold_of = folds(group_of, seed) if apart else np.ones(len(questions), np.int64)
    rest = sorted({group for group, fold in zip(group_of, fold_of, strict=True) if fold})
    dice = np.random.default_rng(seed + 1)
    chosen = {rest[n] for n in dice.permutation(len(rest))[: max(1, round(ASIDE * len(rest)))]}
    learnt: list[Question] = []
    aside: list[Question] = []
    held: list[Question] = []
    for one, group, fold in zip(questions, group_of, fold_of, strict=True):
        if not fold:
            held.append(one)
        else:
            (aside if group in chosen else learnt).append(one)
    if not learnt or not aside:
        raise UsageError("nothing to train: all pairs are answered by one or two files")
    return learnt, aside, held


def judge(
    model: Tunable,
    judged: Sequence[tuple[Source, Sequence[Asked]]],
    folder: Path,
    tick: Tick | None = None,
) -> list[Compared]:
    """Returns ranks before and after of questions, by a model's vectors and by the whole search.

    Args:
        model: what was fine-tuned.
        judged: indexes with the questions that are asked of them.
        folder: of the model as it was written.
        tick: told how many of how many are done.
    """
    alone: list[tuple[int, int]] = []
    whole: list[tuple[int, int]] = []
    for one, asked in judged:
        mine = [question for question in asked if question.right]
        if not mine:
            continue
        before = model.before(one)
        with model.remade(one.target.index, folder) as remade:
            for done, question in enumerate(mine, 1):
                sets, query = (question.right, question.ignored), question.pair.query
                orders = before(query), remade.alone(query)
                alone.append((first_right(orders[0], *sets), first_right(orders[1], *sets)))
                if question.order:
                    order = remade.searcher.ranking(query, 1).order
                    whole.append((first_right(question.order, *sets), first_right(order, *sets)))
                if tick:
                    tick(f"{model.kind}: judging", done, len(mine))
    return [
        Compared(name, tuple(before for before, _ in ranks), tuple(after for _, after in ranks))
        for name, ranks in ((model.alone, alone), (WHOLE, whole))
    ]
