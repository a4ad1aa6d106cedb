"""Runs one call of a tool: checked arguments, one call of `Project`, a result or what to do."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.safety.printable import visible
from hdlgraph.serve.mcp import outline
from hdlgraph.serve.mcp.arguments import checked
from hdlgraph.serve.mcp.failures import message_of, next_step
from hdlgraph.serve.mcp.several import BY_TOOL, KeptWorkspace, several
from hdlgraph.serve.mcp.tools import TOOLS, Tool
from hdlgraph.serve.warm.kept import Kept

BY_NAME = {tool.name: tool for tool in TOOLS}


class Result(NamedTuple):
    """What a call gave: blocks of text, the same as an object, and whether it failed."""

    blocks: list[str]
    found: dict[str, Any] | None = None
    failed: bool = False


def call(kept: Mapping[str, Kept], name: str, given: Mapping[str, Any] | None) -> Result:
    """Returns the result of a tool; every failure is one too, with what to do next.

    Args:
        kept: the repositories of the server by name.
        name: of the tool.
        given: its arguments.
    """
    tool = BY_NAME.get(name)
    if tool is None:
        return _failed(f"{visible(name[:80])}: no such tool; there are {', '.join(BY_NAME)}")
    schema = schema_of(tool, kept)
    try:
        arguments = checked(given, schema)
    except HdlgraphError as error:
        return _failed(visible(str(error)), f"Call {tool.name} again with {_wanted(schema)}.")
    try:
        if "repository" not in arguments and isinstance(kept, KeptWorkspace):
            return _reply(tool, kept.run(lambda workspace: several(tool, workspace, arguments)))
        repository = kept[arguments.pop("repository", next(iter(kept)))]
        return _reply(tool, repository.run(lambda project: tool.call(project, arguments)))
    except HdlgraphError as error:
        return _failed(message_of(error), next_step(error, tool.name, tool.hint))
    except Exception as error:  # a protocol error would tell the model nothing
        if os.environ.get("HDLGRAPH_DEBUG"):
            traceback.print_exc(file=sys.stderr)
        kind = type(error).__name__
        return _failed(f"unexpected {kind}: {visible(str(error)[:500])}", tool.hint)


def names(kept: Mapping[str, Kept]) -> list[str]:
    """Returns the names that a call may choose from, none where there is one repository."""
    return list(kept) if len(kept) > 1 or isinstance(kept, KeptWorkspace) else []


def schema_of(tool: Tool, kept: Mapping[str, Kept]) -> dict[str, Any]:
    """Returns the JSON schema of a tool's arguments for these repositories."""
    all_at_once = isinstance(kept, KeptWorkspace) and tool.name in BY_TOOL
    return tool.schema(names(kept), all_at_once)


def _reply(tool: Tool, found: dict[str, Any]) -> Result:
    text = tool.text(found)
    end = outline.ending(found)
    blocks = [f"{text}\n{end}" if end else text]
    stale = outline.staleness(found)
    return Result([*blocks, stale] if stale else blocks, found)


def _wanted(schema: Mapping[str, Any]) -> str:
    """Returns the names of the arguments of a tool, those that it needs marked."""
    message = (
        f"`{name}`{' (needed)' if name in schema['required'] else ''}"
        for name in schema["properties"]
    )
    return ", ".join(message) or "no arguments"


def _failed(message: str, hint: str = "") -> Result:
    return Result([f"{message}\nnext: {hint}" if hint else message], failed=True)
