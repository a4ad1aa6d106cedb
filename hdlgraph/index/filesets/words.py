"""Reads the little of a FuseSoC core or a Bender.yml that says which files belong together.

Of the YAML only lines count, by their indentation: hundreds of such files are read at each index,
and a YAML reader takes seconds for them and may be led astray by aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LINES, ITEMS = 20_000, 20_000
"""Most lines that are read of a file, and most items of it."""
LINE_CHARS = 4_000

_KEY = re.compile(r"(?:- +)?[\"']?([\w.:@/+-]{1,200}?)[\"']? *:(?: +(.*))?$")
_WORD = re.compile(r"[^\s\"'?(){}\[\],]+")
_CONDITION = re.compile(r"[^?]{0,400}\?\s*\((.*)\)\s*$")
_SIGNS = "><=~^!"


class Line(NamedTuple):
    """A line: the column where its text begins, whether it is an item, its key, its value."""

    column: int
    is_item: bool
    key: str
    value: str


class Listed(NamedTuple):
    """A set as a file lists it: paths relative to its folder, and names of what it needs."""

    files: tuple[str, ...]
    depends: tuple[str, ...]


class Project(NamedTuple):
    """What a project file says: its name, and its sets."""

    name: str
    sets: tuple[Listed, ...]


def read_core(text: str) -> Project:
    """Returns the filesets of a FuseSoC core."""
    sets: list[tuple[list[str], list[str]]] = []
    name, section = "", ""
    level = 0
    files: list[str] = []
    depends: list[str] = []
    into: list[str] | None = None
    for line in _lines(text):
        if line.column == 0 and line.key and not line.is_item:
            section, into, level = line.key, None, 0
            name = _plain(line.value) if section == "name" else name
        elif section != "filesets":
            continue
        elif line.key and not line.is_item and (not level or line.column <= level):
            level, into = line.column, None
            sets.append((files := [], depends := []))
        elif line.key in ("files", "depend") and not line.is_item:
            into = files if line.key == "files" else depends
            into += _items(line.value)
        elif line.is_item and into is not None:
            into += _item(line)
        elif line.key and not line.is_item:
            into = None
    listed = (Listed(tuple(f), tuple(map(unversioned, d))) for f, d in sets)
    return Project(unversioned(name), tuple(listed))


def read_bender(text: str) -> Project:
    """Returns the groups of sources of a Bender package, each needing all its dependencies."""
    name, section, level = "", "", 0
    groups: list[list[str]] = [[]]
    depends: list[str] = []
    for line in _lines(text):
        if line.column == 0 and line.key and not line.is_item:
            section, level = line.key, 0
        elif section == "package" and line.key == "name":
            name = _plain(line.value)
        elif section == "dependencies" and line.key and not line.is_item:
            level = level or line.column
            depends += [line.key] if line.column == level else []
        elif section == "sources" and line.is_item:
            level = level or line.column
            if line.key and line.column == level:
                groups.append(_items(line.value))
            else:
                bare = groups[0] if line.column == level else groups[-1]
                bare += _item(line)
        elif section == "sources" and line.key == "files":
            groups[-1] += _items(line.value)
    return Project(name, tuple(Listed(tuple(one), tuple(depends)) for one in groups if one))


def unversioned(name: str) -> str:
    """Returns the name of a core without its version: `acme:ip:uart` of `>=acme:ip:uart:0.1`."""
    parts = name.strip(_SIGNS + " ").split(":")
    return ":".join(parts[:3]) if len(parts) > 2 else parts[0]


def _lines(text: str) -> Iterator[Line]:
    for raw in text.split("\n", LINES)[:LINES]:
        line = raw[:LINE_CHARS].rstrip()
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#":
            continue
        bare = bare.partition(" #")[0].rstrip()
        found = _KEY.match(bare)
        is_item = bare.startswith("- ")
        key, value = (found[1], found[2] or "") if found else ("", bare)
        yield Line(len(line) - len(line.lstrip(" ")), is_item, key, value if found else bare)


def _item(line: Line) -> list[str]:
    """Returns the word of an item `- a/b.sv`, `- a/b.sv : {...}` or `- tool ? (a:b:c)`."""
    if line.key:
        # Of `a:b:c:1.0` the last part looks like a value, but no blank stands before it.
        return [line.key]
    text = line.value[2:].strip()
    inner = _CONDITION.match(text)
    word = _WORD.search(inner[1] if inner else text)
    return [word[0].rstrip(":")] if word else []


def _items(text: str) -> list[str]:
    """Returns the words of a list on one line, `[a, b]`."""
    return _WORD.findall(text)[:ITEMS] if text.startswith("[") else []


def _plain(text: str) -> str:
    word = _WORD.search(text)
    return word[0] if word else ""
