"""States in plain words why a file is a hit: one short reason of each kind, the strongest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from hdlgraph.model.kinds import relation
from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.features.graph import FileEdge, walked
from hdlgraph.query.result.evidence import SURFACE_NAMES
from hdlgraph.query.result.matches import Matches
from hdlgraph.results import Evidence
from hdlgraph.store.surfaces import KINDS
from hdlgraph.words import places, split_identifier

MAX_REASONS = 3
"""Reasons of a hit."""
MOST_WORDS = 6
"""Words of the question that a reason names."""
NEAR = 10
"""A text is called near in meaning when so few files have a nearer one."""
SILENT = ("phrase", "passage", "role")
"""Kinds of evidence that say nothing to people which the source lines do not show."""


_ARTICLE = re.compile(r"\ba (?=[aeioAEIO])")


class Reasons:
    """The reasons of the hits of one ranking.

    Args:
        ranking: what was asked and found.
        numbers: the files that are shown.
    """

    def __init__(self, ranking: Ranking, numbers: Sequence[int]) -> None:
        self._ranking = ranking
        self._lexicon = ranking.asked.index.lexicon
        self._matches = Matches(ranking.question, self._lexicon, numbers)
        self._places = {number: place for place, number in enumerate(numbers)}

    def of(self, number: int, evidence: Sequence[Evidence]) -> tuple[str, ...]:
        """Returns why file `number` is a hit.

        Args:
            number: one of the files that are shown.
            evidence: its evidence, the strongest first.
        """
        reasons: dict[str, None] = {}
        first = "graph" if self._ranking.question.instantiates else "identifier"
        first = "graph" if evidence and evidence[0].kind == "relation" else first
        for item in sorted(evidence, key=lambda item: item.kind != first):
            for reason in self._reason(number, item):
                place = reason.rpartition(" (")[2]
                if item.kind != "relation" or not any(
                    one.endswith(place) or one.startswith("relation: ") for one in reasons
                ):
                    reasons.setdefault(reason)
        return tuple(reasons)[:MAX_REASONS]

    def _reason(self, number: int, item: Evidence) -> Iterator[str]:
        if item.kind == "identifier":
            yield f"named by the question: {item.text.removeprefix('defines ')}"
        elif item.kind == "dense":
            yield from self._near(number)
        elif item.kind == "lexical":
            yield from self._words(number)
        elif item.kind == "graph":
            yield from self._relation(number)
        elif item.kind == "relation":
            yield f"relation: {item.text} ({item.path}:{item.line})"
        elif item.kind not in SILENT:
            yield _ARTICLE.sub("an ", item.text.partition(", which ")[0])

    def _near(self, number: int) -> Iterator[str]:
        """Yields that the file has the nearest text, or one of the nearest."""
        found = [
            (int((cosines > cosines[number]).sum()), name)
            for name, cosines in self._cosines.items()
        ]
        before, name = min(found, default=(NEAR, ""))
        if before < NEAR:
            yield f"its {name} is {'nearest' if not before else 'near'} in meaning"

    @cached_property
    def _cosines(self) -> dict[str, np.ndarray]:
        """Returns kind of text as people call it -> the nearest of each file, by number."""
        raw, out = self._ranking.raw, dict[str, np.ndarray]()
        for kind in KINDS:
            if kind in raw:
                name = SURFACE_NAMES[kind]
                out[name] = np.maximum(out[name], raw[kind]) if name in out else raw[kind]
        return out

    def _words(self, number: int) -> Iterator[str]:
        """Yields which of the question's words stand in the file, those that are rare first."""
        found: dict[int, tuple[float, str]] = {}
        for term in self._matches.terms(self._places[number]):
            group, worth = self._matches.worths[term]
            if term in self._asked and worth > found.get(group, (0.0, ""))[0]:
                found[group] = worth, self._asked[term]
        words = [word for _, word in sorted(found.values(), key=lambda one: (-one[0], one[1]))]
        parts = {p for word in words for p in split_identifier(word) if p != word.lower()}
        words = [word for word in words if word.lower() not in parts]
        if words:
            more = " ..." if len(words) > MOST_WORDS else ""
            yield f"its text has: {', '.join(words[:MOST_WORDS])}{more}"

    @cached_property
    def _asked(self) -> dict[str, str]:
        """Returns index term -> the word of the question as it was written."""
        text, out = self._ranking.question.text, dict[str, str]()
        for start, end, term in places(text):
            out.setdefault(term, text[start:end])
        return out

    def _relation(self, number: int) -> Iterator[str]:
        """Yields how the file hangs together with one of the best files."""
        walk = walked(self._ranking, number)
        if walk is None:
            return
        seed, edges = walk
        if len(edges) == 1:
            yield _edge(edges[0], number)
        else:
            steps = "; ".join(f"{_plain(edge)} ({edge.path}:{edge.line})" for edge in edges)
            yield f"reached from {self._lexicon.paths[seed]}: {steps}"


def _edge(edge: FileEdge, number: int) -> str:
    kind, place = relation(edge.kind), f"({edge.path}:{edge.line})"
    if edge.target == number:
        return f"{kind.backward} {edge.source_name} {place}"
    return f"{kind.forward} {edge.target_name} {place}"


def _plain(edge: FileEdge) -> str:
    return f"{edge.source_name} {relation(edge.kind).forward} {edge.target_name}"
