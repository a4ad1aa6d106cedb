"""What `Project.ask` hands to the writer of an answer: the model, and the texts of the files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdlgraph.index.progress import Progress
    from hdlgraph.project import Project
    from hdlgraph.query.answer.ask import Writer
    from hdlgraph.query.answer.context import Sources
    from hdlgraph.results import Answer


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


def answer_by_overview(
    project: Project,
    question: str,
    on_text: Callable[[str], None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Answer | None, str]:
    """Returns the answer to a question about the whole design, or None and why there is none.

    A question about a part, or one among chosen files, is none of these: then the reason is "".
    """
    from hdlgraph.query.overview.broad import is_broad

    if not is_broad(question) or options.get("roles") or options.get("candidates"):
        return None, ""
    from hdlgraph.query.overview.answer import broad_answer

    try:
        overview = project.overview(progress=progress)
    except HdlgraphError as error:
        return None, f"not answered from an overview: {error}"
    answer = broad_answer(question, overview)
    if on_text:
        on_text(answer.text)
    return answer, ""
