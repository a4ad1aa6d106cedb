"""Answers which hosts reach the address region that a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

REGIONS = 3  # that are told
HOSTS = 10  # of one
LEAST = 3  # letters of a part that may stand within a word: `ram` in "SRAM"
_HOST = r"(?:bus )?(?:masters?|hosts?|initiators?|managers?)"
_REACH = r"(?:access(?:es)?|reach(?:es)?|talks? to|gets? to|of|for)"
_ASKED = re.compile(
    rf"\b(?:which|what|how many|list)\b(?: \w+){{0,5}} {_HOST}\b.{{0,40}}\b{_REACH}\b"
    r"|\b(?:who|what|which(?: \w+){1,2}) (?:can|may|could|is able to) (?:access|reach)\b"
    r"|\bat (?:which|what) address\b|\bbase address of\b",
    re.I,
)
_WORDS = re.compile(r"[A-Za-z]+|\d+")


def add_hosts(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the regions that a question names with their hosts; False where it asks none of them."""
    if not _ASKED.search(question):
        return False
    asked = {word.lower() for word in _WORDS.findall(question)}
    try:
        meant = regions_meant(asked, queries.regions())
        regions = [one for name in meant for one in queries.reach(name)["answers"]]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    regions = [one for one in regions if one["path"] not in moved and one["hosts"]]
    for one in regions[:REGIONS]:
        add_region(page, one, moved)
    return bool(regions)


def regions_meant(asked: set[str], regions: Sequence[str]) -> list[str]:
    """Returns the regions all parts of whose names are words of the question, most parts first."""
    found = {}
    for name in dict.fromkeys(regions):
        parts = [part.lower() for part in split_identifier(name)]
        if parts and all(_is_named(part, asked) for part in parts):
            found[name] = len(parts)
    most = max(found.values(), default=0)
    return sorted(name for name, count in found.items() if count == most)[:REGIONS]


def _is_named(part: str, asked: set[str]) -> bool:
    near = (word for word in asked if word.endswith(part)) if len(part) >= LEAST else ()
    return part in asked or any(near)


def add_region(page: FactPage, one: Mapping[str, Any], moved: set[str]) -> None:
    """Adds a region, and the hosts that reach it."""
    name, hosts = one["instance"], one["hosts"]
    size = f", {one['size']} bytes" if one["size"] > 0 else ""
    page.state(f"{name} is at 0x{one['base']:x}{size}; {len(hosts)} hosts reach it:",
               one["path"], one["line"])  # fmt: skip
    for host in hosts[:HOSTS]:
        if host["path"] not in moved:
            of = f" ({host['unit']})" if host["unit"] else ""
            page.state(f"- {host['name']}{of}", host["path"], host["line"])
    if len(hosts) > HOSTS:
        page.add(f"- and {len(hosts) - HOSTS} more: `hdlgraph reach {name}` lists all")
    page.add()
