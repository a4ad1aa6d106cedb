"""The first files of a ranking as hits: their best line, what they are for, and their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hdlgraph.query.result.evidence import best_line, best_terms, collect
from hdlgraph.results import Evidence, Hit

if TYPE_CHECKING:
    from hdlgraph.query.search import Ranking, Searcher

SEEDS = 5  # best files from which the graph is walked


def make_hits(
    searcher: Searcher,
    ranking: Ranking,
    numbers: Sequence[int],
    score: np.ndarray,
    hops: int,
    evidence: bool,
) -> tuple[Hit, ...]:
    """Returns the files `numbers`, best first, as hits.

    Args:
        searcher: the index.
        ranking: what was asked and found.
        numbers: the files to show.
        score: float (n_files,), the score that each hit shows.
        hops: edges walked from the seeds; 0 shows no walk.
        evidence: whether to collect evidence for each hit.
    """
    starts = seeds(ranking, score)
    terms = best_terms(searcher.lexicon, ranking.question, numbers) if evidence else {}
    hits = []
    for rank, number in enumerate(numbers, 1):
        path = searcher.lexicon.paths[number]
        reasons = (
            _reasons(searcher, ranking, number, starts, hops, terms[number]) if evidence else ()
        )
        hits.append(
            Hit(
                rank,
                path,
                best_line(reasons, path),
                round(float(score[number]), 4),
                searcher.lexicon.roles[number],
                searcher.vectors.summary(number) if searcher.vectors else "",
                reasons,
            )
        )
    return tuple(hits)


def seeds(ranking: Ranking, score: np.ndarray) -> list[int]:
    """Returns the files at which walks begin."""
    if ranking.question.instantiates and "wanted_parent" in ranking.parts:
        # The walk starts at what the question names, not at another file that holds it.
        named = score - ranking.parts["wanted_parent"]
        return [int(n) for n in np.argsort(-named, kind="stable")[:SEEDS]]
    return ranking.order[:SEEDS]


def _reasons(
    searcher: Searcher,
    ranking: Ranking,
    number: int,
    starts: Sequence[int],
    hops: int,
    terms: Sequence[tuple[str, int]],
) -> tuple[Evidence, ...]:
    graph = searcher.graph if hops else None
    return collect(
        number,
        ranking.question,
        searcher.lexicon,
        searcher.vectors,
        graph,
        ranking.features,
        ranking.parts,
        graph.walk(list(starts), number, hops) if graph else None,
        terms,
        searcher.structures.texts if searcher.structures else (),
    )
