"""The reference of all commands as Markdown: `python -m hdlgraph.serve.reference` prints it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMMANDS = """\
# Commands

Written from the code: the same as `hdlgraph COMMAND --help`. Every command that prints a result
takes `--json`; [json.md](json.md) describes the objects and the exit codes.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the command line.

    Args:
        name: as typed, with its group: "eval suite".
        usage: what follows the name: "[OPTIONS] QUESTION...".
        text: what its help says.
        parameters: (spelling, help) of each argument and option, as in its help.
    """

    name: str
    usage: str
    text: str
    parameters: tuple[tuple[str, str], ...]


def commands() -> list[Command]:
    """Returns every command of the command line that is not hidden, sorted by name."""
    import typer

    from hdlgraph.serve.cli.main import app

    group: Any = typer.main.get_command(app)
    return sorted(_walk(group, ""), key=lambda one: one.name)


def _walk(group: Any, prefix: str) -> Iterator[Command]:
    for name, command in group.commands.items():
        whole = f"{prefix} {name}".strip()
        if command.hidden:
            continue
        yield _described(command, whole)
        if hasattr(command, "commands"):
            yield from _walk(command, whole)


def _described(command: Any, name: str) -> Command:
    with command.make_context(f"hdlgraph {name}", [], resilient_parsing=True) as context:
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        usage = " ".join(command.collect_usage_pieces(context))
        records = tuple(_record(one, context) for one in shown)
    return Command(name, re.sub(r"[{}]", "", usage), _text(command.help or ""), records)


def _record(parameter: Any, context: Any) -> tuple[str, str]:
    """Returns the spelling of an argument or option, and its help."""
    spelling, text = parameter.get_help_record(context) or (parameter.name, "")
    if parameter.param_type_name == "argument":
        spelling = parameter.metavar or parameter.name.upper()
    return spelling.strip(), (text or "").strip()


def _text(help: str) -> str:
    """Returns the help of a command without the marks that steer its layout on a terminal."""
    return help.replace("\b\n", "").replace("\f", "").strip()


def commands_page() -> str:
    """Returns the page of all commands as Markdown."""
    parts = [COMMANDS]
    for one in commands():
        lines = [f"## `{one.name}`", "", f"```\nhdlgraph {one.name} {one.usage}\n```", "", one.text]
        if one.parameters:
            lines += ["", "| option | meaning |", "|---|---|"]
            lines += [f"| `{_cell(name)}` | {_prose(text)} |" for name, text in one.parameters]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    """Returns a text for a code span in a table of Python-Markdown, which takes a bar as it is."""
    return " ".join(text.split())


def _prose(text: str) -> str:
    """Returns a text for a table, in which nothing but code spans is Markdown."""
    parts = re.split(r"(`[^`]*`)", _cell(text))
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_<|\[\]])", r"\\\1", part) for part in parts
    )


if __name__ == "__main__":
    sys.stdout.write(commands_page())
