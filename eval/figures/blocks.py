"""The blocks of a page that a command writes: `<!-- figures:NAME -->` ... `<!-- end -->`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hdlgraph.errors import UsageError

_BLOCK = re.compile(r"^<!-- (figures:[a-z-]+|session) -->\n(.*?)^<!-- end -->$", re.M | re.S)


def blocks(page: str) -> dict[str, str]:
    """Returns the text between the marks of each block, by name (`figures:NAME` or `session`).

    Raises:
        UsageError: a name stands twice, or a mark has no partner.
    """
    found: dict[str, str] = {}
    for name, text in _BLOCK.findall(page):
        if name in found:
            raise UsageError(f"block {name}: stands twice; keep one of them")
        found[name] = text
    begun = re.findall(r"^<!-- (?:figures:[a-z-]+|session) -->$", page, re.M)
    if len(begun) != len(found) or len(re.findall(r"^<!-- end -->$", page, re.M)) != len(found):
        raise UsageError("a block has no end: write `<!-- end -->` on a line of its own after it")
    return found


def filled(page: str, texts: Mapping[str, str]) -> str:
    """Returns the page with the texts in the blocks of these names; other blocks stay.

    Raises:
        UsageError: the page has no block of a name.
    """
    missing = sorted(texts.keys() - blocks(page).keys())
    if missing:
        raise UsageError(f"block {missing[0]}: is not in the page; add `<!-- {missing[0]} -->`")

    def written(match: re.Match[str]) -> str:
        name, old = match[1], match[2]
        text = texts.get(name, old)
        return f"<!-- {name} -->\n{text}<!-- end -->"

    return _BLOCK.sub(written, page)
