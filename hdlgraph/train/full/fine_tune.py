"""Fine-tunes the embedder on pairs, judges it on questions kept apart, and writes it.

One part of five, by what answers, is kept for the judgement, and a share of the rest says when to
end. What is judged is what is written: the quantised model, by the vectors it gives to all texts of
an index. Five trainings, as a map has, would take five times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.embedder import sha256_of
from hdlgraph.index.embed.onnx import open_tokenizer
from hdlgraph.train.embedder import ALONE, ASIDE, LEAST, WHOLE, vectors_rank
from hdlgraph.train.full.encoder import stacked, unstacked
from hdlgraph.train.full.fit import FullRecipe, Learner
from hdlgraph.train.full.material import Question, Source, gather, groups, tokens_of
from hdlgraph.train.full.model_folder import (
    base_settings,
    model_file,
    opened,
    shape_of,
    write_about,
    write_folder,
)
from hdlgraph.train.full.onnx_weights import OnnxWeights
from hdlgraph.train.full.reembedded import reembedded
from hdlgraph.train.judging import Compared, first_right, folds
from hdlgraph.train.report import EMBEDDER as KIND
from hdlgraph.train.report import Trained, TrainingReport

ALIKE = 0.99
"""Least cosine of our forward pass and onnxruntime's: int8 sums take .003 off, a wrong layer more.
"""
CHECKED = 8
"""Texts whose vectors are compared before the training."""

Tick = Callable[[str, int, int], None]


def check_extra() -> None:
    """Checks that what fine-tuning needs is installed.

    Raises:
        UsageError: it is not.
    """
    missing = [name for name in ("jax", "onnx") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"--full needs {' and '.join(missing)}: install them with `pip install "
            '"hdlgraph[train]"`'
        )


def fine_tune(
    sources: Sequence[Source],
    out: Path,
    recipe: FullRecipe,
    made: dict[str, Any],
    tick: Tick | None = None,
) -> TrainingReport:
    """Fine-tunes the model of the first index, writes it and returns the judgement.

    Args:
        sources: indexes with their pairs; all of one model.
        out: folder for the folder of the model.
        recipe: how.
        made: where the pairs come from, kept with the model.
        tick: told the stage, and how many of how many are done.

    Raises:
        UsageError: the extra is missing, fewer than LEAST pairs are of the indexes, or the model
            is none that can be fine-tuned.
    """
    check_extra()
    base = base_settings(sources[0].project.settings.embedding)
    folder = Path(base.path).expanduser()
    texts, questions = gather(sources, base.query_prefix)
    if len(questions) < LEAST:
        raise UsageError(f"nothing to train: {len(questions)} pairs are of it ({LEAST} needed)")
    learnt, aside, held = split(questions, recipe.seed)
    former = OnnxWeights(model_file(folder))
    tokenizer = open_tokenizer(folder / "tokenizer.json")
    tokens = tokens_of(texts, tokenizer, recipe.tokens)
    learner = Learner(tokens, shape_of(folder, base.pooling), recipe)
    weights = stacked(former.arrays())
    check_alike(learner, weights, texts, recipe, opened(folder, base))
    progress = (lambda n, m: tick(f"{KIND}: steps", n, m)) if tick else None
    found, ran = learner.learn(weights, lines(learnt), lines(aside), progress)
    written = write_folder(out, folder, former.write(unstacked(found)))
    compared = judge(sources, held, opened(written, base), tick)
    better = compared[-1].better
    counts = {"learnt": len(learnt), "aside": len(aside), "held_out": len(held)}
    write_about(
        written,
        {
            "better": better,
            "judged": [one.to_dict() for one in compared],
            "base": {"name": base.model, "sha256": sha256_of(model_file(folder))},
            "made": {**made, "recipe": asdict(recipe), **ran, "pairs": counts},
        },
    )
    unknown = tuple(pair.line for one in sources for pair in one.material.unknown)
    model = Trained(KIND, better, tuple(compared), written.name, len(learnt), unknown)
    return TrainingReport((model,), str(out))


def lines(questions: Sequence[Question]) -> list[Any]:
    """Returns the examples of questions."""
    return [one.line for one in questions]


def split(
    questions: Sequence[Question], seed: int
) -> tuple[list[Question], list[Question], list[Question]]:
    """Returns the questions to learn from, those that say when to end, and those to judge by."""
    group_of = groups(questions)
    fold_of = folds(group_of, seed)
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


def check_alike(
    learner: Learner, weights: Any, texts: Sequence[str], recipe: FullRecipe, embedder: Any
) -> None:
    """Checks that the forward pass gives the vectors that the model gives.

    Raises:
        UsageError: it does not, as the model has layers of another kind.
    """
    short = sorted(range(len(texts)), key=lambda n: (len(texts[n]), n))[: CHECKED * 4 : 4]
    short = [n for n in short if len(texts[n]) < recipe.tokens]
    if not short:
        return
    ours, theirs = learner.vectors(weights, short), embedder.embed([texts[n] for n in short])
    least = float((ours * theirs).sum(axis=1).min())
    if least < ALIKE:
        raise UsageError(
            f"the model cannot be fine-tuned: its layers are not those of BERT (a vector of ours "
            f"and one of onnxruntime have cosine {least:.3f})"
        )


def judge(
    sources: Sequence[Source], held: Sequence[Question], embedder: Any, tick: Tick | None = None
) -> list[Compared]:
    """Returns ranks before and after of the questions kept apart, by vectors and whole search."""
    alone: list[tuple[int, int]] = []
    whole: list[tuple[int, int]] = []
    for number, one in enumerate(sources):
        mine = [q.asked for q in held if q.source == number and q.asked.right]
        with ExitStack() as stack:
            index = one.target.index
            searcher, rows = stack.enter_context(reembedded(index, embedder))
            rows = rows[one.target.known]
            for done, asked in enumerate(mine, 1):
                sets = asked.right, asked.ignored
                near = rows @ embedder.embed([asked.pair.query], query=True)[0]
                by_row = one.target.owners[np.argsort(-near, kind="stable")].tolist()
                after = first_right(dict.fromkeys(by_row), *sets)
                alone.append((vectors_rank(one.target, asked), after))
                if asked.order:
                    order = searcher.ranking(asked.pair.query, 1).order
                    whole.append((first_right(asked.order, *sets), first_right(order, *sets)))
                if tick:
                    tick(f"{KIND}: judging", done, len(mine))
    return [
        Compared(name, tuple(before for before, _ in ranks), tuple(after for _, after in ranks))
        for name, ranks in ((ALONE, alone), (WHOLE, whole))
    ]
