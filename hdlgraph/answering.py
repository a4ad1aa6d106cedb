"""What `Project.ask` hands to the writer of an answer: the model, and the texts of the files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.answer.ask import Writer
    from hdlgraph.query.answer.context import Sources


def writer_of(project: Project, kind: str) -> Writer | None:
    """Returns the model that writes a project's answers, None where the index is quoted.

    Args:
        project: the project.
        kind: "extractive", "model", or "auto" for the model where one is configured.

    Raises:
        UsageError: the kind is unknown, or the model is wanted and none is configured.
    """
    from hdlgraph.llm.endpoint.context import told_context
    from hdlgraph.query.answer.ask import WRITERS, Writer
    from hdlgraph.query.question.abbreviations import abbreviation_notes

    if kind not in WRITERS:
        raise UsageError(f"writer {kind}: unknown; known are {', '.join(WRITERS)}")
    llm = project.settings.llm
    if kind == "extractive" or (kind == "auto" and llm.provider == "none"):
        return None
    session = project.session

    def notes(question: str, material: str) -> list[str]:
        return abbreviation_notes(question, material, project.dictionary())

    def context() -> int:
        return llm.context_tokens or told_context(session.client.endpoint, llm.query_model)

    used = session.spending.total
    return Writer(session.client, project.settings, notes, used, context, project.prompts)


def sources_of(project: Project, with_blocks: bool) -> Sources:
    """Returns the texts and explanations of a project's files, and their blocks where wanted."""
    from hdlgraph.query.answer.context import Sources, blocks_of

    blocks = blocks_of(project.graph()) if with_blocks else lambda path: ()
    return Sources(cache(project.source_text), cache(project.explanations), blocks)
