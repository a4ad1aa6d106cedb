"""The command `hdlgraph watch`: brings the index up to date whenever a file changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say

if TYPE_CHECKING:
    from hdlgraph.results import Round

MAX_SHOWN = 3
"""Changed files that a line names."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(watch)


def watch(
    repo: options.Repo = Path(),
    index_dir: Annotated[
        Path | None,
        typer.Option(
            "--index",
            metavar="DIR",
            help="Index folder, no s3:// or file:// address; else REPO/.hdlgraph.",
            show_default=False,
        ),
    ] = None,
    filelist: options.Filelist = None,
    embeddings: Annotated[
        bool | None,
        typer.Option(
            "--embeddings/--no-embeddings",
            help="As of `index`, whose other options are taken from the index.",
            show_default=False,
        ),
    ] = None,
    jobs: options.Jobs = None,
    poll: Annotated[
        bool,
        typer.Option(
            "--poll",
            help="Look at all files again and again: for systems that report no changes.",
        ),
    ] = False,
    settings: options.SettingsFile = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (docs/json.md) for each round.")
    ] = False,
) -> int:
    """Bring the index up to date, then again whenever a file of the design changes.

    Searches, servers and editors that use the index take the new one without a restart. Ctrl-C
    ends it.
    """
    from hdlgraph.project import Project

    project = Project(repo, index_dir, settings)
    given: dict[str, Any] = {"filelist": filelist, "embeddings": embeddings, "jobs": jobs}
    say(f"hdlgraph: watching {project.root} (Ctrl-C ends it)")
    try:
        for number, done in enumerate(project.watch(poll=poll, **given)):
            if as_json:
                emit(done.to_dict(), indent=None)
                _flush()
            else:
                _show(done, first=number == 0)
    except KeyboardInterrupt:
        say("hdlgraph: watching ended; the last index stays valid")
    return 0


def _show(done: Round, first: bool) -> None:
    """Prints a line on what a round did."""
    if done.report is None:
        say(f"hdlgraph: error: {done.error}; trying again with the next change")
        return
    report = done.report
    renamed = tuple(new for _, new in report.renamed)
    moved = (*report.changed, *report.added, *report.removed, *renamed)
    what = f"{len(moved)} files" if first else ", ".join(moved[:MAX_SHOWN])
    more = f" and {len(moved) - MAX_SHOWN} more" if not first and len(moved) > MAX_SHOWN else ""
    say(f"hdlgraph: indexed {what or 'anew'}{more} in {done.seconds:.1f} s")
    for line in (*report.failed, *report.problems):
        say(f"hdlgraph: error: {line}")


def _flush() -> None:
    import sys

    sys.stdout.flush()
