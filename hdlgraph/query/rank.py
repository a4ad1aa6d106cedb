"""Scores files for a question: the sum of the parts that the ranking features give.

score = sum over features f of weight_f * mm(f) + role + size, where mm scales a feature to
[0, 1] over the candidate files. Min-max sums keep the margin of a clear winner, which rank
fusion (RRF) throws away: .283 / .350 recall@1 against .53 on the development sets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.query.features.dense import NearestSurface
from hdlgraph.query.features.described import KnownStructure
from hdlgraph.query.features.feature import Asked, Feature, Scores
from hdlgraph.query.features.graph import Neighbours
from hdlgraph.query.features.lexical import Lexical
from hdlgraph.query.features.names import DeclaredName
from hdlgraph.query.features.priors import Priors
from hdlgraph.query.features.token_vectors import TokenVectors
from hdlgraph.query.features.verbatim import Verbatim
from hdlgraph.query.features.windows import BestWindow
from hdlgraph.query.printed.feature import WhatIsPrinted
from hdlgraph.query.relations.feature import Related
from hdlgraph.query.weights import in_order, total

FEATURES: tuple[Feature, ...] = (
    Lexical(),
    BestWindow(),
    Verbatim(),
    NearestSurface(),
    TokenVectors(),
    Neighbours(),
    KnownStructure(),
    Priors(),
    DeclaredName(),
    WhatIsPrinted(),
    Related(),
)
"""The features of the search, in the order in which they are asked.

TokenVectors and Neighbours look at what the features before them give together.
"""


def rank(
    asked: Asked, features: Sequence[Feature] = FEATURES
) -> tuple[np.ndarray, dict[str, Scores]]:
    """Asks the features one after the other; returns the score of every file and their scores.

    `asked.parts` holds all parts afterwards, in the order in which they were summed.

    Raises:
        UsageError: two features have one name or give one part, or a part is not of all files.
    """
    scores: dict[str, Scores] = {}
    for feature in features:
        if feature.name in scores:
            raise UsageError(f"ranking feature {feature.name}: there are two; rename one")
        found = feature.score(asked)
        if found is not None:
            _check(feature.name, found, asked)
            asked.parts.update(found.parts)
            scores[feature.name] = found
    asked.parts = {name: asked.parts[name] for name in in_order(asked.parts)}
    return total(asked.parts), scores


def _check(name: str, found: Scores, asked: Asked) -> None:
    for part, values in found.parts.items():
        if part in asked.parts:
            raise UsageError(
                f"ranking feature {name}: another one gives the part {part} too; rename it"
            )
        if values.shape != (asked.n_files,):
            raise UsageError(
                f"ranking feature {name}: its part {part} has the shape {values.shape}; give one "
                f"number for each of the {asked.n_files} files"
            )
