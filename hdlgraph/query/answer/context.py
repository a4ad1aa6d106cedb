"""Collects what a model is shown for a question: code first, in a budget of tokens.

Shown are three to five files: of each the pieces that fit the question, what drives and uses the
signals in them, one line of description, and what other files declare of it. A place stands before
or in whatever is shown, so that every claim can cite one, and is taken down, so that the citation
can be checked. The best file comes first.
"""

from __future__ import annotations

from hdlgraph.query.answer.material.agent_nouns import verbs
from hdlgraph.query.answer.material.collect import Context, Material
from hdlgraph.query.answer.material.part import Sources
from hdlgraph.query.answer.material.show import MARK, safe
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question, analyse
from hdlgraph.query.question.generic import particular
from hdlgraph.results import SearchResult
from hdlgraph.store.lexical import TEXT

__all__ = ["MARK", "Context", "Sources", "build_context", "safe", "wanted_terms"]


def wanted_terms(question: Question, lexicon: Lexicon) -> Wanted:
    """Returns the question's terms and expansions with their worth, the rarer the more."""
    found: dict[str, tuple[int, float]] = {}
    for number, group in enumerate(question.groups):
        worth = lexicon.group_idf(group, TEXT) * particular(group.term)
        for term, weight in group.members:
            if term not in found or found[term][1] < worth * weight:
                found[term] = (number, worth * weight)
    for number, term in enumerate(verbs(question.text, lexicon.vocabulary), len(question.groups)):
        found.setdefault(term, (number, lexicon.idf(lexicon.document_frequency(term, TEXT))))
    return found


def build_context(
    question: str,
    result: SearchResult,
    lexicon: Lexicon,
    sources: Sources,
    budget: int,
) -> Context:
    """Returns the material for a question, at most `budget` tokens long."""
    asked = analyse(question, lexicon)
    wanted = wanted_terms(asked, lexicon)
    return Material(asked, wanted, result.hits, lexicon, sources, budget).context()
