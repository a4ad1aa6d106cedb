"""The session of README.md: commands as a user types them, and what they print."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.errors import UsageError

CORE = "ibex"
"""The corpus that the session is about."""

LONGEST_S = 120.0
"""Seconds after which a command of the session is ended."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a session and the lines that it prints, without blanks at the ends of lines."""

    command: str
    output: str


def steps(block: str) -> tuple[Step, ...]:
    """Returns the steps of a session block.

    Args:
        block: a fenced block in which `$ ` begins a command and its output follows.

    Raises:
        UsageError: the block has another form.
    """
    lines = block.strip("\n").split("\n")
    if len(lines) < 3 or lines[0] != "```" or lines[-1] != "```":
        raise UsageError("the session is no fenced block: put ``` before and after it")
    if not lines[1].startswith("$ hdlgraph "):
        raise UsageError("the session does not begin with `$ hdlgraph ...`")
    return tuple(_steps(lines[1:-1]))


def _steps(lines: list[str]) -> Iterator[Step]:
    command, output = "", list[str]()
    for line in [*lines, "$ "]:
        if line.startswith("$ "):
            if command:
                yield Step(command, "\n".join(output).strip("\n"))
            command, output = line[2:], []
        else:
            output.append(line.rstrip())


def run(command: str, index: Path) -> str:
    """Returns what a command of a session prints when it asks an index.

    Args:
        command: `hdlgraph ...` as a user types it.
        index: the index folder, which the session does not name.

    Raises:
        UsageError: it is no command of hdlgraph, or it ends with another exit code than 0.
    """
    from hdlgraph.eval.bench.process import hdlgraph_command, watch

    name, *arguments = shlex.split(command)
    if name != "hdlgraph":
        raise UsageError(f"`{command}`: a session has commands of hdlgraph alone")
    done = watch([*hdlgraph_command(), *arguments, "--index", str(index)], LONGEST_S, memory=False)
    if done.code:
        raise UsageError(f"`{command}`: ended with exit code {done.code}: {done.stderr.strip()}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))


def replayed(block: str, index: Path) -> str:
    """Returns a session block with what its commands print now."""
    outputs = (f"$ {step.command}\n{run(step.command, index)}" for step in steps(block))
    return "```\n" + "\n\n".join(outputs) + "\n```\n"
