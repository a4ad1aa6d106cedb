"""The words of passages as index terms."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.store.documents.records import StoredPassage
from hdlgraph.store.documents.words import HEADING, WHOLE, StoredField, count, make_field
from hdlgraph.words import terms


def fields_of(passages: Sequence[StoredPassage]) -> dict[str, StoredField]:
    """Returns the postings of all fields."""
    whole, heading = [], []
    for one in passages:
        titles = terms(" ".join((*one.crumbs, one.title)))
        whole.append(count([*titles, *terms(one.text)]))
        heading.append(count(titles))
    return {WHOLE: make_field(whole), HEADING: make_field(heading)}
