"""Tries what a cross-encoder adds to the search, on repositories of which nothing was learnt.

The model learns from some repositories and scores others: on these scores the weight beside another
number is chosen, and a network of the order is fitted that sees them. Third ones are judged.
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
from hdlgraph.train.cross.model import CrossEncoder, write_cross_encoder, write_judged
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
    write_judged(folder, recipe.tokens, {"better": False, "made": told})
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


SUM, NETWORK, ALIKE = "sum", "network", "network of the scored"
SEES = "network that sees the score"
BASES = {SUM: SUM, NETWORK: NETWORK, SEES: ALIKE}
"""What a way is compared with, by how its name begins; the longest beginning counts."""


def compare(learnt: Sequence[Listed], scored: Scored, judged: Scored) -> dict[str, np.ndarray]:
    """Returns the ranks of judged questions by the search and with the scores.

    A score is put beside the sum of the parts, beside what a network of the order gives (NETWORK,
    fitted on all but the judged questions), and among the inputs of a network that is fitted on
    the scored questions, as ALIKE is without the score.

    Args:
        learnt: questions that the cross-encoder learnt from.
        scored: questions over other repositories, on which weights are chosen.
        judged: questions over third ones.
    """
    known, scores = scored[0], [score[:SEEN] for score in scored[1]]
    asked, near = judged
    plain = fit([one.asked for one in [*learnt, *known]])
    apart = fit([one.asked for one in learnt])
    ways = {
        SUM: ([_sums(one) for one in known], [_sums(one) for one in asked]),
        NETWORK: tuple(
            [net.scores(one.asked.values) for one in some]
            for net, some in ((apart, known), (plain, asked))
        ),
    }
    found = {SUM: summed(asked, ways[SUM][1], near, 0.0, 1)}
    found[NETWORK] = ranks([one.asked for one in asked], plain)
    for name, (before, values) in ways.items():
        weight = best_weight(known, before, scores, SEEN)
        for first in FIRSTS:
            ranked = summed(asked, values, near, weight, first)
            found[f"{name} + {weight:g} x score, first {first}"] = ranked
    found[ALIKE] = ranks([one.asked for one in asked], fit([one.asked for one in known]))
    seeing = fit([widened(one, score) for one, score in zip(known, scores, strict=True)])
    wide = [widened(one, score[:SEEN]) for one, score in zip(asked, near, strict=True)]
    return {**found, SEES: ranks(wide, seeing)}


def _sums(one: Listed) -> np.ndarray:
    """Returns the sum of the parts of each file, which the order of the files is by."""
    return one.asked.values[:, 0].astype(np.float64)
