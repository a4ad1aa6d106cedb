"""Puts several searches for one question together into one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hdlgraph.results import Evidence, Hit, SearchResult

HELD = 3
"""The file that is first for the question as asked keeps this place or a better one."""
MAX_EVIDENCE = 12  # of a fused hit


def min_max(scores: Sequence[float]) -> list[float]:
    """Returns scores scaled to [0, 1]; all 1 when they are equal."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def fuse(searches: Sequence[tuple[float, SearchResult]]) -> tuple[Hit, ...]:
    """Returns the hits of all searches by the weighted sum of their min-max scaled scores.

    A file that a search did not return counts nothing there. Evidence is merged, that of the
    earlier searches first.

    Args:
        searches: (weight, result), the question as asked first and with the greatest weight; its
            first file stays among the first HELD.
    """
    total: dict[str, float] = {}
    hits: dict[str, list[Hit]] = {}
    for weight, result in searches:
        scaled = min_max([hit.score for hit in result.hits])
        for hit, score in zip(result.hits, scaled, strict=True):
            total[hit.path] = total.get(hit.path, 0.0) + weight * score
            hits.setdefault(hit.path, []).append(hit)
    winner = searches[0][1].hits[0].path if searches[0][1].hits else ""
    return ranked({path: _merged(found) for path, found in hits.items()}, total, winner)


def ranked(hits: Mapping[str, Hit], scores: Mapping[str, float], winner: str) -> tuple[Hit, ...]:
    """Returns hits ranked by score, ties by path, `winner` not below place HELD.

    A winner that was held takes the score of the hit it stands before, so that scores never rise
    with the rank.
    """
    order = sorted(hits, key=lambda path: (-scores[path], path))
    score = dict(scores)
    if winner in score and order.index(winner) >= HELD:
        order.remove(winner)
        score[winner] = score[order[HELD - 1]]
        order.insert(HELD - 1, winner)
    return tuple(
        msgspec.structs.replace(hits[path], rank=rank, score=round(score[path], 4))
        for rank, path in enumerate(order, 1)
    )


def _merged(found: Sequence[Hit]) -> Hit:
    """Returns the first of a file's hits with the evidence of all."""
    seen: dict[tuple[str, str, int, str], Evidence] = {}
    for hit in found:
        for one in hit.evidence:
            seen.setdefault((one.kind, one.path, one.line, one.text), one)
    return msgspec.structs.replace(found[0], evidence=tuple(seen.values())[:MAX_EVIDENCE])
