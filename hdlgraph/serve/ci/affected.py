"""The command `hdlgraph affected`: what changed files reach."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, put, say

NOTHING, SOMETHING = 0, 3
"""Exit codes: nothing is affected, something is."""
MAX_SHOWN = 20
"""Entries of each kind that are printed without --list or --json."""
STDIN = "-"


class Names(StrEnum):
    """What --list prints."""

    UNITS = "units"
    FILES = "files"
    INSTANCES = "instances"
    TOPS = "tops"
    TESTBENCHES = "testbenches"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(affected)


def affected(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="What changed after the present commit left this revision, and what is not "
            "committed.",
        ),
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(metavar="LIST", help="Changed files instead, one path a line; - is stdin."),
    ] = None,
    names: Annotated[
        Names | None,
        typer.Option("--list", help="Print the names of these alone, one a line."),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="Most of each that are listed.")
    ] = 1000,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """List units, instances, tops and testbenches that changed files reach.

    Exit code 0: nothing of the design is affected; 3: something is; 1 and 2 are failures.
    """
    from hdlgraph.project import Project

    project = Project.open(index)
    found = project.affected(since, None if files is None else _listed(files), limit)
    if as_json:
        emit(found)
    elif names is not None:
        for line in _lines(found, names):
            put(line)
    else:
        _show(found)
    if not as_json:
        for note in found["notes"]:
            say(f"hdlgraph: note: {note}")
    return SOMETHING if found["counts"]["changed"] else NOTHING


def _listed(source: Path) -> list[str]:
    from hdlgraph.query.design.since import listed

    return listed(None if str(source) == STDIN else source, sys.stdin.read)


def _lines(found: dict[str, Any], names: Names) -> list[str]:
    """Returns the names to print: each once, in order of places."""
    if names is Names.FILES:
        return [one["path"] for one in found["files"]]
    if names in (Names.UNITS, Names.INSTANCES):
        return list(dict.fromkeys(one["name"] for one in found[names.value]))
    wanted = set(found[names.value])
    return list(dict.fromkeys(one["name"] for one in found["units"] if one["id"] in wanted))


def _show(found: dict[str, Any]) -> None:
    from hdlgraph.serve.ci.render import show_affected

    show_affected(found, MAX_SHOWN)
