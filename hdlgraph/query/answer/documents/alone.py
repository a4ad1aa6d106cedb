"""Answers from documents alone, where an index has no file of a design."""

from __future__ import annotations

from collections.abc import Callable

from hdlgraph.query.answer.ask import Writer, written
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.documents.papers import Papers
from hdlgraph.query.answer.material.collect import Context
from hdlgraph.query.answer.page import Page
from hdlgraph.results import Answer, SearchResult


def answer_from(
    papers: Papers,
    result: SearchResult,
    writer: Writer | None,
    on_text: Callable[[str], None] | None,
) -> Answer:
    """Returns the answer that the documents give: by a model where there is one, else quoted.

    Args:
        papers: what they say.
        result: the passages found.
        writer: the model; None quotes them.
        on_text: called with pieces of the answer as they come.
    """
    notes: tuple[str, ...] = ()
    if writer is not None and papers.found:
        none = Context("", ShownPlaces(), (), 0)
        answer = written(result.question, result, lambda budget: none, (), writer, on_text, papers)
        if isinstance(answer, Answer):
            return answer
        notes = (f"no answer from the model ({answer}); quoted from the documents",)
    page = Page()
    if papers.found:
        papers.write(page)
    else:
        papers.write_missing(page)
    weak = "" if papers.found else "no passage has enough of the question's words"
    if on_text:
        on_text(page.text)
    return Answer(
        result.question,
        page.text,
        tuple(page.citations),
        result,
        found=papers.found,
        weak=weak,
        notes=notes,
    )
