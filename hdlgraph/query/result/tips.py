"""Explains why a word of a source line is marked although the question does not have it."""

from __future__ import annotations

from collections.abc import Callable

from hdlgraph.query.question.analyse import Question
from hdlgraph.words import places


def mark_tips(question: Question, asked: str) -> Callable[[str], str]:
    """Returns a function that says which words of the question led to a marked part of a line.

    It returns "" for a part that has the question's own words: `wdog_reset` for "watchdog reset"
    gives "wdog: looked for with \u201cwatchdog\u201d".

    Args:
        question: as analysed.
        asked: the question as it was written.
    """
    written = {term: asked[start:end] for start, end, term in reversed(places(asked))}
    own = {group.term for group in question.groups} | set(written)
    meant: dict[str, str] = {}
    for group in question.groups:
        for term, _ in group.members[1:]:
            if term not in own:
                meant.setdefault(term, written.get(group.term, group.term))

    def told(part: str) -> str:
        found = {part[start:end]: meant[term] for start, end, term in places(part) if term in meant}
        return ", ".join(f"{word}: looked for with \u201c{of}\u201d" for word, of in found.items())

    return told
