"""Lets each of the two lists raise what the other leads to: files of RTL, and passages.

A passage leads to the units and files that it mentions or describes, to the RTL that implements
its register, and in some measure to all files of the folder that its document is about. Both
lists stay what they are, and each is raised by the other as that was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from hdlgraph.query.documents.scores import spread
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.results import Hit

POOL = 30
"""First files that passages may raise."""
LEADING = (1.0, 0.7, 0.5, 0.4, 0.3)
"""What the first entries of a list weigh where they raise those of the other."""
HOME = 0.5
"""What it weighs that a file lies in the folder that a document is about."""
TO_FILES, TO_PASSAGES = 0.15, 0.2
"""The most that is added to a score from 0 to 1."""


def raised_passages(view: DocumentsView, hits: Sequence[Hit]) -> np.ndarray:
    """Returns what is added to the score of each passage for the first files found."""
    total = np.zeros(len(view.passages), np.float32)
    for weight, hit in zip(LEADING, hits, strict=False):
        own = np.zeros_like(total)
        for path in (hit.path, *hit.copies):
            for number, worth in view.edges.get(path, {}).items():
                own[number] = max(own[number], worth)
            for home, numbers in view.homes.items():
                if path.startswith(f"{home}/"):
                    own[numbers] = np.maximum(own[numbers], HOME)
        total += weight * own
    return TO_PASSAGES * total / max(float(total.max(initial=0.0)), sum(LEADING) * HOME)


def raised_files(
    view: DocumentsView, found: Sequence[tuple[int, float]], paths: Iterable[str]
) -> dict[str, float]:
    """Returns what is added to the score of each file for the first passages found.

    Args:
        view: all passages.
        found: numbers and scores of the best passages.
        paths: the files.
    """
    paths = list(paths)
    total = dict.fromkeys(paths, 0.0)
    for weight, (number, _) in zip(LEADING, found, strict=False):
        home = view.home_of(number)
        for path in paths:
            worth = view.edges.get(path, {}).get(number, 0.0)
            if home and path.startswith(f"{home}/"):
                worth = max(worth, HOME)
            total[path] += weight * worth
    most = max([*total.values(), sum(LEADING) * HOME])
    return {path: TO_FILES * worth / most for path, worth in total.items()}


def with_raised(hits: Sequence[Hit], raised: Mapping[str, float], k: int) -> tuple[Hit, ...]:
    """Returns the first `k` hits after what is added to their scores.

    Args:
        hits: more than are wanted, the best first.
        raised: what is added for each path; that of a copy counts for its hit.
        k: hits wanted.
    """
    if not hits:
        return ()
    score = spread(np.asarray([hit.score for hit in hits], np.float32))
    more = [max(raised.get(path, 0.0) for path in (hit.path, *hit.copies)) for hit in hits]
    order = np.argsort(-(score + np.asarray(more, np.float32)), kind="stable")
    if [int(n) for n in order[:k]] == list(range(min(k, len(hits)))):
        return tuple(hits[:k])
    # Scores never rise with the rank.
    scores = sorted((hit.score for hit in hits), reverse=True)
    return tuple(
        msgspec.structs.replace(hits[int(n)], rank=rank, score=scores[rank - 1])
        for rank, n in enumerate(order[:k], 1)
    )
