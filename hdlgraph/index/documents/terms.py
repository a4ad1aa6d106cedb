"""The words of passages as index terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hdlgraph.store.documents.records import StoredPassage
from hdlgraph.store.documents.words import HEADING, WHOLE, StoredField, make_field
from hdlgraph.words import hyphenations, identifier_terms, stem, words


def fields_of(passages: Sequence[StoredPassage]) -> dict[str, StoredField]:
    """Returns the postings of all fields."""
    whole, heading = [], []
    for one in passages:
        titles = counted(" ".join((*one.crumbs, one.title)))
        body = counted(one.text)
        for term, count in titles.items():
            body[term] = body.get(term, 0) + count
        whole.append(body)
        heading.append(titles)
    return {WHOLE: make_field(whole), HEADING: make_field(heading)}


def counted(text: str) -> dict[str, int]:
    """Returns how often a text has each term of `hdlgraph.words.terms`, each word split once."""
    found: dict[str, int] = {}
    for word, count in Counter(words(text)).items():
        parts, joined = identifier_terms(word)
        for part in parts:
            found[part] = found.get(part, 0) + count
        if joined:
            found[joined] = found.get(joined, 0) + count
    for left, right in hyphenations(text) if "-" in text else ():
        term = stem((left + right).lower())
        found[term] = found.get(term, 0) + 1
    return found
