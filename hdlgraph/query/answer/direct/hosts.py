"""Answers where the address regions are that a question names, or which hosts reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

REGIONS = 3  # names of regions that a question may mean, and regions that are told with their hosts
BASES = 8  # regions whose address alone is told
HOSTS = 10  # of one
LEAST = 3  # letters of a part that may stand within a word: `ram` in "SRAM"
_HOST = r"(?:bus )?(?:masters?|hosts?|initiators?|managers?)"
_REACH = r"(?:access(?:es)?|reach(?:es)?|talks? to|gets? to|of|for)"
_ASKED = re.compile(
    rf"\b(?:which|what|how many|list)\b(?: \w+){{0,5}} {_HOST}\b.{{0,40}}\b{_REACH}\b"
    r"|\b(?:who|what|which(?: \w+){1,2}) (?:can|may|could|is able to) (?:access|reach)\b",
    re.I,
)
_ADDRESS = re.compile(r"\bat (?:which|what) address\b|\bbase address(?:es)? of\b", re.I)
_WORDS = re.compile(r"[A-Za-z]+|\d+")


def add_hosts(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the regions that a question names; False where it asks for none of them.

    Their hosts are added where it asks for hosts.
    """
    hosts = bool(_ASKED.search(question))
    if not hosts and not _ADDRESS.search(question):
        return False
    asked = {word.lower() for word in _WORDS.findall(question)}
    moved = {*result.stale.changed, *result.stale.removed}
    return add_regions(page, asked, queries, moved, hosts)


def add_regions(
    page: FactPage, asked: set[str], queries: Queries, moved: set[str], hosts: bool
) -> bool:
    """Adds the regions that words name and that hosts are known of; False where none is.

    Of each name one stands before a second of any: several designs may have the same map.
    """
    try:
        meant = regions_meant(asked, queries.regions())
        found = [queries.reach(name)["answers"] for name in meant]
    except HdlgraphError:
        return False
    regions = {
        (one["path"], one["line"]): one
        for row in zip_longest(*found)
        for one in row
        if one and one["path"] not in moved and one["hosts"] and one["base"] is not None
    }
    for one in list(regions.values())[: REGIONS if hosts else BASES]:
        if hosts:
            add_region(page, one, moved)
        else:
            page.add(f"{_based(one)}:")
            page.code(one["path"], page.source(one["path"]), [one["line"]])
    return bool(regions)


def regions_meant(asked: set[str], regions: Sequence[str]) -> list[str]:
    """Returns the regions all parts of whose names are words of the question, most parts first.

    They have at most REGIONS names; `Ram` and `ram` are one.
    """
    found: dict[str, int] = {}
    for name in dict.fromkeys(regions):
        parts = [part.lower() for part in split_identifier(name)]
        if parts and all(_is_named(part, asked) for part in parts):
            found[name] = len(parts)
    most = max(found.values(), default=0)
    names = sorted((name for name, count in found.items() if count == most), key=str.lower)
    kept = list(dict.fromkeys(name.lower() for name in names))[:REGIONS]
    return [name for name in names if name.lower() in kept]


def _is_named(part: str, asked: set[str]) -> bool:
    near = (word for word in asked if word.endswith(part)) if len(part) >= LEAST else ()
    return part in asked or any(near)


def add_region(page: FactPage, one: Mapping[str, Any], moved: set[str]) -> None:
    """Adds a region, and the hosts that reach it."""
    name, hosts = one["instance"], one["hosts"]
    page.state(f"{_based(one)}; {len(hosts)} hosts reach it:", one["path"], one["line"])
    for host in hosts[:HOSTS]:
        if host["path"] not in moved:
            of = f" ({host['unit']})" if host["unit"] else ""
            page.state(f"- {host['name']}{of}", host["path"], host["line"])
    if len(hosts) > HOSTS:
        page.add(f"- and {len(hosts) - HOSTS} more: `hdlgraph reach {name}` lists all")
    page.add()


def _based(one: Mapping[str, Any]) -> str:
    """Returns where a region begins, and how large it is."""
    size = f", {one['size']} bytes" if (one["size"] or 0) > 0 else ""
    return f"{one['instance']} is at 0x{one['base']:x}{size}"
