"""Removes evidence from hits that the repository no longer holds, because its files changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import msgspec

from hdlgraph.model.lines import lines_of
from hdlgraph.results import Evidence, Hit, Moved

_STEP = re.compile(r"(?P<source>.+?) -\w+-> (?P<target>.+) \((?P<path>.+):(?P<line>\d+)\)", re.S)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def still_standing(
    hits: Sequence[Hit], moved: Moved, read_text: Callable[[str], str]
) -> tuple[Hit, ...]:
    """Returns the hits without evidence in removed files, or in lines that say something else.

    The edges of a walk name the line that states them: in a changed file it must still hold the
    name of one end. Other evidence of a changed file keeps its text, and its line where the file
    is still that long.

    Args:
        hits: those of a search.
        moved: what moved since the index was made.
        read_text: gives the present text of a file.
    """
    if not moved.changed and not moved.removed:
        return tuple(hits)
    removed, changed = frozenset(moved.removed), frozenset(moved.changed)
    texts: dict[str, list[str]] = {}

    def lines(path: str) -> list[str]:
        if path not in texts:
            texts[path] = lines_of(read_text(path))
        return texts[path]

    def stands(one: Evidence) -> bool:
        if one.path in removed:
            return False
        return all(_is_stated(step, removed, changed, lines) for step in one.walk)

    found = []
    for hit in hits:
        evidence = tuple(e for e in hit.evidence if stands(e))
        if hit.path in changed:
            last = len(lines(hit.path))
            line = hit.line if hit.line <= last else min(1, last)
            evidence = tuple(_within(e, hit.path, last) for e in evidence)
            hit = msgspec.structs.replace(hit, line=line)
        found.append(msgspec.structs.replace(hit, evidence=evidence))
    return tuple(found)


def _within(one: Evidence, path: str, last: int) -> Evidence:
    if one.path != path or one.line <= last:
        return one
    return msgspec.structs.replace(one, line=0)


def _is_stated(
    step: str,
    removed: Collection[str],
    changed: Collection[str],
    lines: Callable[[str], list[str]],
) -> bool:
    """Returns whether the place of one step of a walk still states it."""
    found = _STEP.fullmatch(step)
    if found is None or found["path"] not in changed:
        return found is None or found["path"] not in removed
    text = lines(found["path"])
    line = int(found["line"])
    words_there = set(_WORD.findall(text[line - 1])) if 1 <= line <= len(text) else set()
    ends = (_WORD.findall(found[end])[-1:] for end in ("source", "target"))
    return any(name in words_there for names in ends for name in names)
