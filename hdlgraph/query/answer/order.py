"""Orders the files that an answer describes, and leaves out copies and what adds nothing."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.passages.logic import covered
from hdlgraph.query.answer.passages.sides import side_first
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim
from hdlgraph.results import SearchResult

FILES = 3  # that an answer tells of, the last of them only where the question names it
CANDIDATES = 4  # the same where the search is unsure
CLOSE = 0.93  # share of the first hit's score from which the second one makes the search unsure
CLOSER = 0.84  # the same where the search finds its hits not very likely
SURE = "very likely"
LINES = 0.5
"""Worth of lines that hold all of the question, beside 1 for the best score of the ranking; chosen
over 176 questions of nine corpora, each left out in turn (.2 to 1 do about as well)."""
ADDING = 0.7  # share of what the best file is worth, from which a further one is told of
GENERATED_FOR = frozenset({Aim.RESET, Aim.CONFIGURE, Aim.INTERFACE})
"""What generated files, such as those of registers, may answer before others."""


def in_order(
    views: Sequence[FileView],
    question_words: Collection[str],
    aims: Collection[Aim],
    verification: bool,
    scores: Mapping[str, float],
    doubt: bool = False,
) -> list[FileView]:
    """Returns the files to describe, the one that is likeliest meant first; copies are left out.

    Files whose own name says most of the question come first, files of classes alone, which are
    never part of a design, come last.

    Args:
        views: the files found, the best first.
        question_words: the question's words in lower case.
        aims: what the question asks for.
        verification: whether it is about verification.
        scores: of the ranking, by path.
        doubt: whether the search is unsure, so that more files are told of.
    """
    benches = () if verification else [v.path for v in views if v.is_bench()]
    generated = (
        ()
        if verification or GENERATED_FOR.intersection(aims)
        else [v.path for v in views if v.is_generated()]
    )
    found = _likeliest_first(views, scores, {*benches, *generated})
    found.sort(key=lambda view: view.path in benches)
    found.sort(key=lambda view: view.path in generated)
    found = side_first(found, question_words, lambda view: view.path, covered)
    texts: set[str] = set()
    kept = []
    for view in found:
        plain = "".join(view.source.text.split())
        if plain and plain not in texts:
            texts.add(plain)
            kept.append(view)
    kept = kept[: CANDIDATES if doubt else FILES]
    most = max(map(covered, kept), default=0.0)
    design = verification or not any(map(_plain, kept))
    if doubt:
        return [*kept[:1], *(v for v in kept[1:] if design or _plain(v))]
    named = [
        v
        for v in kept[1:]
        if _named_in(v) or (covered(v) >= ADDING * most and (design or _plain(v)))
    ]
    return [*kept[:1], *named[:1], *(v for v in named[1:] if _named_in(v))]


def in_doubt(result: SearchResult) -> bool:
    """Returns whether a search is unsure which file is meant: the first one's lead is small."""
    if len(result.hits) < 2 or any(e.kind == "identifier" for e in result.hits[0].evidence):
        return False
    first, second = (hit.score for hit in result.hits[:2])
    return second >= first * (CLOSE if result.likely in ("", SURE) else CLOSER)


def _plain(view: FileView) -> bool:
    return of_design(view.path) and not view.is_bench()


def _likeliest_first(
    views: Sequence[FileView], scores: Mapping[str, float], last: Collection[str]
) -> list[FileView]:
    """Returns files by their score in the ranking and what their best statements say together.

    The ranking looks at a file as a whole; how much of the question a few lines of it hold tells
    neighbours apart. A file without a score is one that the question names, and stays first; the
    lines of those that come `last` anyway, often long ones, are not looked at.
    """
    most = max(scores.values(), default=0.0) or 1.0
    worths = {n: worth for view in views[:1] for n, worth in sorted(view.asked.values())}
    whole = sum(worths.values()) or 1.0

    def likely(view: FileView) -> float:
        rank = scores[view.path] / most if view.path in scores else math.inf
        return rank + (0.0 if view.path in last else LINES * covered(view) / whole)

    return sorted(views, key=likely, reverse=True)


def _named_in(view: FileView) -> bool:
    """Returns whether the question writes the name of a file or of one of its units."""
    stem = view.path.rpartition("/")[2].partition(".")[0]
    return view.names(n for n in (stem, *(u.name for u in view.units)) if "_" in n)
