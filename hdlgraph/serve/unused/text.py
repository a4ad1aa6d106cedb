"""What is unused, for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.query.unused.records import KINDS
from hdlgraph.serve.cli.output import put
from hdlgraph.serve.cli.text.links import linked

MAX_SHOWN = 8
"""Folders and reasons that are printed."""


def show_unused(found: dict[str, Any], deliberate: bool) -> None:
    """Prints the summary by kind and folder, then the findings."""
    where = f" in {found['name']}" if found["name"] else ""
    if not found["counts"] and not found["deliberate"]:
        put(f"nothing unused was found{where}")
        return
    put(Text(f"{sum(found['counts'].values())} unused{where}", style="bold"))
    for kind in KINDS:
        count, meant = found["counts"].get(kind, 0), found["deliberate"].get(kind, 0)
        if count or meant:
            apart = f"  ({meant} on purpose)" if meant else ""
            put(f"  {count:>6} {kind:<16} {KINDS[kind]}{apart}")
    _folders(found)
    if deliberate:
        for reason, count in [*found["reasons"].items()][:MAX_SHOWN]:
            put(Text(f"  {count:>6} {reason}", style="dim"))
    for one in found["findings"]:
        owner = f"{one['unit']}." if one["unit"] and one["unit"] != one["name"] else ""
        line = Text(f"{one['kind']} ", style="magenta")
        line.append(f"{owner}{one['name']} ", style="bold")
        line.append(one["location"], style=linked(one["location"]))
        meant = f" ({one['deliberate']})" if one["deliberate"] else ""
        alike = f"; {one['alike']} more of this name elsewhere" if one["alike"] else ""
        put(line.append(f"  {one['why']}{meant}{alike}", style="dim"))
    left = found["more"]
    if left > 0:
        put(Text(f"... and {left} more; --full lists all, --kind and a folder fewer", style="dim"))


def _folders(found: dict[str, Any]) -> None:
    folders = found["folders"]
    if len(folders) < 2:
        return
    put(Text("  most in", style="dim"))
    for one in folders[:MAX_SHOWN]:
        put(f"  {one['count']:>6} {one['folder']}/")
    left = len(folders) - MAX_SHOWN + found["more_folders"]
    if left > 0:
        put(Text(f"         and {left} more folders", style="dim"))
