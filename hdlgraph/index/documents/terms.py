"""The words of passages as index terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from hdlgraph.index.documents.request import program_digest
from hdlgraph.store.cache import Cache
from hdlgraph.store.documents.records import StoredPassage
from hdlgraph.store.documents.words import HEADING, WHOLE, StoredField, make_field
from hdlgraph.words import hyphenations, identifier_terms, stem, words

NAMESPACE = "document-terms"
"""Of the cache."""


def fields_of(
    passages: Sequence[StoredPassage], cache: Cache | None = None
) -> dict[str, StoredField]:
    """Returns the postings of all fields; the terms of a text are counted once and kept."""
    titles_of = [" ".join((*one.crumbs, one.title)) for one in passages]
    known = _all_counted([*titles_of, *(one.text for one in passages)], cache)
    whole, heading = [], []
    for one, text in zip(passages, titles_of, strict=True):
        titles, body = known[text], dict(known[one.text])
        for term, count in titles.items():
            body[term] = body.get(term, 0) + count
        whole.append(body)
        heading.append(titles)
    return {WHOLE: make_field(whole), HEADING: make_field(heading)}


def _all_counted(texts: Iterable[str], cache: Cache | None) -> dict[str, dict[str, int]]:
    """Returns the terms of each text, those of earlier runs from the cache."""
    program = program_digest()
    keys = {text: sha256(f"{program}\n{text}".encode("utf-8", "replace")).hexdigest()
            for text in texts}  # fmt: skip
    kept = cache.get_many(NAMESPACE, keys.values()) if cache else {}
    decode = msgspec.msgpack.Decoder(dict[str, int]).decode
    found: dict[str, dict[str, int]] = {}
    fresh: dict[str, bytes] = {}
    for text, key in keys.items():
        if key in kept:
            found[text] = decode(kept[key])
        else:
            found[text] = counted(text)
            fresh[key] = msgspec.msgpack.encode(found[text])
    if cache:
        cache.put_many(NAMESPACE, fresh)
    return found


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
