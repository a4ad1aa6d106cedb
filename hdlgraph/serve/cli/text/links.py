"""Links that terminals open (OSC 8): from a place in the output to the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.serve.cli.output import console
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from rich.style import Style


def address(root: Path | None, path: str) -> str:
    """Returns the address of a file's real path, "" for what is no file inside the root."""
    if root is None or not path:
        return ""
    try:
        inside, real = root.resolve(), (root / path).resolve()
        return real.as_uri() if real.is_relative_to(inside) and real.is_file() else ""
    except (OSError, RuntimeError, ValueError):  # a name that no file can have
        return ""


def linked(location: str, style: str = "cyan") -> Style | str:
    """Returns the style of a place, `path` or `path:line`, with a link to it on a terminal."""
    if not console().is_terminal:
        return style
    path, _, line = location.rpartition(":")
    found = address(volume().root, path if path and line.isdigit() else location)
    if not found:
        return style
    from rich.style import Style

    return Style.parse(style) + Style(link=found)
