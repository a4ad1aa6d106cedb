"""Commands about structure: show, tree, who, path, impact, unresolved, read, explanations."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.export import STDOUT, Target, not_json
from hdlgraph.serve.cli.output import emit, flow, say
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from hdlgraph.project import Project

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="A unit, file, type, macro or parameter; ports are UNIT.PORT."
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="What it became in this configuration, see `hdlgraph elaborate`."
    ),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="Explanations as JSONL.")]
_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?)?", re.S)


DEFINITIONS, USERS = 50, 200
"""Entries of `show` and `who` on a terminal; a pipe and --json have all."""


class Kind(StrEnum):
    """Kinds of names that may be unresolved."""

    MODULE = "module"
    PACKAGE = "package"
    INCLUDE = "include"
    CLASS = "class"
    MACRO = "macro"


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (show, tree, who, path, impact, unresolved, read):
        app.command()(command)
    sharing = typer.Typer(no_args_is_help=True)
    sharing.command("export")(export_explanations)
    sharing.command("import")(import_explanations)
    sharing.command("forget")(forget_explanations)
    app.add_typer(sharing, name="explanations", help="Share the explanations of files as JSONL.")


def _print(project: Project, found: dict[str, Any], as_json: bool, render: str) -> int:
    """Prints an answer, by a function of that name, or as JSON; returns the exit code."""
    if as_json:
        emit(found)
        return 0
    from hdlgraph.serve.cli.text import structure
    from hdlgraph.serve.elaborate import text

    volume().root = project.root
    getattr(structure if hasattr(structure, render) else text, render)(found)
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")
    return 0


def is_cut(as_json: bool) -> bool:
    """Returns whether an answer is cut: on a terminal it is, in a pipe and as JSON it is whole."""
    from hdlgraph.serve.cli.output import console

    return not as_json and console().is_terminal


def show(
    name: Name,
    config: Config = None,
    index: options.Index = None,
    workspace: options.WorkspaceFile = None,
    as_json: options.Json = False,
) -> int:
    """Show what a name is: its definitions, ports, parameters, instances and parents.

    With --workspace, REPOSITORY:NAME means what that repository defines.
    """
    from hdlgraph.project import Project

    if workspace is not None:
        from hdlgraph.serve.workspace import ask as several

        if config is not None:
            raise UsageError("--config: is of one repository; give --index instead of --workspace")
        limit = DEFINITIONS if is_cut(as_json) else None
        found = several.opened(workspace, index).show(name, limit)
        return several.names(found, as_json, "show_definitions")
    project = Project.open(index)
    if config is not None:
        found = project.elaborated_show(name, config)
        return _print(project, found, as_json, "show_elaborated")
    limit = DEFINITIONS if is_cut(as_json) else None
    return _print(project, project.show(name, limit), as_json, "show_definitions")


def tree(
    top: Annotated[str, typer.Argument(metavar="TOP", help="A unit; else all tops.")] = "",
    depth: Annotated[int, typer.Option(min=1, metavar="N", help="Levels shown.")] = 3,
    config: Config = None,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Show the instances below a unit, each with its place and the condition around it."""
    from hdlgraph.project import Project

    project = Project.open(index)
    if config is not None:
        found = project.elaborated_tree(top, depth, config)
        return _print(project, found, as_json, "show_elaborated_tree")
    return _print(project, project.tree(top, depth), as_json, "show_tree")


def who(
    name: Name,
    index: options.Index = None,
    workspace: options.WorkspaceFile = None,
    as_json: options.Json = False,
) -> int:
    """List who declares and uses a name: instantiates, drives, reads, imports, binds it ...

    With --workspace, REPOSITORY:NAME means what that repository defines.
    """
    from hdlgraph.project import Project

    limit = USERS if is_cut(as_json) else None
    if workspace is not None:
        from hdlgraph.serve.workspace import ask as several

        found = several.opened(workspace, index).who(name, limit)
        return several.names(found, as_json, "show_users")
    project = Project.open(index)
    return _print(project, project.who(name, limit), as_json, "show_users")


def path(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A name as `who` takes it.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Another name.")],
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Walks shown.")] = 3,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Show how two names are connected: the shortest walks from one to the other."""
    from hdlgraph.project import Project

    project = Project.open(index)
    return _print(project, project.path(source, target, limit), as_json, "show_walks")


def impact(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A unit, file, type, macro or parameter; ports are UNIT.PORT."
        ),
    ] = "",
    parameter: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT.NAME=VALUE",
            help="Instead of NAME: what another value of a parameter changes, by two elaborations; "
            "without =VALUE where the text uses it.",
        ),
    ] = None,
    config: Annotated[
        str, typer.Option(metavar="NAME", help="The configuration that --parameter starts from.")
    ] = "default",
    depth: Annotated[
        int, typer.Option(min=1, metavar="N", help="Greatest distance; users are 1 away.")
    ] = 3,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Units and files shown.")] = 200,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """List what may be affected when a name changes: its users, their users, and so on."""
    from hdlgraph.project import Project

    if bool(name.strip()) == (parameter is not None):
        raise UsageError("impact takes either a NAME or --parameter UNIT.NAME=VALUE")
    project = Project.open(index)
    if parameter is not None:
        found = project.parameter_impact(parameter, config)
        return _print(project, found, as_json, "show_parameter_impact")
    return _print(project, project.impact(name, depth, limit), as_json, "show_impact")


def unresolved(
    kind: Annotated[Kind | None, typer.Option(help="Only names of this kind.")] = None,
    syntax: Annotated[
        bool, typer.Option("--syntax", help="List the syntax errors of the files instead.")
    ] = False,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """List the names that are used but defined nowhere in the repository."""
    from hdlgraph.project import Project

    if syntax and kind:
        raise UsageError("--syntax and --kind exclude each other: syntax errors have no kind")
    project = Project.open(index)
    if syntax:
        found = project.syntax_errors(1000 if as_json else 100)
        return _print(project, found, as_json, "show_syntax")
    found = project.unresolved(kind.value if kind else "")
    return _print(project, found, as_json, "show_unresolved")


def read(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PATH[:A[-B]]", help="An indexed file, its line A, or its lines A to B."
        ),
    ],
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Show lines of an indexed file with their numbers: all, one, or a range."""
    from hdlgraph.project import Project

    found = _PLACE.fullmatch(place)
    if found is None:
        raise UsageError("write PATH, PATH:LINE or PATH:FIRST-LAST")
    start, end = found["start"], found["end"]
    last = end or start
    lines = Project.open(index).read_lines(
        found["path"], int(start or 1), int(last) if last else None
    )
    if as_json:
        emit(lines)
        return 0
    for number, text in lines["lines"].items():
        line_text = "\t".join(visible(part) for part in text.split("\t"))
        flow(f"{number:>6} | {line_text}\n")
    for note in (lines["truncated"], *lines["notes"]):
        if note:
            say(f"hdlgraph: note: {note}")
    return 0


def export_explanations(
    target: Target, index: options.Index = None, as_json: options.Json = False
) -> int:
    """Write the explanation of every file, one JSON object a line."""
    from hdlgraph.project import Project

    project = Project.open(index)
    if str(target) == STDOUT:
        not_json(as_json)
        project.export_explanations(sys.stdout.buffer)
        return 0
    count = project.export_explanations(target)
    if as_json:
        emit({"schema": 1, "file": str(target), "explanations": count})
    else:
        say(f"wrote {count} explanations to {target}")
    return 0


def import_explanations(
    source: File, index: options.Index = None, as_json: options.Json = False
) -> int:
    """Import explanations; each counts for the file with the content that it was written for."""
    from hdlgraph.project import Project

    project = Project.open(index)
    counts = project.import_explanations(source)
    if as_json:
        emit({"schema": 1, **counts})
    else:
        if counts["refused"]:
            say(
                f"hdlgraph: note: {counts['refused']} left out: they are hdlgraph's own "
                "(`model: deterministic`), which it writes anew by itself"
            )
        say(
            f"read {counts['read']} explanations, {counts['matching']} match the indexed files; "
            f"they count from the next `hdlgraph index {project.root}` on"
        )
    return 0


def forget_explanations(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files, or folders of files.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="Only those that this model wrote.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Those of all files.")] = False,
    index: options.Index = None,
    as_json: options.Json = False,
) -> int:
    """Forget what was imported or written by a model; the next `index` explains by rules."""
    from hdlgraph.project import Project

    project = Project.open(index)
    done = project.forget_explanations(model=model, paths=paths or (), everything=everything)
    if as_json:
        emit({"schema": 1, **done})
    else:
        counts = ", ".join(f"{count} by {name}" for name, count in done["forgotten"].items())
        say(
            f"forgot {counts or 'none'}; {done['left']} are left; run "
            f"`hdlgraph index {project.root}` to explain their files by rules"
        )
    return 0
