"""Structural answers for people: definitions, trees, users, what is missing."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.hits import one_line
from hdlgraph.serve.cli.text.links import linked

PARTS = ("parameters", "ports", "types", "routines", "units", "macros")
LINKS = ("extends", "imports", "includes", "overrides", "units")


def show_definitions(found: dict[str, Any]) -> None:
    """Prints every definition of a name."""
    for one in found["definitions"]:
        _definition(one)
    left = found["total"] - len(found["definitions"])
    if left > 0:
        say(f"hdlgraph: {left} more definitions (--json lists {len(found['definitions'])})")


def _definition(one: dict[str, Any]) -> None:
    line = Text(f"{one['kind']} ")
    line.append(one["name"], style="bold")
    _place(line, one["location"] or "defined nowhere here")
    put(line)
    for key in ("detail", "doc"):
        if one.get(key):
            put(Text("  " + one_line(one[key], 200)))
    for part in PARTS:
        entries = one.get(part) or []
        if entries and "doc" in entries[0]:
            _members(part, entries)
    _instances(one.get("instances") or [])
    for part in LINKS:
        entries = [entry for entry in one.get(part) or [] if "stated_at" in entry]
        if entries:
            _heading(part)
        for entry in entries:
            _row(entry["name"], entry["stated_at"], entry["location"])
    for part in ("parents", "users"):
        if one.get(part):
            _heading("instantiated by" if part == "parents" else "used by")
        for user in one.get(part) or []:
            _row(user["user_name"], user["location"], user["text"])
    _connections(one.get("connections") or [])
    words = ""
    for entry in one.get("relations") or []:
        if entry["words"] != words:
            words = entry["words"]
            _heading(words)
        _row(entry["name"], entry["stated_at"], entry["text"])


def _members(part: str, entries: list[dict[str, Any]]) -> None:
    _heading(part)
    for entry in entries:
        name = entry["name"].rpartition(".")[2]
        words = " ".join(filter(None, (entry["detail"], entry["doc"] and f"// {entry['doc']}")))
        _row(name, entry["location"], words)


def _instances(entries: list[dict[str, Any]]) -> None:
    if entries:
        _heading("instances")
    for entry in entries:
        units = ", ".join(unit["name"] for unit in entry["units"][:3])
        words = f"{units} {entry['detail']}".strip()
        _row(entry["name"].partition(".")[2] or entry["name"], entry["location"], words)


def _connections(entries: list[dict[str, Any]]) -> None:
    if entries:
        _heading("connections")
    for entry in entries:
        if "port" in entry:
            _row(entry["port"]["name"].rpartition(".")[2], entry["location"], entry["expr"])
        else:
            arrow, other = ("->", entry["to"]) if "to" in entry else ("<-", entry["from"])
            _row(f"{arrow} {other['name']}", entry["location"], entry["text"])


def _heading(text: str) -> None:
    put(Text(f"  {text}", style="magenta"))


def _place(line: Text, location: str) -> None:
    """Adds a place to a line, with a link to it on a terminal."""
    line.append("  ")
    line.append(location, style=linked(location))


def _row(name: str, location: str, words: str = "") -> None:
    line = Text(f"    {name:<28} ")
    line.append(location, style=linked(location))
    if words:
        line.append("  " + one_line(words, 120), style="dim")
    put(line)


def show_tree(found: dict[str, Any]) -> None:
    """Prints the hierarchy below each top."""
    for top in found["tops"]:
        line = Text(top["name"], style="bold")
        _place(line, top["location"])
        put(line)
        _branches(top["children"], "")
    if found["truncated"]:
        say("hdlgraph: note: cut at the limit of instances; name a lower TOP or fewer levels")


def _branches(children: list[dict[str, Any]], indent: str) -> None:
    for number, child in enumerate(children, 1):
        last = number == len(children)
        line = Text(indent + ("└─ " if last else "├─ "), style="dim")
        line.append(child["name"], style="bold")
        line.append(f": {child['unit']}" if child["unit"] else "", style="default")
        _place(line, child["location"])
        if child["condition"]:
            line.append(f"  if {one_line(child['condition'], 60)}", style="yellow")
        if child.get("note"):
            line.append(f"  [{child['note']}]", style="dim")
        put(line)
        _branches(child["children"], indent + ("   " if last else "│  "))


def show_users(found: dict[str, Any]) -> None:
    """Prints who uses a name, by kind of use."""
    kind = ""
    for user in found["users"]:
        if user["kind"] != kind:
            kind = user["kind"]
            put(Text(user["words"], style="magenta"))
        _row(user["user_name"], user["location"], user["text"])
    if not found["users"]:
        put(Text(f"nothing uses {found['name']}"))
    left = found["total"] - len(found["users"])
    if left > 0:
        say(f"hdlgraph: {left} more users")


def show_walks(found: dict[str, Any]) -> None:
    """Prints walks from one name to another, one step a line."""
    for number, walk in enumerate(found["walks"]):
        if number:
            put()
        line = Text(walk["start"]["name"], style="bold")
        line.append(f"  {walk['start']['kind']}", style="dim")
        _place(line, walk["start"]["location"] or "defined nowhere here")
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
    _place(line, step["location"])
    if step["text"]:
        line.append("  " + one_line(step["text"], 80), style="dim")
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
            _row(user["name"], via["location"], f"{via['words']} {via['name']}")
    reached = found.get("signals", ())  # of a signal
    if reached:
        put(Text(f"signals reached: {len(reached)}", style="magenta"))
    for one in reached:
        _row(one["signal"], one["location"], f"{one['how']}, {one['distance']} away")
    if not found["levels"] and not reached:
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
        _place(line, name["uses"][0]["location"])
        if name["count"] > 1:
            line.append(f"  and {name['count'] - 1} more", style="dim")
        put(line)
    say(f"hdlgraph: {found['total']} names defined nowhere, {found['uses']} uses")


def show_syntax(found: dict[str, Any]) -> None:
    """Prints syntax errors as compilers do, `path:line: what the reader says`."""
    for one in found["syntax_errors"]:
        line = Text(visible(one["location"]), style=linked(one["location"]))
        line.append(f": {visible(one['text'])} ({visible(one['reader'])})", style="default")
        put(line)
    left = found["total"] - len(found["syntax_errors"])
    say(
        f"hdlgraph: {found['total']} syntax errors in {found['files']} files"
        + (f", {left} of them not listed (--json lists up to 1000)" if left > 0 else "")
    )
