"""Finds the lines of a file that are licence or banner: who wrote it, when, under which terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.parsers.text.licence import without_notices

_MARKERS = re.compile(r"^\s*(?://+|/\*+|\*+(?!/))?|\*+/\s*$|[*/#]{2,}\s*$")
_BANNER = re.compile(
    r"^\W*(?:original |main |last )?(?:authors?(?:\(s\))?|file(?: ?name)?|date|e-?mail"
    r"|created?(?: on| by)?|modified(?: by| on)?|maintainers?|company|engineers?|revision"
    r"|version|licen[cs]e|copyright|contact|organi[sz]ation|contributors?)\s*[:>|].{0,300}$|^\W*[@\\](?:authors?|date|file"
    r"|version|copyright|licen[cs]e)\b",
    re.I,
)
_ADDRESS = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w|\S{1,60} at \S{1,60} dot \S")


def notice_lines(lines: Sequence[str]) -> frozenset[int]:
    """Returns the numbers, from 1, of the comment lines that are licence or banner."""
    found: set[int] = set()
    block: list[tuple[int, str]] = []
    inside = False
    for number, line in enumerate([*lines, ""], 1):
        text = line.strip()
        if inside or text.startswith(("//", "/*")):
            block.append((number, _MARKERS.sub("", line).rstrip().removesuffix("*/")))
            opens, closes = text.rfind("/*"), text.rfind("*/")
            starts = opens >= 0 and not text.startswith("//")
            inside = (inside or starts) and not closes > (opens if starts else -1)
        elif block:
            found |= _of_block(block)
            block = []
    return frozenset(found | (_of_block(block) if block else set()))


def _of_block(block: Sequence[tuple[int, str]]) -> set[int]:
    """Returns the lines of one comment that are left out of it."""
    kept = iter(without_notices("\n".join(text for _, text in block)).split("\n"))
    found: set[int] = set()
    wanted = next(kept, None)
    for number, text in block:
        while wanted is not None and not wanted.strip():
            wanted = next(kept, None)
        if wanted is not None and text.strip() == wanted.strip():
            wanted = next(kept, None)
            if not _BANNER.match(text) and not (_ADDRESS.search(text) and len(text.split()) < 9):
                continue
        if text.strip():
            found.add(number)
    return found
