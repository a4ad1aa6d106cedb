"""Gives the answers of `hdlgraph ask` to the flows, without the places that they cite.

A reference answer cites nothing, so that places would count as wrong words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hdlgraph.results import EXTRACTIVE

if TYPE_CHECKING:
    from hdlgraph.eval.flows.generate import Generator
    from hdlgraph.project import Project
    from hdlgraph.results import Answer


def asking(project: Project, generator: Generator) -> Callable[[str], str]:
    """Returns what gives the words of an answer; what that takes counts as the generator's.

    Of calls that an earlier run paid for, the tokens are not known and count as none.

    Args:
        project: asked.
        generator: the writer of the other flows: the index is quoted where it quotes.
    """
    writer = EXTRACTIVE if generator.name == EXTRACTIVE else "model"

    def asked(question: str) -> str:
        if writer == EXTRACTIVE:
            return without_places(project.ask(question, writer=writer))
        total, spent = project.session.spending.total, generator.spent
        before = total()
        answer = project.ask(question, writer=writer)
        now = total()
        spent.calls += now.calls + now.stored - before.calls - before.stored
        spent.input_tokens += now.input_tokens - before.input_tokens
        spent.output_tokens += now.output_tokens - before.output_tokens
        spent.failed += now.failed - before.failed
        return without_places(answer)

    return asked


def without_places(answer: Answer) -> str:
    """Returns the text of an answer without the marks of its citations."""
    text = answer.text
    for one in answer.citations:
        text = text.replace(f"[{one.place}]", "")
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
