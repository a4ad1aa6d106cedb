"""Shortens the objects of `--json` to what a model needs, within a given limit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hdlgraph.safety.printable import visible_lines

LIMIT = 20
"""Entries of a list, where the caller names no other number."""
MOST = 500
"""The greatest number that a caller may name."""
CHARACTERS = 12_000
"""The most characters of an object of LIMIT entries, some 3,500 tokens; more for a higher limit."""
WIDE = 400
"""Longer texts are cut."""
LEFT_OUT = frozenset(
    {
        "id",
        "unit_id",
        "path",
        "line",
        "witnesses",
        "trust",
        "confidence",
        "external",
        "user",
        "target",
        "of_id",
    }
)
"""Keys that say again, or in detail, what `location` and `user_name` beside them say."""
USUAL: dict[str, Any] = {
    "resolved": "unique",
    **{"more": 0, "beyond": 0, "line": 0, "end_line": 0, "width": 0},
    **{"forward": True, "sure": True},
    **{"control": False, "reset": False, "default": False, "truncated": False, "whole": False},
}
"""Values that go without saying."""
WHOLE = frozenset({"answer", "lines", "files", "passages"})
"""Keys whose values have limits of their own."""


def brief(
    found: dict[str, Any],
    limit: int = LIMIT,
    wide: bool = False,
    totals: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Returns an object of `--json` without empty values and repeated places, its lists cut.

    Where `limit` entries of each list are too much, all lists are cut further, or if `wide` those
    that stand within others first. `totals` are the entries that there are of the lists of a name,
    where that is more than the object has.

    At its end stands `truncated`, which lists are cut and how to get more ("" where none is),
    then `stale`, whether the repository moved since the index was made, and if so `moved`, which
    files did.
    """
    known = {key: value for key, value in found.items() if key not in ("stale", "truncated")}
    budget = CHARACTERS * max(1, min(limit, 5 * LIMIT) // LIMIT)
    shown, outer, inner = known, limit, limit
    cuts: dict[str, tuple[int, int]] = {}
    while True:
        cuts = {}
        shown = _shortened(known, (outer, inner), cuts)
        if outer <= 1 or len(json.dumps(shown)) <= budget:
            break
        keeps = wide and inner > 1
        outer, inner = outer if keeps else max(1, outer // 2), max(1, inner // 2)
    for name, total in (totals or {}).items():
        if (count := entries_of(shown, name)) < total:
            cuts[name] = (count, total)
    moved = found.get("stale") or {}
    is_stale = any(moved.get(kind) for kind in ("added", "changed", "removed", "unchecked"))
    end: dict[str, Any] = {"stale": is_stale}
    if is_stale:
        end["moved"] = _shortened(moved, (LIMIT, LIMIT), {})
    return {**shown, "truncated": found.get("truncated") or _cut_note(cuts), **end}


def entries_of(found: Any, name: str) -> int:
    """Returns how many entries all lists of a name have, at any depth."""
    if isinstance(found, dict):
        own = found.get(name)
        here = len(own) if isinstance(own, list) else 0
        return here + sum(entries_of(one, name) for one in found.values())
    return sum(entries_of(one, name) for one in found) if isinstance(found, list) else 0


def _shortened(
    value: Any, entries: tuple[int, int], cuts: dict[str, tuple[int, int]], name: str = ""
) -> Any:
    """Returns a value cut: a list to the first number of entries, those within it to the second."""
    if isinstance(value, dict):
        left_out = LEFT_OUT if "location" in value else frozenset()
        inner = {
            key: _harmless(one) if key in WHOLE else _shortened(one, entries, cuts, key)
            for key, one in value.items()
            if key not in left_out and not _is_usual(key, one)
        }
        return {key: one for key, one in inner.items() if one not in ("", [], {}, None)}
    if isinstance(value, list | tuple):
        most, within = entries
        if len(value) > most:
            shown, of = cuts.get(name, (0, 0))
            cuts[name] = (shown + most, of + len(value))
        return [_shortened(one, (within, within), cuts, name) for one in value[:most]]
    if isinstance(value, str):
        return visible_lines(f"{value[:WIDE]}…" if len(value) > WIDE else value)
    return value


def _is_usual(key: str, value: Any) -> bool:
    """Returns whether a value goes without saying: a usual one, no name at all, an id of a node."""
    if isinstance(value, list | tuple):
        return all(one == "" for one in value)
    if key == "instance":
        return str(value).startswith("instance:")  # `instance_name` beside it is its name
    usual = USUAL.get(key)
    return type(value) is type(usual) and value == usual


def _harmless(value: Any) -> Any:
    """Returns a value whole, with what cannot be seen in its texts written out."""
    if isinstance(value, dict):
        return {key: _harmless(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_harmless(one) for one in value]
    return visible_lines(value) if isinstance(value, str) else value


def _cut_note(cuts: dict[str, tuple[int, int]]) -> str:
    """Returns which lists are cut and how to get more, "" where none is."""
    if not cuts:
        return ""
    listed = ", ".join(f"{shown} of {of} {name}" for name, (shown, of) in sorted(cuts.items()))
    return f"{listed}; raise `limit` (at most {MOST}), or ask for a part of it by a name shown here"
