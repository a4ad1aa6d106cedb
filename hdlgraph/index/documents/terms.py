"""The words of passages as index terms."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.store.documents.records import StoredPassage
from hdlgraph.store.documents.words import CODE, HEADING, PLAIN, StoredField, count, make_field
from hdlgraph.words import terms, whole_terms


def fields_of(passages: Sequence[StoredPassage]) -> dict[str, StoredField]:
    """Returns the postings of all fields."""
    code, heading, whole = [], [], []
    for one in passages:
        head = " ".join((*one.crumbs, one.title))
        titles = terms(head)
        code.append(count([*titles, *terms(one.text)]))
        heading.append(count(titles))
        whole.append(count(whole_terms(f"{head} {one.text}")))
    return {CODE: make_field(code), HEADING: make_field(heading), PLAIN: make_field(whole)}
