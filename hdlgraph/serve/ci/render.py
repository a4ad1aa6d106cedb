"""What changed files reach, and what made an index stale, for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put


def show_affected(found: dict[str, Any], most: int) -> None:
    """Prints the changed files, then tops and testbenches with what leads there, then the rest."""
    counts = found["counts"]
    for one in found["changed"][:most]:
        former = f" (from {one['former']})" if one["former"] else ""
        put(Text(f"{one['status']}  {one['path']}{former}"))
    _more(counts["changed"] - most)
    if not counts["changed"]:
        put("nothing of the design changed")
        return
    units = {one["id"]: one for one in found["units"]}
    for kind in ("tops", "testbenches"):
        _heading(f"{kind} ({counts[kind]})")
        for name in found[kind][:most]:
            if name in units:
                _unit(units[name])
        _more(counts[kind] - most)
    _heading(f"units ({counts['units']})")
    for one in found["units"][:most]:
        put(Text(f"  {one['name']}  {one['location']}"))
    _more(counts["units"] - most)
    _heading(f"{counts['instances']} instances of them, {counts['files']} files")


def _heading(text: str) -> None:
    put(Text(text, style="bold"))


def _more(left: int) -> None:
    if left > 0:
        put(Text(f"  ... and {left} more (--list and --json have them)", style="dim"))


def _unit(one: dict[str, Any]) -> None:
    put(Text(f"  {one['name']}  {one['location']}"))
    for step in one["chain"]:
        put(Text(f"      {step['name']} {step['words']} {step['of']} ({step['location']})"))


def show_check(found: dict[str, Any], most: int) -> None:
    """Prints whether an index fits its repository, and what differs."""
    if found["fits"]:
        put("the index fits the repository")
        return
    put(Text("the index is stale; `hdlgraph index` brings it up to date", style="bold"))
    for reason in found["reasons"]:
        put(f"  {reason}")
    for kind in ("added", "changed", "removed", "renamed"):
        for one in found[kind][:most]:
            put(Text(f"  {kind}  {one if isinstance(one, str) else ' -> '.join(one)}"))
        _more(len(found[kind]) - most)
