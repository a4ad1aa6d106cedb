"""Tries what a cross-encoder adds to the search, on repositories of which nothing was learnt.

Two models learn from one half of the repositories each and score the other half: on these scores
the weight beside the sum is chosen, and a network of the order is fitted that sees them. The score
of a file of the repositories that are judged is the mean of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.eval.fit.listwise import fit, ranks
from hdlgraph.index.embed.embedder import sha256_of
from hdlgraph.index.embed.onnx import open_tokenizer
from hdlgraph.train.cross.cards import pieces
from hdlgraph.train.cross.fit import CrossLearner, CrossRecipe
from hdlgraph.train.cross.material import CANDIDATES, Listed, lines_of, texts_of
from hdlgraph.train.cross.model import CrossEncoder, write_about, write_cross_encoder
from hdlgraph.train.cross.orders import best_weight, summed, widened
from hdlgraph.train.cross.start import open_start
from hdlgraph.train.embedder import ASIDE, LEAST
from hdlgraph.train.full.model_folder import model_file

SEEN = 10
"""Files whose scores the network sees, and by which the weight beside another number is chosen."""
FIRSTS = (SEEN, CANDIDATES)
"""Files that may change places, of which each is tried."""
TOLD = 48
"""Questions kept aside whose loss is told, or a few more."""
Tick = Callable[[str, int, int], None]


def learn(
    listed: Sequence[Listed],
    out: Path,
    recipe: CrossRecipe,
    made: Mapping[str, Any],
    tick: Tick | None = None,
) -> Path:
    """Learns a cross-encoder, writes it and returns its folder.

    Args:
        listed: questions; a share of their files is kept aside, whose loss is told.
        out: folder for the folder of the model.
        recipe: how.
        made: where the questions come from, kept with the model.
        tick: told the stage, and how many of how many are done.

    Raises:
        UsageError: too few questions, or the model to begin with cannot be used.
    """
    mine, aside = parted(listed, recipe.seed)
    number = texts_of(listed)
    lines, others = lines_of(mine, number), lines_of(aside, number)
    if len(lines) < LEAST or not others:
        raise UsageError(f"nothing to train: {len(lines)} questions ({LEAST} needed)")
    others = others[:: max(1, len(others) // TOLD)]
    start = open_start(recipe.start)
    known = pieces(list(number), open_tokenizer(start.tokenizer), recipe.tokens)
    learner = CrossLearner(known, start.shape, recipe)
    progress = (lambda n, m: tick("steps", n, m)) if tick else None
    weights = start.weights(recipe.layers, recipe.last)
    learnt, ran = learner.learn(weights, lines, others, progress)
    folder = write_cross_encoder(out, start, {**weights, "learnt": learnt})
    counts = {"learnt": len(lines), "aside": len(others)}
    base = {"name": Path(recipe.start).name, "sha256": sha256_of(model_file(start.folder))}
    told = {"recipe": {**asdict(recipe), "start": base}, "questions": counts, **ran, **made}
    write_about(folder, recipe.tokens, {"better": False, "made": told})
    return folder


def parted(listed: Sequence[Listed], seed: int) -> tuple[list[Listed], list[Listed]]:
    """Returns the questions to learn from, and those of a share of the files, kept aside."""
    groups = sorted({one.group for one in listed})
    dice = np.random.default_rng(seed)
    chosen = dice.permutation(len(groups))[: max(1, round(ASIDE * len(groups)))]
    aside = {groups[n] for n in chosen}
    mine = [one for one in listed if one.group not in aside]
    return mine, [one for one in listed if one.group in aside]


def near_of(
    model: CrossEncoder, listed: Sequence[Listed], first: int = CANDIDATES, tick: Tick | None = None
) -> list[np.ndarray]:
    """Returns the scores of the first files of questions, each float32 (at most first,)."""
    found = []
    for done, one in enumerate(listed, 1):
        found.append(model.scores(one.text, one.cards[:first]))
        if tick:
            tick("scores", done, len(listed))
    return found


Scored = tuple[Sequence[Listed], Sequence[np.ndarray]]
"""Questions and the scores of their first files."""


def compare(halves: Sequence[Scored], judged: Scored) -> dict[str, np.ndarray]:
    """Returns the ranks of judged questions by the search and with the scores.

    A score is put beside the sum of the parts, beside what a network of the order gives, and among
    the inputs of such a network. Networks are fitted on the halves; the weight beside one is chosen
    by networks of the other half.

    Args:
        halves: questions scored by the model that learnt from the other half.
        judged: questions over other repositories.
    """
    known = [one for some, _ in halves for one in some]
    scores = [score[:SEEN] for _, some in halves for score in some]
    asked, near = judged
    plain = fit([one.asked for one in known])
    seeing = fit([widened(one, score) for one, score in zip(known, scores, strict=True)])
    wide = [widened(one, score[:SEEN]) for one, score in zip(asked, near, strict=True)]
    ways = {
        "sum": ([_sums(one) for one in known], [_sums(one) for one in asked]),
        "network": (_crossed(halves), [plain.scores(one.asked.values) for one in asked]),
    }
    found = {
        "sum": summed(asked, ways["sum"][1], near, 0.0, 1),
        "network": ranks([one.asked for one in asked], plain),
    }
    for name, (before, values) in ways.items():
        weight = best_weight(known, before, scores, SEEN)
        for first in FIRSTS:
            ranked = summed(asked, values, near, weight, first)
            found[f"{name} + {weight:g} x score, first {first}"] = ranked
    return {**found, "network that sees the score": ranks(wide, seeing)}


def _sums(one: Listed) -> np.ndarray:
    """Returns the sum of the parts of each file, which the order of the files is by."""
    return one.asked.values[:, 0].astype(np.float64)


def _crossed(halves: Sequence[Scored]) -> list[np.ndarray]:
    """Returns what a network of the other half gives the files of each question."""
    first, second = (fit([one.asked for one in some]) for some, _ in halves)
    (mine, _), (others, _) = halves
    return [second.scores(one.asked.values) for one in mine] + [
        first.scores(one.asked.values) for one in others
    ]
