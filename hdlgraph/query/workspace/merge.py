"""Makes one list of the hits of several repositories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.result.confidence import LIMIT
from hdlgraph.query.workspace.evidence import Evidence
from hdlgraph.query.workspace.records import Place, WorkspaceHit
from hdlgraph.query.workspace.weigh import probabilities, signs
from hdlgraph.results import Hit


class Found(NamedTuple):
    """The hits of one repository, their evidence, and the contents (sha256) of each."""

    hits: Sequence[Hit]
    evidence: Evidence
    contents: Sequence[Sequence[str]]


class Merged(NamedTuple):
    """All hits, best first; how likely each repository has the right file; whether none fits."""

    hits: tuple[WorkspaceHit, ...]
    shares: dict[str, float]
    refused: bool


class _Ranked(NamedTuple):
    """A hit with what it is ordered by: how likely it is, then its place and repository."""

    probability: float
    place: int
    repository: str
    hit: Hit
    contents: Sequence[str]


def merge(found: Mapping[str, Found], question: str) -> Merged:
    """Returns the hits of all repositories, the likeliest first.

    Files of the same content are one hit, that of the likeliest, with the probability of all.

    Args:
        found: what each repository found, by its name.
        question: as asked.
    """
    scores = {name: np.asarray([hit.score for hit in one.hits]) for name, one in found.items()}
    features = signs({name: one.evidence for name, one in found.items()}, scores, question)
    likely = probabilities(features, all(one.evidence.dense for one in found.values()))
    ranked = [
        _Ranked(float(likely[name][place]), place, name, hit, one.contents[place])
        for name, one in found.items()
        for place, hit in enumerate(one.hits)
    ]
    ranked.sort(key=lambda one: (-one.probability, one.place, one.repository))
    groups = _same(ranked)
    order = sorted(groups, key=lambda group: -sum(one.probability for one in group))
    hits = tuple(_hit(rank, group) for rank, group in enumerate(order, 1))
    shares = {name: float(one.sum()) for name, one in likely.items()}
    sure = [one.evidence.sure for one in found.values()]
    return Merged(hits, shares, bool(sure) and max(sure) < np.log(LIMIT / (1 - LIMIT)))


def _same(ranked: Sequence[_Ranked]) -> list[list[_Ranked]]:
    """Returns hits of different repositories with the same content together, in order."""
    groups: list[list[_Ranked]] = []
    of: dict[str, list[_Ranked]] = {}
    for one in ranked:
        group = next((of[key] for key in one.contents if key and key in of), None)
        if group is None or any(one.repository == other.repository for other in group):
            group = []
            groups.append(group)
        group.append(one)
        for key in one.contents:
            if key:
                of.setdefault(key, group)
    return groups


def _hit(rank: int, group: Sequence[_Ranked]) -> WorkspaceHit:
    first, whole = group[0], sum(one.probability for one in group)
    also = tuple(Place(one.repository, one.hit.path, one.hit.line) for one in group[1:])
    values = {name: getattr(first.hit, name) for name in Hit.__struct_fields__}
    return WorkspaceHit(
        **{**values, "rank": rank},
        repository=first.repository,
        probability=round(min(whole, 1.0), 4),
        also=also,
    )
