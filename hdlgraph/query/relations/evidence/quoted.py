"""Quotes the lines of evidence of which only the words are known: what they say tells more."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from hdlgraph.query.relations.evidence.statements import SPEAKS
from hdlgraph.query.result.line_kinds import END, factor
from hdlgraph.results import Evidence, Hit

LONGEST = 120
"""Characters of a line that are quoted."""


def quoted(hits: Iterable[Hit], read_text: Callable[[str], str]) -> tuple[Hit, ...]:
    """Returns hits whose evidence quotes lines that are told for their words alone.

    A line that says nothing, and one that is not there any more, is left out.

    Args:
        hits: with evidence by relations.
        read_text: gives a file's text as it was indexed, "" where that is not there any more.
    """
    texts: dict[str, list[str]] = {}

    def lines(path: str) -> list[str]:
        if path not in texts:
            texts[path] = read_text(path).splitlines()
        return texts[path]

    return tuple(_hit(hit, lines) for hit in hits)


def _hit(hit: Hit, lines: Callable[[str], list[str]]) -> Hit:
    if not any(speaks(one) for one in hit.evidence):
        return hit
    why, found = hit.why, list[Evidence]()
    for one in hit.evidence:
        said = quote(one, lines) if speaks(one) else one
        old = f"relation: {one.text} ({one.path}:{one.line})"
        if said is None:
            why = tuple(reason for reason in why if reason != old)
            continue
        if said is not one:
            new = f"relation: {said.text} ({one.path}:{one.line})"
            why = tuple(new if reason == old else reason for reason in why)
        found.append(said)
    return msgspec.structs.replace(hit, evidence=tuple(found), why=why)


def speaks(one: Evidence) -> bool:
    """Returns whether evidence is a line that is told for its words alone."""
    return one.kind == "relation" and SPEAKS in one.text


def quote(one: Evidence, lines: Callable[[str], list[str]]) -> Evidence | None:
    """Returns evidence with its line quoted, None for a line that says nothing."""
    every = lines(one.path)
    line = every[one.line - 1] if 0 < one.line <= len(every) else ""
    if not line.strip() or factor(line, False, "") <= END:
        return None
    text = " ".join(line.split())
    text = f"{one.path.rpartition('/')[2]} has {text[:LONGEST]}{'…' * (len(text) > LONGEST)}"
    walk = (f"{text} ({one.path}:{one.line})",)
    return msgspec.structs.replace(one, text=text, walk=walk)
