"""Reads what is chosen when the code runs: classes made by name, overrides under a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.index.verification.text import arguments, plain
from hdlgraph.parsers.text.outline import outline_of_source
from hdlgraph.parsers.text.source import Source
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.store.design.verification import Act

NAMES = 100
"""Texts of a class that may be names of classes."""
FAR = 60_000
"""Characters of a class that are looked through for them."""
CASTS = 20
"""Variables that one made by name is cast to."""
_TEXT = re.compile(r'"([A-Za-z_]\w{1,100})"')
_CAST = r"(?:\$cast|`\w{{0,40}}cast)\s*\(\s*(\w+)\s*,\s*{}\s*\)"


def names_in(bare: str, begin: int, end: int) -> list[str]:
    """Returns the texts between two offsets that may be names of classes, each once."""
    found = dict.fromkeys(one[1] for one in _TEXT.finditer(bare, begin, min(end, begin + FAR)))
    return list(found)[:NAMES]


def cast_to(code: str, name: str, begin: int, end: int) -> list[str]:
    """Returns the variables that a variable is cast to between two offsets."""
    if not re.fullmatch(r"\w+", name):
        return []
    found = re.compile(_CAST.format(name)).finditer(code, begin, end)
    return list(dict.fromkeys(one[1] for one in found))[:CASTS]


def conditioned(source: Source, acts: list[Act]) -> list[Act]:
    """Returns statements of which each override has the conditions around it."""
    if all(act.kind != "override" for act in acts):
        return acts
    outline = outline_of_source(source)
    return [
        act._replace(condition=" and ".join(_around(source, outline.enclosing(act.line))))
        if act.kind == "override"
        else act
        for act in acts
    ]


def _around(source: Source, statements: list[Statement]) -> Iterator[str]:
    """Yields the conditions of the branches and arms among statements, the outer first."""
    for one in statements:
        if one.kind == "arm":
            of = (one.parent.head if one.parent else "").removesuffix("inside").strip()
            label = _label(source, one)
            yield f"{of} is {label}" if label else f"{of} is none of the others"
        elif one.kind == "branch":
            condition = _condition(source, one)
            if condition:
                yield condition
            else:
                yield from (f"not ({_condition(source, other)})" for other in _before(one))


def _before(one: Statement) -> list[Statement]:
    siblings = one.parent.children if one.parent else []
    return siblings[: siblings.index(one)] if one in siblings else []


def _condition(source: Source, one: Statement) -> str:
    """Returns the condition of a branch as it is written, "" for an `else`."""
    opens = source.code.find("(", *one.span) if one.head else -1
    given, _ = arguments(source.code, source.bare, opens) if opens >= 0 else ([], -1)
    return ", ".join(given) or one.head


def _label(source: Source, one: Statement) -> str:
    """Returns the labels of an arm of a case as they are written, "" for the default one."""
    if one.head and '"' not in one.head:
        return "" if one.head == "default" else one.head
    earlier = _before(one)
    begin = earlier[-1].span[1] if earlier else _head_end(source, one)
    colon = source.code.find(":", begin, one.span[1]) if begin >= 0 else -1
    return plain(source.bare[begin:colon]).lstrip("; ") if colon >= 0 else one.head


def _head_end(source: Source, one: Statement) -> int:
    opens = source.code.find("(", *one.parent.span) if one.parent else -1
    _, end = arguments(source.code, source.bare, opens) if opens >= 0 else ([], -1)
    return end + 1 if end >= 0 else -1
