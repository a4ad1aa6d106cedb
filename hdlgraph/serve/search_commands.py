"""Commands that take a question: search, ask, eval."""

from __future__ import annotations

import typer

from hdlgraph.serve import options
from hdlgraph.serve.output import emit


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command()(search)
    app.command()(ask)


def search(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Find the files that answer a question, best first, with the evidence for each."""
    from hdlgraph.project import Project

    project = Project.open(index, settings)
    result = project.search(" ".join(question), k=k, hops=hops, roles=role or ())
    if as_json:
        emit(result.to_dict())
    else:
        from hdlgraph.serve.render import show_result

        show_result(result)
    return 0


def ask(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Answer a question with passages of the repository, each with its path:line."""
    from hdlgraph.project import Project

    project = Project.open(index, settings)
    answer = project.ask(" ".join(question), k=k, hops=hops, roles=role or ())
    if as_json:
        emit(answer.to_dict())
    else:
        from hdlgraph.serve.render import show_answer

        show_answer(answer)
    return 0
