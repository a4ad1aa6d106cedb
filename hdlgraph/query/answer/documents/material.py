"""Shows a model what the documents say, after the code and within the same budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.query.answer.documents.papers import Papers, PassageText
from hdlgraph.query.answer.documents.sentences import plain
from hdlgraph.query.answer.documents.table import head_of, rows_of
from hdlgraph.query.answer.material.collect import Context
from hdlgraph.query.answer.material.show import GAP, safe, shown_line
from hdlgraph.query.documents.routing import PASSAGES
from hdlgraph.results import Citation

LEAST, MOST = 0.25, 0.7
"""The least and the most of the budget that documents take."""
FEW = 60
"""Tokens below which nothing of a passage is shown."""
QUOTE_TOKENS = 240
"""Words of a section that does not fit whole, which are shown with what stands around them."""
AROUND = 4
"""Lines shown around a sentence of a section that does not fit whole."""


def with_papers(
    context_of: Callable[[int], Context], papers: Papers | None, budget: int
) -> Context:
    """Returns what a model is shown: of the design, and of the documents by their share.

    Args:
        context_of: gives what is shown of the design, in so many tokens.
        papers: what the documents say, or None.
        budget: tokens of all of it.
    """
    if papers is None or not papers.found:
        return context_of(budget)
    share = min(max(papers.routing.documents, LEAST), MOST)
    material = _Material(papers, int(budget * share))
    code = context_of(budget - material.tokens)
    # The places of both are checked as one: nothing is taken from the lines of the code.
    places = code.shown
    for one in material.places:
        places.add_passage(one)
    parts = [code.text, material.text]
    if papers.routing.first == PASSAGES:
        parts.reverse()
    return Context(
        "\n\n".join(filter(None, parts)),
        places,
        (*code.files, *material.paths),
        code.tokens + material.tokens,
    )


class _Material:
    """The passages as they are shown: their text, places and tokens."""

    def __init__(self, papers: Papers, budget: int) -> None:
        self.places: list[Citation] = []
        self.paths: list[str] = []
        parts: list[str] = []
        left = budget
        chosen = papers.chosen
        for number, one in enumerate(chosen):
            room = left // (len(chosen) - number)
            if room < FEW:
                break
            text = self._register(papers, one) if one.register else self._section(papers, one, room)
            text = clip_tokens(safe(text), room)
            left -= count_tokens(text)
            parts.append(text)
            self.paths.append(one.passage.path)
        self.text = "\n\n".join(parts)
        self.tokens = budget - left

    def _register(self, papers: Papers, one: PassageText) -> str:
        assert one.register is not None
        register = one.register
        last = max([register.line, *(field.line for field in register.fields)])
        self.places.append(one.lines(register.line, last))
        lines = [f"{one.passage.path} ({head_of(register, one.passage.title)})"]
        if register.text:
            lines.append(f"{register.line}| {' '.join(register.text.split())}")
        return "\n".join([*lines, *rows_of(register, papers.asked)])

    def _section(self, papers: Papers, one: PassageText, room: int) -> str:
        """Returns a section under its head; over `room` tokens only its best sentences."""
        passage = one.passage
        titles = dict.fromkeys(filter(None, (*passage.crumbs, passage.title)))
        place = one.place()
        at = f", page {place.page}" if place.page else ""
        head = f"{passage.path}{at} (document: {plain(' > '.join(titles))})"
        lines = passage.text.split("\n")
        if not place.line:
            self.places.append(place)
            return f"{head}\n{passage.text}"
        first = passage.text_line or passage.line
        kept: Sequence[int] = range(len(lines))
        if count_tokens(passage.text) > room - FEW:
            chosen: set[int] = set()
            for sentence in papers.best(passage.text, QUOTE_TOKENS):
                more = set(
                    range(max(0, sentence.first - 1), min(len(lines), sentence.last + AROUND))
                )
                if sum(len(lines[n]) for n in chosen | more) > 3 * (room - FEW) and chosen:
                    break
                chosen |= more
            kept = sorted(chosen)
        out, before = [head], -1
        for n in kept:
            if before >= 0 and n > before + 1:
                out.append(GAP)
            out.append(shown_line(first + n, lines[n]))
            self.places.append(one.lines(first + n, first + n))
            before = n
        return "\n".join(out)
