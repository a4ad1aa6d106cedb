"""Search, ask, show and who with `--workspace`: one call of `Workspace` each, and its text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli.output import emit, flow, say
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from hdlgraph.project.workspace import Workspace
    from hdlgraph.query.workspace.records import Member


def opened(workspace: Path, index: Path | None, settings: Path | None = None) -> Workspace:
    """Returns the workspace of a file (UsageError: an index is named too; SettingsError)."""
    from hdlgraph.project.workspace import Workspace

    if index is not None:
        raise UsageError("--workspace and --index exclude each other: give one of them")
    found = Workspace.open(workspace, settings)
    volume().mark("open")
    return found


def search(
    workspace: Workspace, question: str, form: str, cards: bool, explain: bool, **options: Any
) -> int:
    """Prints the files of all repositories that answer a question; returns the exit code.

    Args:
        workspace: what is asked.
        question: as typed.
        form: text or json.
        cards: whether short cards are printed, as JSON.
        explain: whether scores and evidence are printed too.
        **options: as of `Workspace.search`.

    Raises:
        UsageError: the form is one of a single repository.
    """
    from hdlgraph.query.workspace.plain import plain_result

    if form not in ("text", "json"):
        raise UsageError(f"--format {form}: names files of one repository; leave --workspace out")
    result = workspace.search(question, **options)
    volume().mark("answer")
    if cards:
        from hdlgraph.query.result.cards import cards_of

        emit(cards_of(plain_result(result)))
    elif form == "json":
        emit(result.to_dict())
    else:
        from hdlgraph.serve.cli.text.hits import show_result
        from hdlgraph.serve.documents.text import show_passages

        only = options.get("kind") in ("doc", "register")
        plain = plain_result(result)
        show_result(plain, explain, only)
        show_passages(plain.passages, bool(options.get("full")), only)
        say(f"hdlgraph: {shares(result.repositories)}")
    return 0


def shares(members: tuple[Member, ...]) -> str:
    """Returns how likely each repository has the right file, in words."""
    ranked = sorted((one for one in members if not one.error), key=lambda one: -one.share)
    return "repositories: " + ", ".join(f"{one.name} {100 * one.share:.0f} %" for one in ranked)


def ask(workspace: Workspace, question: str, as_json: bool, **options: Any) -> int:
    """Prints the answer of the likeliest repositories; returns the exit code."""
    answer = workspace.ask(question, on_text=None if as_json else flow, **options)
    if as_json:
        emit(answer.to_dict())
        return 0
    flow("\n")
    for note in (*answer.notes, *answer.result.notes):
        say(f"hdlgraph: note: {note}")
    by_repository = shares(answer.result.repositories)
    say(f"hdlgraph: answered from {', '.join(answer.answered)}; {by_repository}")
    return 0


def names(found: dict[str, Any], as_json: bool, render: str) -> int:
    """Prints an answer of `show` or `who`, by a function of that name; returns the exit code."""
    if as_json:
        emit(found)
        return 0
    from hdlgraph.query.workspace.plain import plain_answer
    from hdlgraph.serve.cli.text import definitions
    from hdlgraph.serve.workspace.text import show_crossing

    plain = plain_answer(found)
    getattr(definitions, render)(plain)
    show_crossing(plain)
    for note in plain["notes"]:
        say(f"hdlgraph: note: {note}")
    return 0
