"""Shortens quoted answers: for a terminal, where the end would hide the beginning, and in pipes."""

from __future__ import annotations

import msgspec

from hdlgraph.query.result.short_answer import Limits, long_limits, short_answer
from hdlgraph.results import EXTRACTIVE, Answer


def shortened(answer: Answer, more: str) -> Answer:
    """Returns a quoted answer with its most telling lines, and a note how to get all of them.

    An answer that a model wrote, and a short one, stay as they are.

    Args:
        answer: as `Project.ask` gives it.
        more: what shows the whole answer.
    """
    if answer.model != EXTRACTIVE:
        return answer
    return _within(answer, more, None)


def bounded(answer: Answer, more: str) -> Answer:
    """Returns a quoted answer with so many lines as a pipe is given; a shorter one as it is.

    Its last line says how many there are, and what shows all; other arguments as of `shortened`.
    """
    if answer.model != EXTRACTIVE:
        return answer
    found = _within(answer, more, long_limits(answer.text))
    if found is answer:
        return answer
    return msgspec.structs.replace(found, text=f"{found.text}\n\n{found.notes[-1]}")


def _within(answer: Answer, more: str, limits: Limits | None) -> Answer:
    """Returns an answer within limits, with a note where that leaves lines out."""
    papers = {one.path for one in answer.result.passages}
    short = short_answer(answer.question, answer.text, papers, limits)
    if short.kept == short.total:
        return answer
    citations = [one for one in answer.citations if f"[{one.place}]" in short.text]
    cited = tuple(msgspec.structs.replace(one, marker=n) for n, one in enumerate(citations, 1))
    note = f"{short.kept} of {short.total} lines of the answer; {more} shows all"
    notes = (*answer.notes, note)
    return msgspec.structs.replace(answer, text=short.text, citations=cited, notes=notes)
