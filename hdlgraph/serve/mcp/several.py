"""The tools over several repositories: what a call does that names none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hdlgraph.errors import UsageError
from hdlgraph.serve.mcp.brief import LIMIT, MOST, brief
from hdlgraph.serve.mcp.tools import read_at_most
from hdlgraph.serve.warm.kept import Kept

if TYPE_CHECKING:
    from hdlgraph.project.workspace import Workspace
    from hdlgraph.serve.mcp.tools import Tool

T = TypeVar("T")
Arguments = Mapping[str, Any]
WAIT_S = 60.0
"""Seconds between looks whether a repository that another call has is free."""


class KeptWorkspace(dict[str, Kept]):
    """The repositories of a server by name, and all of them as one workspace.

    Args:
        file: the workspace file.
        settings: the settings file that the user named.
    """

    def __init__(self, file: Path, settings: Path | None = None) -> None:
        from hdlgraph.project.workspace import Workspace

        self.whole = Workspace.open(file, settings, lambda entry: self[entry.name].opened())
        entries = self.whole.members.entries.values()
        super().__init__({entry.name: Kept(entry.index, settings) for entry in entries})

    def run(self, work: Callable[[Workspace], T]) -> T:
        """Returns what `work` returns of the workspace; other calls wait meanwhile."""
        with ExitStack() as stack:
            for one in self.values():
                while not one.take(WAIT_S):
                    pass
                stack.callback(one.give)
            return work(self.whole)


def search_files(workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns the cards of the files of all repositories, each path with its repository."""
    from hdlgraph.query.result.cards import cards_of
    from hdlgraph.query.workspace.plain import plain_result

    limit = given.get("limit", 10)
    result = workspace.search(
        given["question"],
        k=limit,
        roles=given.get("roles", ()),
        fold=given.get("fold", True),
        kind=given.get("kind", "all"),
        rerank=given.get("rerank"),
    )
    found = cards_of(plain_result(result))
    left = found.pop("more_files")
    if left:
        found["truncated"] = f"the best {len(found['files'])}; for more raise `limit`"
    return brief(found)


def ask(workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns an answer from the likeliest repositories, each place with its repository."""
    from hdlgraph.query.result.short_answer import short_answer

    answer = workspace.ask(given["question"], writer="extractive", k=10, rerank=given.get("rerank"))
    found = answer.to_dict()
    kept = {key: found[key] for key in ("schema", "answer", "found", "weak", "notes", "answered")}
    if not given.get("whole"):
        short = short_answer(answer.question, answer.text, set())
        kept["answer"] = short.text
        if short.kept < short.total:
            kept["truncated"] = (
                f"{short.kept} of {short.total} lines of the answer; `whole: true` gives all"
            )
    further = [hit.place.location for hit in answer.result.hits if hit.path not in answer.text]
    return brief({**kept, "further_files": further[:3]}, MOST)


def show(workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns what a name is, in all repositories."""
    from hdlgraph.query.workspace.plain import plain_answer

    if given.get("config"):
        raise UsageError("config: is of one repository; name that in `repository`")
    return brief(plain_answer(workspace.show(given["name"])), given.get("limit", LIMIT))


def relations(workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns the users of a name in all repositories."""
    from hdlgraph.query.workspace.plain import plain_answer

    if given["kind"] != "who":
        raise UsageError(f"{given['kind']}: is told of one repository; name it in `repository`")
    if not given.get("name"):
        raise UsageError("who: needs `name`")
    return brief(plain_answer(workspace.who(given["name"])), given.get("limit", LIMIT))


def read_lines(workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns lines of a file, whose path begins with its repository."""
    return read_at_most(workspace.read_lines, given)


BY_TOOL: dict[str, Callable[[Workspace, Arguments], dict[str, Any]]] = {
    "search_files": search_files,
    "ask": ask,
    "show": show,
    "relations": relations,
    "read_lines": read_lines,
}
"""The tools that may be called without naming a repository."""


def several(tool: Tool, workspace: Workspace, given: Arguments) -> dict[str, Any]:
    """Returns what a tool gives of all repositories.

    Raises:
        UsageError: it is one of a single repository.
    """
    if tool.name not in BY_TOOL:
        known = ", ".join(workspace.names)
        raise UsageError(f"{tool.name}: is of one repository; name it in `repository`: {known}")
    return BY_TOOL[tool.name](workspace, given)
