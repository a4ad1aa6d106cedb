"""Files that were not read whole and name something: an answer may lack what they do with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from hdlgraph.model import Location
from hdlgraph.query.design.names import unescaped
from hdlgraph.query.mentions.lines import Sources, holding, matching

FILES = 200
"""Files that are looked at, and lines of one that are listed."""
LINES = 20
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def unread(
    sources: Sources,
    name: str,
    broken: Mapping[str, tuple[int, str]],
    known: Collection[tuple[str, int]],
) -> list[dict[str, Any]]:
    """Returns the files with lines that name something and of which an answer tells nothing.

    Args:
        sources: texts and words of the index.
        name: what was asked for; the last part of it counts.
        broken: (line, why) of the files that were not read whole, by path.
        known: (path, line) of what the answer tells.

    Returns:
        `{path, line, location, why, lines, total}` of each: the place of its first syntax error,
        and the numbers of the lines that name it.
    """
    last = re.split(r"[.:#/]", unescaped(name).removeprefix("`"))[-1]
    if not broken or not _NAME.fullmatch(last):
        return []
    pattern = re.compile(rf"{re.escape(last)}(?![\w$])")
    found = []
    for path in [one for one in holding(sources.lexicon, last) if one in broken][:FILES]:
        text = sources.text(path)
        lines = [
            number
            for number, line in (matching(text, pattern) if last in text else ())
            if (path, number) not in known and _has(line, last)
        ]
        if lines:
            line, why = broken[path]
            place = {"path": path, "line": line, "location": str(Location(path, line or 1))}
            found.append({**place, "why": why, "lines": lines[:LINES], "total": len(lines)})
    return found


def _has(line: str, name: str) -> bool:
    return name in _NAME.findall(line.partition("//")[0])


def note(name: str, found: list[dict[str, Any]]) -> list[str]:
    """Returns the sentence that tells of such files, none where there are none."""
    if not found:
        return []
    files = "1 file that names" if len(found) == 1 else f"{len(found)} files that name"
    told = ", ".join(f"{one['location']} ({one['why'][:80]})" for one in found[:3])
    more = ", ..." if len(found) > 3 else ""
    return [
        f"{files} {name.strip()[:200]} could not be parsed whole and may hold more uses: "
        f"{told}{more}"
    ]
