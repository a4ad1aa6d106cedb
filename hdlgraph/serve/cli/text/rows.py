"""Lines of lists for people: headings, and entries with their place; cut on a terminal alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import console, put
from hdlgraph.serve.cli.text.hits import one_line
from hdlgraph.serve.cli.text.links import linked

MOST = 50
"""Entries of a list on a terminal; elsewhere all are printed."""
WHOLE = 1_000_000
"""Characters of a text that is not cut."""


def is_cut() -> bool:
    """Returns whether lists and texts are cut: on a terminal they are, in a pipe they are whole."""
    return console().is_terminal


def shortened(text: str, limit: int) -> str:
    """Returns a text on one line, on a terminal cut at so many characters."""
    return one_line(text, limit if is_cut() else WHOLE)


def limited(entries: Sequence[Any]) -> Iterator[Any]:
    """Yields the entries of a list that are printed, then says how many are left out."""
    most = MOST if is_cut() else len(entries)
    yield from entries[:most]
    if len(entries) > most:
        put(Text(f"    and {len(entries) - most} more (a pipe or --json has all)", style="dim"))


def heading(text: str) -> None:
    """Prints the heading of a list."""
    put(Text(f"  {text}", style="magenta"))


def add_place(line: Text, location: str) -> None:
    """Adds a place to a line, with a link to it on a terminal."""
    line.append("  ")
    line.append(location, style=linked(location))


def taken_for(edge: Mapping[str, Any]) -> str:
    """Returns which name, that nothing defines, stands where an edge leads to another, else ""."""
    return f"({edge['written']} taken for it)" if edge.get("written") else ""


def row(name: str, location: str, words: str = "") -> None:
    """Prints an entry of a list: a name, its place, and words on it, cut on a terminal."""
    line = Text(f"    {name:<28} ")
    line.append(location, style=linked(location))
    if words:
        line.append("  " + shortened(words, 120), style="dim")
    put(line)
