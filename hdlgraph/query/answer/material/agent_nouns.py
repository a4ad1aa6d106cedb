"""The verbs in a question's words for who does something: a `remapper` remaps."""

from __future__ import annotations

import re
from collections.abc import Container

from hdlgraph.words import terms

LEAST = 4  # letters of a verb
_DOER = re.compile(r"\b([a-z]{3,40}?)(?:([bdgklmnprt])\2|([a-z]))(?:ers?|ors?)\b", re.I)


def verbs(text: str, known: Container[str]) -> list[str]:
    """Returns the stemmed verbs of the words for doers that a repository does not know.

    Args:
        text: of a question.
        known: the terms of the repository.
    """
    found: list[str] = []
    for word in _DOER.finditer(text):
        if any(term in known for term in terms(word[0])):
            continue
        end = word[2] or word[3]
        for verb in (word[1] + end, word[1] + end * 2 if word[2] else word[1] + end + "e"):
            term = next(iter(terms(verb)), "")
            if len(verb) >= LEAST and term in known and term not in found:
                found.append(term)
                break
    return found
