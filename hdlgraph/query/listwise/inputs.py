"""What the network of the order sees of each of the first files of a ranking.

Parts of the score before they are weighed, how far each feature is behind the best file, the place
that each would give the file, how much of the question the file covers, what kind of file it is,
and how the question is worded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hdlgraph.model.file import Role
from hdlgraph.query.best import best_first
from hdlgraph.query.features.feature import Nearness, Ranking
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.wording import SIGNS
from hdlgraph.query.weighing import FIELDS, factors, fitted
from hdlgraph.store.lexical import TEXT

BY_WORDS = ("text", "window", "phrase", "explanation", "declared", "incoming")
"""Features that grow with the words of a question: they are divided by what those weigh."""
COMPARED = (
    *BY_WORDS, "head", "purpose", "behaviour", "token_vectors", "neighbours", "structure",
)  # fmt: skip
COVERED = (TEXT, "explanation", "declared", "incoming")
"""Fields whose share of a question's words is an input."""
RAREST = 3
"""Words of a question, the rarest ones, that are looked up by themselves."""
ROLES = (Role.RTL, Role.TESTBENCH, Role.FORMAL, Role.VENDORED, Role.PACKAGE, Role.GENERATED)
PLACES = 3.0
"""A place p counts 1 / (1 + p / PLACES), p = 0 for the first."""
TOKENS = ("mean", "least", "quarter", "best", "gap")
NAMES = (
    "score",
    *(f"part {name}" for name in FIELDS),
    *(f"sign {name}" for name in SIGNS),
    "identifier",
    *(f"behind {name}" for name in COMPARED),
    *(f"place {name}" for name in COMPARED),
    *(f"tokens {name}" for name in TOKENS),
    *(f"covered {name}" for name in COVERED),
    *(f"rarest {name}" for name in COVERED),
    *(f"role {role.value}" for role in ROLES),
    *(f"length {name}" for name in COVERED),
    "introduced", "copies", "depth", "words",
)  # fmt: skip
"""The numbers of a row, in this order."""


def rows(ranking: Ranking, signs: np.ndarray, files: Sequence[int]) -> np.ndarray:
    """Returns the numbers of some files, float32 (len(files), len(NAMES)).

    Args:
        ranking: as the sum of the parts has it.
        signs: how the question is worded, float64 (len(SIGNS),).
        files: their numbers.
    """
    lexicon, question = ranking.asked.index.lexicon, ranking.question
    pool = np.asarray(files, np.int64)
    found = {"score": ranking.score[pool], "words": np.full(len(pool), len(question.groups))}
    found |= {
        f"sign {name}": np.full(len(pool), value)
        for name, value in zip(SIGNS, signs.tolist(), strict=True)
    }
    found |= _parts(ranking, signs, pool)
    found |= _compared(ranking, pool)
    found |= _tokens(ranking.asked.nearness, pool)
    found |= _covered(ranking, pool)
    found |= _kinds(lexicon, pool)
    return np.stack([np.asarray(found[name], np.float32) for name in NAMES], axis=1)


def _parts(ranking: Ranking, signs: np.ndarray, pool: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the parts of the score without what the wording of the question makes of them."""
    model, none = fitted(), np.zeros(ranking.asked.n_files, np.float32)
    shares = dict(
        zip(model.parts, factors(np.asarray(model.numbers), signs[None])[0].tolist(), strict=True)
    )
    out = {
        f"part {name}": ranking.parts.get(name, none)[pool].astype(np.float64) / shares[name]
        for name in FIELDS
    }
    return {**out, "identifier": ranking.parts.get("identifier", none)[pool]}


def _compared(ranking: Ranking, pool: np.ndarray) -> dict[str, np.ndarray]:
    """Returns how far each feature is behind the best file, and the place by it alone."""
    out, raw = {}, ranking.raw
    total = max(float(rarity(ranking).sum()), 1e-6)
    none = np.zeros(ranking.asked.n_files, np.float32)
    for name in COMPARED:
        values = raw.get(name, ranking.parts.get(name, none))
        mine = values[pool].astype(np.float64)
        out[f"place {name}"] = 1 / (1 + places(values, pool) / PLACES)
        if name in BY_WORDS:
            mine = mine / total
        out[f"behind {name}"] = mine - mine.max()
    return out


def places(values: np.ndarray, pool: np.ndarray) -> np.ndarray:
    """Returns the places of some files by values of all files, 0-based; ties by number."""
    out = np.empty(len(values), np.int64)
    out[best_first(values)] = np.arange(len(values))
    return out[pool]


def rarity(ranking: Ranking) -> np.ndarray:
    """Returns the idf of each term of a question, float64 (terms,)."""
    lexicon = ranking.asked.index.lexicon
    return np.asarray([lexicon.group_idf(one, TEXT) for one in ranking.question.groups], np.float64)


def _tokens(nearness: Nearness | None, pool: np.ndarray) -> dict[str, np.ndarray]:
    """Returns how near the files are to the question's tokens, by what was compared."""
    if nearness is None or not len(nearness.files):
        return {f"tokens {name}": np.zeros(len(pool)) for name in TOKENS}
    known = {number: row for row, number in enumerate(nearness.files.tolist())}
    at = np.asarray([known.get(number, -1) for number in pool.tolist()])
    near = np.where((at >= 0)[:, None], nearness.near[at], nearness.near.min(axis=0))
    best = nearness.near.max(axis=0)
    relative = {
        "mean": near.mean(axis=1),
        "least": near.min(axis=1),
        "quarter": np.quantile(near, 0.25, axis=1),
    }
    out = {f"tokens {name}": values - values.max() for name, values in relative.items()}
    out["tokens best"] = (near >= best - 1e-6).mean(axis=1)
    out["tokens gap"] = (best - near).max(axis=1)
    return out


def _covered(ranking: Ranking, pool: np.ndarray) -> Mapping[str, np.ndarray]:
    """Returns the share of the question's words, by rarity, that fields of the files have."""
    lexicon, groups = ranking.asked.index.lexicon, list(ranking.question.groups)
    out: dict[str, np.ndarray] = {}
    idf = rarity(ranking)
    for field in COVERED:
        if not groups:
            out[f"covered {field}"] = out[f"rarest {field}"] = np.zeros(len(pool))
            continue
        there = lexicon.group_frequencies(groups, field)[:, pool] > 0
        out[f"covered {field}"] = (there * idf[:, None]).sum(axis=0) / max(idf.sum(), 1e-6)
        out[f"rarest {field}"] = there[np.argsort(-idf)[:RAREST]].mean(axis=0)
    return out


def _kinds(lexicon: Lexicon, pool: np.ndarray) -> Mapping[str, np.ndarray]:
    """Returns what is known of the files without the question."""
    numbers = pool.tolist()
    roles = [lexicon.roles[number] for number in numbers]
    paths = [lexicon.paths[number] for number in numbers]
    out = {f"role {role.value}": np.asarray([one == role for one in roles]) for role in ROLES}
    out |= {f"length {field}": np.log1p(lexicon.lengths(field)[pool]) for field in COVERED}
    out["introduced"] = lexicon.introduced[pool]
    out["copies"] = np.log1p([len(lexicon.near_copies.get(path, ())) for path in paths])
    out["depth"] = np.asarray([path.count("/") for path in paths])
    return out
