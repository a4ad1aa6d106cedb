"""Quotes the lines of evidence of which only the words are known: what they say tells more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import msgspec

from hdlgraph.query.relations.evidence.statements import SPEAKS
from hdlgraph.query.result.line_kinds import END, UNIT, factor, in_block_comments, is_comment
from hdlgraph.results import Evidence, Hit

LONGEST = 120
"""Characters of a line that are quoted."""
BELOW = 2
"""Lines below a comment among which the code is looked for that it speaks of."""


def quoted(hits: Iterable[Hit], read_text: Callable[[str], str]) -> tuple[Hit, ...]:
    """Returns hits whose evidence quotes lines that are told for their words alone.

    A line that says nothing, and one that is not there any more, is left out.

    Args:
        hits: with evidence by relations.
        read_text: gives a file's text as it was indexed, "" where that is not there any more.
    """
    lines = cache(lambda path: read_text(path).splitlines())
    return tuple(_hit(hit, lines) for hit in hits)


def _hit(hit: Hit, lines: Callable[[str], list[str]]) -> Hit:
    if not any(speaks(one) for one in hit.evidence):
        return hit
    why, found = hit.why, list[Evidence]()
    seen = {(one.path, one.line) for one in hit.evidence
            if one.kind == "relation" and not speaks(one)}  # fmt: skip
    for one in hit.evidence:
        if not speaks(one):
            found.append(one)
            continue
        said = quote(one, lines)
        old = f"relation: {one.text} ({one.path}:{one.line})"
        if said is None or (said.path, said.line) in seen:
            why = tuple(reason for reason in why if reason != old)
            continue
        seen.add((said.path, said.line))
        new = f"relation: {said.text} ({said.path}:{said.line})"
        why = tuple(new if reason == old else reason for reason in why)
        found.append(said)
    return msgspec.structs.replace(hit, evidence=tuple(found), why=why)


def speaks(one: Evidence) -> bool:
    """Returns whether evidence is a line that is told for its words alone."""
    return one.kind == "relation" and SPEAKS in one.text


def is_quote(one: Evidence) -> bool:
    """Returns whether evidence quotes a line, and says nothing else."""
    return one.kind == "relation" and one.text.startswith(_begin(one))


def _begin(one: Evidence) -> str:
    return f"{one.path.rpartition('/')[2]} has "


def quote(one: Evidence, lines: Callable[[str], list[str]]) -> Evidence | None:
    """Returns evidence with its line quoted, None for a line that says nothing.

    In the place of a comment it is the line of code close below, of which comments speak.
    """
    every = lines(one.path)
    inside = in_block_comments(every)
    for line in range(max(one.line, 1), min(one.line + BELOW, len(every)) + 1):
        said = every[line - 1]
        if not said.strip() or line in inside or is_comment(said.lstrip()):
            continue
        if factor(said, False, "") in (UNIT, END):
            return None
        text = " ".join(said.split())
        text = f"{_begin(one)}{text[:LONGEST]}{'…' * (len(text) > LONGEST)}"
        walk = (f"{text} ({one.path}:{line})",)
        return msgspec.structs.replace(one, line=line, text=text, walk=walk)
    return None
