"""Shortens a quoted answer for a terminal, where its end would hide its beginning."""

from __future__ import annotations

import msgspec

from hdlgraph.query.result.short_answer import short_answer
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
    papers = {one.path for one in answer.result.passages}
    short = short_answer(answer.question, answer.text, papers)
    if short.kept == short.total:
        return answer
    citations = [one for one in answer.citations if f"[{one.place}]" in short.text]
    cited = tuple(msgspec.structs.replace(one, marker=n) for n, one in enumerate(citations, 1))
    note = f"{short.kept} of {short.total} lines of the answer; {more} shows all"
    notes = (*answer.notes, note)
    return msgspec.structs.replace(answer, text=short.text, citations=cited, notes=notes)
