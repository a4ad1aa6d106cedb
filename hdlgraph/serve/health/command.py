"""The commands `status` and `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit

if TYPE_CHECKING:
    from hdlgraph.project import Project


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (status, doctor):
        app.command()(command)


def status(index_dir: options.Index = None, as_json: options.Json = False) -> int:
    """Tell what the index holds and whether the repository has moved since."""
    from hdlgraph.project import Project

    state = Project.open(index_dir).status()
    if as_json:
        emit({"schema": 1, **state})
    else:
        from hdlgraph.serve.health.text import show_status

        show_status(state)
    return 0


def doctor(
    repo: Annotated[
        Path | None,
        typer.Argument(metavar="REPO", help="The repository; else that of the index, else `.`."),
    ] = None,
    index_dir: options.Index = None,
    settings: options.SettingsFile = None,
    parsers: Annotated[
        bool,
        typer.Option("--parsers", help="Compare the readers of the indexed files instead."),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0, max=1_000_000, metavar="N", help="Disputed facts that --parsers lists."
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Check the installation, the model weights, the settings and the index."""
    project = _checked(repo, index_dir, settings)
    if parsers:
        return _agreement(project, limit, as_json)
    checks = project.doctor()
    if as_json:
        emit({"schema": 1, "checks": checks})
    else:
        from hdlgraph.serve.health.text import show_checks

        show_checks(checks)
    return 1 if any(check["state"] == "fail" for check in checks) else 0


def _checked(repo: Path | None, index_dir: Path | None, settings: Path | None) -> Project:
    """Returns the project to check: of REPO, else of the index that there is, else of `.`."""
    from hdlgraph.errors import HdlgraphError
    from hdlgraph.project import Project

    if repo is None:
        try:
            return Project.open(index_dir, settings)
        except HdlgraphError:  # the checks say what is wrong with the index
            repo = Path()
    return Project(repo, index_dir, settings)


def _agreement(project: Project, limit: int | None, as_json: bool) -> int:
    """Prints how far the readers of the source agree; returns the exit code."""
    if as_json:
        emit(project.agreement(1000 if limit is None else limit))
        return 0
    from hdlgraph.serve.health.text import show_agreement

    show_agreement(project.agreement(20 if limit is None else limit))
    return 0
