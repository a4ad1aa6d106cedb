"""Answers from several repositories: `Workspace.ask`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.project.workspace.searching import Searching

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.workspace.records import WorkspaceAnswer, WorkspaceResult
    from hdlgraph.results import Answer, Citation

ANSWERING = 2
"""Repositories that answer one question."""
NEARLY = 0.4
"""Share of the likeliest repository from which another one answers as well."""
_BRACKET = re.compile(r"\[([^\[\]\n]{1,400})\]")
_PART = re.compile(r"(?P<path>.+?)(?::\d+(?:-\d+)?|, (?:page|section) .+)?")


class Asking(Searching):
    """The part of a workspace that answers questions in words."""

    def ask(
        self,
        question: str,
        *,
        writer: str | None = None,
        on_text: Callable[[str], None] | None = None,
        **options: Any,
    ) -> WorkspaceAnswer:
        """Returns an answer from the repositories that the question is most likely about.

        All are searched; the likeliest answers, and a second one that is nearly as likely. Every
        place begins with its repository.

        Args:
            question: free text.
            writer: as of `Project.ask`.
            on_text: called with the answer of each repository when it is complete.
            **options: as of `search`.

        Raises:
            UsageError: as of `search`, or the model is wanted and none is configured.
            HdlgraphError: no repository could be asked.
        """
        result = self.search(question, **options)
        chosen = _answering(result)
        own = {name: value for name, value in options.items() if name != "repositories"}
        own["rerank"] = bool(own.get("rerank"))
        told = self.members.each(
            lambda project: project.ask(question, writer=writer, **own), chosen
        )
        problems = {**told.problems}
        answers = {name: told.given[name] for name in chosen if name in told.given}
        return _joined(result, answers, problems, on_text)

    def project(self, repository: str) -> Project:
        """Returns the project of one repository (UsageError, IndexMissingError ...)."""
        return self.members.project(repository)


def _answering(result: WorkspaceResult) -> list[str]:
    """Returns the repositories that answer, the likeliest first."""
    ranked = sorted(
        (one for one in result.repositories if not one.error),
        key=lambda one: (-one.share, one.name),
    )
    least = NEARLY * ranked[0].share
    return [one.name for one in ranked[:ANSWERING] if one.share >= least]


def _joined(
    result: WorkspaceResult,
    answers: Mapping[str, Answer],
    problems: Mapping[str, str],
    on_text: Callable[[str], None] | None,
) -> WorkspaceAnswer:
    """Returns the answers of some repositories as one."""
    from hdlgraph.query.workspace.records import WorkspaceAnswer

    found = {name: one for name, one in answers.items() if one.found} or dict(answers)
    parts, citations = [], []
    for name, answer in found.items():
        text = with_repository(answer.text.strip("\n"), answer.citations, name)
        part = f"{name}:\n{text}" if len(found) > 1 else text
        if on_text is not None:
            on_text(("\n\n" if parts else "") + part)
        parts.append(part)
        citations += [_cited(one, name) for one in answer.citations]
    notes = [f"{name}: {note}" for name, one in found.items() for note in one.notes]
    for number, one in enumerate(citations, 1):
        one["marker"] = number
    return WorkspaceAnswer(
        question=result.question,
        text="\n\n".join(parts),
        result=result,
        citations=tuple(citations),
        answered=tuple(found),
        model=next(iter(found.values())).model if found else "",
        found=any(one.found for one in found.values()),
        weak=next((one.weak for one in found.values() if one.weak), ""),
        removed=sum(one.removed for one in found.values()),
        uncited=sum(one.uncited for one in found.values()),
        notes=(*notes, *(f"{name} was not asked: {why}" for name, why in problems.items())),
        input_tokens=sum(one.input_tokens for one in found.values()),
        output_tokens=sum(one.output_tokens for one in found.values()),
    )


def _cited(one: Citation, name: str) -> dict[str, Any]:
    import msgspec

    return {**msgspec.to_builtins(one), "repository": name, "place": f"{name}:{one.place}"}


def with_repository(text: str, citations: tuple[Citation, ...], name: str) -> str:
    """Returns an answer whose cited places begin with their repository."""
    paths = {one.path for one in citations}

    def part(told: str) -> str:
        found = _PART.fullmatch(told)
        return f"{name}:{told}" if found and found["path"] in paths else told

    return _BRACKET.sub(
        lambda found: "[" + "; ".join(part(one) for one in found[1].split("; ")) + "]", text
    )
