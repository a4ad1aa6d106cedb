"""What joins repositories, for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.rows import heading, row

COPIES = {
    "identical": "vendored copy: the same file",
    "same code": "vendored copy: the same code",
    "differs": "another version",
    "not compared": "not compared",
}
"""How a definition compares with its namesake in another repository, for people."""


def show_crossing(found: dict[str, Any]) -> None:
    """Prints which names cross to another repository, and what others define under a name.

    Args:
        found: an answer of `show` or `who`, its places with their repositories.
    """
    printed: set[tuple[str, str]] = set()
    for user in found.get("users", ()):
        for one in user.get("defined_in", ()):
            doubt = _doubt(one)
            if (one["location"], doubt) not in printed:
                printed.add((one["location"], doubt))
                _heading_once(printed, "defined in another repository")
                row(found["name"], one["location"], doubt)
    for one in (*found.get("targets", ()), *found.get("definitions", ())):
        for part in ("instances", "imports", "extends", "includes"):
            for entry in one.get(part) or ():
                _outside(entry, printed)
        for copy in one.get("copies") or ():
            pair = min(one["location"], copy["location"]), max(one["location"], copy["location"])
            if pair not in printed:
                printed.add(pair)
                _heading_once(printed, "the same name in another repository")
                row(one["location"], copy["location"], COPIES[copy["same"]])


def _outside(entry: dict[str, Any], printed: set[tuple[str, str]]) -> None:
    for unit in (entry, *entry.get("units", ())):
        for place in unit.get("defined_in", ()):
            if (unit["name"], place["location"]) not in printed:
                printed.add((unit["name"], place["location"]))
                _heading_once(printed, "defined in another repository")
                row(unit["name"], place["location"])


def _heading_once(printed: set[tuple[str, str]], words: str) -> None:
    if (words, "") not in printed:
        printed.add((words, ""))
        heading(words)


def _doubt(one: dict[str, Any]) -> str:
    """Returns what speaks against a definition being the one that is used, "" for nothing."""
    if one.get("fits") is False:
        return f"another unit of that name? It has no port {', '.join(one['missing_ports'][:4])}"
    return "" if one.get("fits") else "by its name"


def show_workspace(found: dict[str, Any]) -> None:
    """Prints the repositories of a workspace and what joins them."""
    for one in found["repositories"]:
        line = Text(f"{one['name']:<16} ", style="bold")
        if one["error"]:
            line.append(one["error"], style="yellow")
        else:
            line.append(f"{one['files']} files, {one['units']} units  {one['root']}")
            line.append(f"  {one['label']}" if one["label"] else "", style="dim")
        put(line)
    for pair in found["uses"]:
        heading(f"{pair['from']} uses of {pair['to']}: {_names(pair['count'])}")
        for one in pair["names"]:
            place = f"{pair['to']}:{one['defined_at'][0]}"
            row(one["name"], place, f"{one['kind']}, used at {pair['from']}:{one['used_at']}")
        _more(pair)
    for pair in found["shared"]:
        one, other = pair["repositories"]
        heading(f"units in both {one} and {other}: {_names(pair['count'])}")
        for each in pair["names"]:
            row(each["name"], f"{one}:{each['at'][0]}", f"{other}:{each['at'][1]}")
        _more(pair)


def _names(count: int) -> str:
    return f"{count} name{'s' * (count != 1)}"


def _more(pair: dict[str, Any]) -> None:
    left = pair["count"] - len(pair["names"])
    if left > 0:
        say(f"hdlgraph: {left} more (--limit lists more)")
