"""Who reaches an address, for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put
from hdlgraph.serve.cli.text.links import linked


def show_reach(found: dict[str, Any], limit: int) -> None:
    """Prints each block with its place in the address map, its register and its hosts."""
    if not found["answers"]:
        why = f"it lies in none of the {found['regions']} known regions"
        why = why if found["regions"] else "the repository has no address map that is known"
        put(f"nothing is known to answer at {found['asked']}: {why}")
    for one in found["answers"][:limit]:
        _answer(one)
    left = found["total"] - len(found["answers"][:limit])
    if left > 0:
        put(Text(f"... and {left} more; --limit, --json", style="dim"))


def _answer(one: dict[str, Any]) -> None:
    name = one["instance"] or one["block"]
    line = Text(name, style="bold")
    line.append(f" ({one['block']})" if one["block"] not in ("", name) else "")
    if one["base"] is not None:
        line.append(f" {one['base']:#x} + {one['offset']:#x}")
        line.append(f", {one['size']} bytes" if one["size"] is not None else ", size not told")
    put(_placed(line, one["location"], f"{one['how']}"))
    if one["register"]:
        register = one["register"]
        put(_placed(Text(f"  register {register['name']}"), register["location"]))
    for decoder in one["decoders"]:
        put(_placed(Text(f"  decoded by {decoder['name']}"), decoder["location"]))
    if one["hosts"] is None:
        put(Text("  hosts: the repository does not tell them", style="yellow"))
    elif not one["hosts"]:
        put(Text("  hosts: none reaches it", style="yellow"))
    for host in one["hosts"] or ():
        unit = f" ({host['unit']})" if host["unit"] not in ("", host["name"]) else ""
        steps = ", ".join(step["name"] for step in host["through"])
        put(_placed(Text(f"  from {host['name']}{unit}"), host["location"], f"through {steps}"))


def _placed(line: Text, location: str, words: str = "") -> Text:
    line.append(" ")
    line.append(location, style=linked(location))
    return line.append(f"  {words}" if words else "", style="dim")
