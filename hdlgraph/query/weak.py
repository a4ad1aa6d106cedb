"""Whether a search found anything that could answer the question, told without a model.

Three signs, and all must be bad: some words of the question are in no file, the best files hold few
of its words, weighted by how rare these are, and no passage is near it in meaning.
"""

from __future__ import annotations

import math

import numpy as np

from hdlgraph.query.analyse import Question, analyse
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.search import Searcher
from hdlgraph.results import SearchResult

LOOKED_AT = 3  # best files
COVERED = 0.25  # share of the question's weight below which its words are hardly there
COVERED_ALONE = 0.15  # where there are no vectors, or none whose cosines are known
EXPANDED = 0.7  # worth of an expansion against the question's own word
NEAR, NEAR_SLOPE, NEAR_MOST = 0.50, 0.02, 0.70
UNKNOWN_SLOPE, UNKNOWN_FREE = 0.02, 2
"""A cosine is near from NEAR + NEAR_SLOPE ln(passages) on, as of more passages one is nearer by
chance, and by UNKNOWN_SLOPE more for each word beyond UNKNOWN_FREE that no file has."""
KNOWN_EMBEDDER = "bge-small-en-v1.5"


def weakness(searcher: Searcher, question: str, result: SearchResult) -> str:
    """Returns why a search result can hardly answer the question, "" when it may.

    A question that names an identifier of the index, or has no content words, is never weak.
    """
    if not result.hits:
        return "no file matches"
    if any(e.kind == "identifier" for hit in result.hits for e in hit.evidence):
        return ""
    analysed = analyse(question, searcher.lexicon)
    if not analysed.groups:
        return ""
    unknown = sum(
        not any(searcher.lexicon.document_frequency(term) for term, _ in group.members)
        for group in analysed.groups
    )
    if unknown < min(UNKNOWN_FREE, len(analysed.groups)):
        return ""  # a terse question of an odd name and a usual word may well be right here
    number = {path: n for n, path in enumerate(searcher.lexicon.paths)}
    best = [number[hit.path] for hit in result.hits[:LOOKED_AT]]
    covered = max(coverage(searcher.lexicon, analysed, n) for n in best)
    near = nearness(searcher, analysed.text, unknown)
    if covered >= (COVERED if near is not None else COVERED_ALONE) or (near or 0.0) > 0.0:
        return ""
    reason = "its best files have hardly any of the question's words"
    return reason if near is None else f"{reason}, and no passage is near it in meaning"


def coverage(lexicon: Lexicon, question: Question, number: int) -> float:
    """Returns the share, 0 to 1, of the question's idf that a file's words account for."""
    total = found = 0.0
    for group in question.groups:
        weight = lexicon.idf(lexicon.document_frequency(group.term))
        total += weight
        held = [t for t, _ in group.members if len(lexicon.lines_of(number, t))]
        if held:
            found += weight * (1.0 if group.term in held else EXPANDED)
    return found / total if total else 0.0


def nearness(searcher: Searcher, question: str, unknown: int) -> float | None:
    """Returns by how much the nearest passage is nearer than chance; None when not known."""
    vectors = searcher.vectors
    if vectors is None or searcher.embedder is None or not len(vectors.owner):
        return None
    if not str(vectors.meta["embedder"]).startswith(KNOWN_EMBEDDER):
        return None
    query = searcher.embedder.embed([question], query=True)[0]
    limit = NEAR + NEAR_SLOPE * math.log(len(vectors.owner))
    limit = min(limit + UNKNOWN_SLOPE * max(unknown - UNKNOWN_FREE, 0), NEAR_MOST)
    return float(np.max(vectors.similarity(query))) - limit
