"""The first files of a ranking as hits: their best line, what they are for, and their evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.result.evidence import best_line, collect
from hdlgraph.results import Hit


def make_hits(
    ranking: Ranking, numbers: Sequence[int], score: np.ndarray, evidence: bool
) -> tuple[Hit, ...]:
    """Returns the files `numbers`, best first, as hits.

    Args:
        ranking: what was asked and found.
        numbers: the files to show.
        score: float (n_files,), the score that each hit shows.
        evidence: whether to collect evidence for each hit.
    """
    index, hits = ranking.asked.index, []
    for rank, number in enumerate(numbers, 1):
        path = index.lexicon.paths[number]
        reasons = collect(ranking, number) if evidence else ()
        hits.append(
            Hit(
                rank,
                path,
                best_line(reasons, path),
                round(float(score[number]), 4),
                index.lexicon.roles[number],
                index.lexicon.summaries[number],
                reasons,
            )
        )
    return tuple(hits)
