"""Answers from several repositories: `Workspace.ask`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.workspace.naming import Naming
from hdlgraph.project.workspace.searching import Searching

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.workspace.records import WorkspaceAnswer, WorkspaceResult
    from hdlgraph.results import Answer, Citation

ANSWERING = 2
"""Repositories that answer one question."""
NEARLY = 0.4
"""Share of the likeliest repository from which another one answers as well."""
NAMES, USERS = 3, 12
"""Names of a question whose users in other repositories are told, and users of one."""
_USED = re.compile(
    r"\b(?:instan\w*|us(?:e[sd]?|ing|age)|import\w*|exten\w+|deriv\w+|inherit\w*|includ\w*|bind\w*"
    r"|bound|parents?|connect\w*|depend\w*)\b",
    re.I,
)
_BRACKET = re.compile(r"\[([^\[\]\n]{1,400})\]")
_PART = re.compile(r"(?P<path>.+?)(?::\d+(?:-\d+)?|, (?:page|section) .+)?")


class Asking(Searching, Naming):
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
        outcomes = self.members.each(
            lambda project: project.ask(question, writer=writer, **own), chosen
        )
        problems = {**outcomes.problems}
        answers = {name: outcomes.given[name] for name in chosen if name in outcomes.given}
        return _joined(result, answers, problems, on_text, self._used_elsewhere(question))

    def _used_elsewhere(self, question: str) -> list[dict[str, Any]]:
        """Returns the users, in other repositories, of units that a question asks the users of."""
        from hdlgraph.query.question.analyse import identifiers

        found: list[dict[str, Any]] = []
        for name in identifiers(question)[:NAMES] if _USED.search(question) else ():
            try:
                users = self.who(name)["users"]
            except UsageError:  # nothing has that name
                continue
            crossing = [one for one in users if _is_sure(one)]
            found += [{**one, "name": name} for one in crossing[:USERS]]
        return found

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
    elsewhere: Sequence[Mapping[str, Any]],
) -> WorkspaceAnswer:
    """Returns the answers of some repositories as one.

    Args:
        result: the search.
        answers: of the repositories that answered, the likeliest first.
        problems: why others did not.
        on_text: called with each part of the text.
        elsewhere: users of what is asked about, in repositories that do not define it.
    """
    from hdlgraph.query.workspace.records import WorkspaceAnswer

    found = {name: one for name, one in answers.items() if one.found} or dict(answers)
    parts: list[str] = []
    citations: list[dict[str, Any]] = []
    for name, answer in found.items():
        text = with_repository(answer.text.strip("\n"), answer.citations, name)
        part = f"{name}:\n{text}" if len(found) > 1 else text
        if on_text is not None:
            on_text(("\n\n" if parts else "") + part)
        parts.append(part)
        citations += [_cited(one, name) for one in answer.citations]
    if elsewhere:
        parts.append(_users_text(elsewhere))
        citations += [_used_at(one) for one in elsewhere]
        if on_text is not None:
            on_text("\n\n" + parts[-1])
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


def _is_sure(user: Mapping[str, Any]) -> bool:
    """Returns whether a user means what another repository defines, as far as ports show."""
    places = user.get("defined_in", ())
    return any(one["fits"] is not False for one in places)


def _users_text(elsewhere: Sequence[Mapping[str, Any]]) -> str:
    """Returns the users of other repositories in sentences, one for each name."""
    by_name: dict[str, list[str]] = {}
    for one in elsewhere:
        place = f"[{one['repository']}:{one['location']}]"
        by_name.setdefault(one["name"], []).append(f"{one['user_name']} {one['words']} it {place}")
    return "\n".join(
        f"{name} in repositories that do not define it: {', '.join(users)}."
        for name, users in by_name.items()
    )


def _used_at(one: Mapping[str, Any]) -> dict[str, Any]:
    place = {"marker": 0, "path": one["path"], "line": one["line"], "end_line": one["line"]}
    name = one["repository"]
    return {**place, "repository": name, "place": f"{name}:{one['location']}"}


def _cited(one: Citation, name: str) -> dict[str, Any]:
    import msgspec

    return {**msgspec.to_builtins(one), "repository": name, "place": f"{name}:{one.place}"}


def with_repository(text: str, citations: tuple[Citation, ...], name: str) -> str:
    """Returns an answer whose cited places begin with their repository."""
    paths = {one.path for one in citations}

    def part(text: str) -> str:
        found = _PART.fullmatch(text)
        return f"{name}:{text}" if found and found["path"] in paths else text

    return _BRACKET.sub(
        lambda found: "[" + "; ".join(part(one) for one in found[1].split("; ")) + "]", text
    )
