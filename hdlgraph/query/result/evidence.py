"""Why a file is a hit: the lines of evidence of all features, strongest first."""

from __future__ import annotations

from hdlgraph.query.features.feature import Ranking
from hdlgraph.results import Evidence

MAX_TEXT = 240
PASSAGES = 2
"""Surfaces that are shown of a file."""
SURFACE_NAMES = {
    "head": "header",
    "purpose": "explanation",
    "behaviour": "explanation",
}
KINDS = (
    "relation",
    "identifier",
    "printed",
    "verbatim",
    "dense",
    "structure",
    "lexical",
    "passage",
)
"""Kinds of evidence in the order in which they stand where they are equally strong."""


def collect(ranking: Ranking, number: int) -> tuple[Evidence, ...]:
    """Returns the evidence of a file: relations and its name first, then by score, walks last.

    Relations stand behind all but the walks where they did not decide the order.
    """
    decides = getattr(ranking.scores.get("relation"), "decides", True)
    found = passages(ranking, number)
    for scores in ranking.scores.values():
        found += scores.evidence(ranking, number)
    return tuple(sorted(found, key=lambda item: _place(item, decides)))


def _place(item: Evidence, decides: bool) -> tuple[bool, bool, int, float, int]:
    kind = KINDS.index(item.kind) if item.kind in KINDS else len(KINDS)
    relation, named = item.kind == "relation", item.kind == "identifier"
    last = 2 if item.kind == "graph" else int(relation and not decides)
    return not (relation and decides), not named, last, -item.score, kind


def passages(ranking: Ranking, number: int) -> list[Evidence]:
    """Returns the surfaces of a file that most of its score stands on, the best first."""
    surfaces = ranking.asked.index.surfaces
    if surfaces is None:
        return []
    gained: dict[int, float] = {}  # by row: several parts may stand on one surface
    for scores in ranking.scores.values():
        for name, rows in scores.passages.items():
            row = int(rows[number])
            if row >= 0:
                gained[row] = gained.get(row, 0.0) + ranking.part(name, number)
    path, out = ranking.asked.index.lexicon.paths[number], []
    for row, score in sorted(gained.items(), key=lambda item: (-item[1], item[0]))[:PASSAGES]:
        surface = surfaces.texts[row]
        text = f"{SURFACE_NAMES[surface.kind]}: {surface.text[:MAX_TEXT]}"
        out.append(Evidence("dense", path, surface.line, text, round(score, 4)))
    return out


def best_line(evidence: tuple[Evidence, ...], path: str) -> int:
    """Returns the line a reader should open first (1 when nothing points inside the file)."""
    for kinds in (("identifier",), ("printed",), ("verbatim",), ("dense", "passage", "lexical")):
        for item in evidence:
            if item.kind in kinds and item.path == path and item.line > 1:
                return item.line
    return 1
