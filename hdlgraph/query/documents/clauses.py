"""Splits a question into clauses: what stands between commas, "and", "then" and sentence ends."""

from __future__ import annotations

import re

from hdlgraph.words import content_stems

LEAST = 2
"""Words with meaning that a clause has."""
MOST = 8
"""Clauses of a question; further ones are left out."""
_BREAK = re.compile(r"[,;:]\s|\band\b|\bthen\b|(?<=[.?!])\s+", re.IGNORECASE)


def clauses(question: str) -> list[str]:
    """Returns the clauses of a question, none where it has only one."""
    parts = (part.strip() for part in _BREAK.split(question))
    found = [part for part in parts if len(content_stems(part)) >= LEAST]
    return found[:MOST] if len(found) > 1 else []
