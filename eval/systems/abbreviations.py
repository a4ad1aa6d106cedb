"""What abbreviations do for the search: the search without them, and with the whole dictionary."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.query.question.abbreviations import expansions
from hdlgraph.query.question.analyse import Expansion, Question
from hdlgraph.query.search import Searcher

if TYPE_CHECKING:
    from hdlgraph.knowledge.dictionary import Dictionary


def without(question: Question) -> Question:
    """Returns the question with its own words alone."""
    groups = tuple(TermGroup(group.members[:1]) for group in question.groups)
    return dataclasses.replace(question, groups=groups)


def with_dictionary(
    question: Question, dictionary: Dictionary, lexicon: Lexicon, weight: float
) -> Question:
    """Returns the question whose terms also stand for their short forms or long forms."""
    found = expansions(question.text, dictionary, lexicon.document_frequency)
    groups = []
    for group in question.groups:
        members = dict(group.members)
        own = max(lexicon.idf(lexicon.document_frequency(group.term)), 0.1)
        for other in found.get(group.term, ()):
            frequency = lexicon.document_frequency(other)
            if frequency and not members.get(other):
                members[other] = round(weight * min(1.0, lexicon.idf(frequency) / own), 4)
        groups.append(TermGroup(tuple(members.items())))
    return dataclasses.replace(question, groups=tuple(groups))


class ChangedSearcher(Searcher):
    """Searches as another searcher does, after changing the question."""

    def __init__(self, known: Searcher, dictionary: Dictionary | None) -> None:
        super().__init__(known.index, known._weights)
        self._dictionary = dictionary

    def analyse(self, text: str) -> Question:
        """Returns the changed question: without a dictionary, its words alone."""
        question = super().analyse(text)
        if self._dictionary is None:
            return without(question)
        weight = Expansion().abbreviation
        return with_dictionary(question, self._dictionary, self.lexicon, weight)
