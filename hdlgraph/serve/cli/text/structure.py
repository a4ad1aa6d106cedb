"""Structural answers for people: trees, walks, what is affected, what is missing."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.definitions import show_definitions, show_users
from hdlgraph.serve.cli.text.hits import one_line
from hdlgraph.serve.cli.text.links import linked
from hdlgraph.serve.cli.text.rows import add_place, row, taken_for
from hdlgraph.serve.cli.text.values import some

__all__ = [
    "show_definitions", "show_impact", "show_syntax", "show_tree", "show_unresolved",
    "show_users", "show_walks",
]  # fmt: skip


def show_tree(found: dict[str, Any]) -> None:
    """Prints the hierarchy below each top."""
    for top in found["tops"]:
        line = Text(top["name"], style="bold")
        add_place(line, top["location"])
        put(line)
        _branches(top["children"], "")
    if found["truncated"]:
        say("hdlgraph: note: cut at the limit of instances; name a lower TOP or fewer levels")


def _branches(children: list[dict[str, Any]], indent: str) -> None:
    for number, child in enumerate(children, 1):
        last = number == len(children)
        line = Text(indent + ("└─ " if last else "├─ "), style="dim")
        line.append(child["name"], style="bold")
        line.append(child.get("shape", ""), style="bold")
        line.append(f": {child['unit']}" if child["unit"] else "", style="default")
        add_place(line, child["location"])
        if child["condition"]:
            line.append(f"  if {one_line(child['condition'], 60)}", style="yellow")
        if child.get("note"):
            line.append(f"  [{child['note']}]", style="dim")
        put(line)
        _branches(child["children"], indent + ("   " if last else "│  "))


def show_walks(found: dict[str, Any]) -> None:
    """Prints walks from one name to another, one step a line."""
    for number, walk in enumerate(found["walks"]):
        if number:
            put()
        line = Text(walk["start"]["name"], style="bold")
        line.append(f"  {walk['start']['kind']}", style="dim")
        add_place(line, walk["start"]["location"] or "defined nowhere here")
        put(line)
        for step in walk["steps"]:
            _step(step)
    if not found["walks"]:
        put(Text(f"no walk leads from {found['from']} to {found['to']}"))
    left = found["total"] - len(found["walks"])
    if left > 0:
        say(f"hdlgraph: {left} more walks of the same length (--limit lists more)")


def _step(step: dict[str, Any]) -> None:
    line = Text(f"  {step['words']} ", style="magenta")
    line.append(step["to"]["name"], style="bold")
    line.append(f"  {step['to']['kind']}", style="dim")
    add_place(line, step["location"])
    if step["text"]:
        line.append("  " + one_line(step["text"], 80), style="dim")
    if step.get("written"):
        line.append(f"  {taken_for(step)}", style="yellow")
    if step["more"]:
        line.append(f"  and {step['more']} more", style="dim")
    put(line)


def show_impact(found: dict[str, Any]) -> None:
    """Prints what may be affected, by distance, each with the edge that leads there."""
    for level in found["levels"]:
        if level["users"]:
            put(Text(f"distance {level['distance']}: {level['count']}", style="magenta"))
        for user in level["users"]:
            via = user["via"]
            words = f"{via['words']} {via['name']} {taken_for(via)}"
            row(user["name"], via["location"], words.rstrip())
    uses = found.get("uses", ())  # of a parameter or macro
    if uses:
        told = f"lines that use it, or what depends on it: {found['uses_total']}"
        put(Text(told, style="magenta"))
    for one in uses:
        row(one["user_name"], one["location"], f"{one['words']}  {one.get('text', '')}".rstrip())
    reached = found.get("signals", ())  # of a signal
    if reached:
        put(Text(f"signals reached: {len(reached)}", style="magenta"))
    for one in reached:
        row(one["signal"], one["location"], f"{one['how']}, {one['distance']} away")
    if not found["levels"] and not reached and not uses:
        put(Text(f"nothing is affected by {found['name']}"))
    left = found["total"] - sum(len(level["users"]) for level in found["levels"])
    if left > 0:
        say(f"hdlgraph: {left} more (--limit lists more)")
    if found["deeper"]:
        say(f"hdlgraph: more lies beyond distance {found['depth']} (--depth)")


def show_unresolved(found: dict[str, Any]) -> None:
    """Prints names without a definition, each with its first use."""
    for name in found["names"]:
        line = Text(f"{name['kind']:<8} ", style="magenta")
        line.append(name["name"], style="bold")
        add_place(line, name["uses"][0]["location"])
        if name["count"] > 1:
            line.append(f"  and {name['count'] - 1} more", style="dim")
        put(line)
    say(f"hdlgraph: {some(found['total'], 'name')} defined nowhere, {some(found['uses'], 'use')}")


def show_syntax(found: dict[str, Any]) -> None:
    """Prints syntax errors as compilers do, `path:line: what the reader says`."""
    for one in found["syntax_errors"]:
        line = Text(visible(one["location"]), style=linked(one["location"]))
        line.append(f": {visible(one['text'])} ({visible(one['reader'])})", style="default")
        put(line)
    left = found["total"] - len(found["syntax_errors"])
    say(
        f"hdlgraph: {some(found['total'], 'syntax error')} in {some(found['files'], 'file')}"
        + (f", {left} of them not listed (--json lists up to 1000)" if left > 0 else "")
    )
