"""Why a file is a hit: the parts of its score, each with the line that supports it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.features.dense import Vectors
from hdlgraph.query.features.graph import FileGraph
from hdlgraph.query.features.lexical import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.rank import Features
from hdlgraph.results import Evidence

MAX_TERMS = 5
LEXICAL_PARTS = ("text", "declared", "incoming", "explanation")
MAX_TEXT = 240
SURFACE_NAMES = {
    "head": "header",
    "purpose": "explanation",
    "behaviour": "explanation",
}


def best_terms(
    lexicon: Lexicon, question: Question, numbers: Sequence[int]
) -> dict[int, list[tuple[str, int]]]:
    """Returns the rarest question terms (or expansions) in each file with their first lines."""
    offers = [
        (-weight * lexicon.idf(lexicon.document_frequency(term)), term, group.term)
        for group in question.groups
        for term, weight in group.members
    ]
    files = np.asarray(numbers, np.int64)
    found: dict[int, dict[str, tuple[str, int]]] = {number: {} for number in numbers}
    for _, term, own in sorted(offers):
        spans = lexicon.spans(term, files)
        for place in np.flatnonzero(spans[:, 0] < spans[:, 1]):
            number = int(files[place])
            held = found[number]
            if own in held or len(held) == MAX_TERMS:
                continue
            lines = lexicon.lines_of(number, term)
            inside = lines[lines > 0]  # line 0 is the path itself
            held[own] = (term, int(inside[0]) if len(inside) else 1)
    return {number: list(held.values()) for number, held in found.items()}


def collect(
    number: int,
    question: Question,
    lexicon: Lexicon,
    vectors: Vectors | None,
    graph: FileGraph | None,
    features: Features,
    parts: dict[str, np.ndarray],
    walk: tuple[int, list[int]] | None,
    terms: Sequence[tuple[str, int]],
    structures: Sequence[tuple[str, str]] = (),
) -> tuple[Evidence, ...]:
    """Returns the evidence of file `number`, strongest first; `terms` are its `best_terms`."""
    path = lexicon.paths[number]
    out: list[Evidence] = []
    if number in features.named:
        name, line = features.named[number]
        out.append(
            Evidence(
                "identifier", path, line, f"defines {name}", _part(parts, "identifier", number)
            )
        )
    out += _dense(number, path, vectors, features, parts)
    out += _structure(number, path, structures, features, parts)
    if terms:
        text = ", ".join(f"{t}:{line}" for t, line in terms)
        score = sum(
            _part(parts, n, number) for n in ("text", "declared", "incoming", "explanation")
        )
        out.append(Evidence("lexical", path, terms[0][1], f"terms {text}", score))
    if features.window_line is not None and _part(parts, "window", number) > 0:
        line = int(features.window_line[number])
        text = f"densest passage, lines {line}-{line + 79}"
        out.append(Evidence("passage", path, line, text, _part(parts, "window", number)))
    out.sort(key=lambda e: (e.kind != "identifier", -e.score))
    if graph is not None:
        out += _walk(number, lexicon, graph, parts, walk)
    return tuple(out)


def _part(parts: dict[str, np.ndarray], name: str, number: int) -> float:
    return round(float(parts[name][number]), 4) if name in parts else 0.0


def _dense(
    number: int,
    path: str,
    vectors: Vectors | None,
    features: Features,
    parts: dict[str, np.ndarray],
) -> list[Evidence]:
    scores: dict[int, float] = {}  # by row: a passage may be nearest in both ways
    for kind, rows in features.rows.items():
        row = int(rows[number])
        if row >= 0:
            scores[row] = scores.get(row, 0.0) + _part(parts, kind, number)
    if vectors is None:
        return []
    out = []
    for row, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:2]:
        surface = vectors.texts[row]
        text = f"{SURFACE_NAMES[surface.kind]}: {surface.text[:MAX_TEXT]}"
        out.append(Evidence("dense", path, surface.line, text, round(score, 4)))
    return out


def _structure(
    number: int,
    path: str,
    structures: Sequence[tuple[str, str]],
    features: Features,
    parts: dict[str, np.ndarray],
) -> list[Evidence]:
    found = features.described
    if found is None or found.row[number] < 0 or not structures:
        return []
    name, what = structures[int(found.row[number])]
    text = f"by its name a {name}, which {what}"[:MAX_TEXT]
    return [Evidence("structure", path, 1, text, _part(parts, "structure", number))]


def _walk(
    number: int,
    lexicon: Lexicon,
    graph: FileGraph,
    parts: dict[str, np.ndarray],
    walk: tuple[int, list[int]] | None,
) -> list[Evidence]:
    if walk is None:
        return []
    seed, numbers = walk
    edges = [graph.edges[n] for n in numbers]
    gained = sum(_part(parts, n, number) for n in ("parents", "neighbours", "wanted_parent"))
    text = f"reached from {lexicon.paths[seed]}"
    if edges[-1].text:
        text += f": {edges[-1].text[:MAX_TEXT]}"
    steps = tuple(edge.describe() for edge in edges)
    return [Evidence("graph", edges[-1].path, edges[-1].line, text, gained, steps)]


def best_line(evidence: tuple[Evidence, ...], path: str) -> int:
    """Returns the line a reader should open first (1 when nothing points inside the file)."""
    for kinds in (("identifier",), ("dense", "passage", "lexical")):
        for item in evidence:
            if item.kind in kinds and item.path == path and item.line > 1:
                return item.line
    return 1
