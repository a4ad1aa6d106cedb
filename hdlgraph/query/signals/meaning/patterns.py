"""What an assignment pattern gives one member of a structure: `'{valid: go, default: '0}`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.parsers.text.expressions import fields_of

DEEPEST = 8
"""Patterns in each other that are read."""


def given_to(value: str, fields: Sequence[str]) -> str:
    """Returns what a value gives a member, by the names that lead to it; "" where none is told."""
    for name in fields[:DEEPEST]:
        if not value.startswith("'{"):
            return ""
        told = fields_of(value)
        value = told.get(name, told.get("default", ""))
    return value


def members_given(value: str, name: str) -> list[str]:
    """Returns the members that a pattern makes of a name, [] of a value that is no pattern."""
    if not value.startswith("'{"):
        return []
    return [field for field, text in fields_of(value).items() if mentions(text, name)]


def mentions(text: str, name: str) -> bool:
    """Returns whether a name stands in an expression, perhaps with selections between."""
    parts = r"\s*(?:\[[^\]]*\]\s*)*\.\s*".join(map(re.escape, name.split(".")))
    return re.search(rf"(?<![\w$.'`]){parts}(?![\w$])", text) is not None
