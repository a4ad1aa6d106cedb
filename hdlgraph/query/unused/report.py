"""What is unused as one answer: counts by kind and folder first, then a part of the list."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.query.unused.records import KINDS, Finding

SCHEMA = 1
FOLDERS = 20
"""Folders that the summary names."""
NEAR = 5
"""Near names that a message has."""
ALIKE = 5
"""Findings of one kind and name from which a list that would be cut names only the first."""


def report(
    findings: Sequence[Finding],
    name: str = "",
    kinds: Collection[str] = (),
    limit: int | None = 50,
    deliberate: bool = False,
) -> dict[str, Any]:
    """Returns the summary of findings and the first of them.

    Args:
        findings: those to tell of.
        name: the unit, file or folder that they are of, "" for all.
        kinds: tell of these kinds alone; () for all.
        limit: the greatest number that is listed; None for all. Where there are more, of ALIKE
            or more findings of one kind and name (a parameter that every cell of a library
            declares) the first is listed alone; its `alike` counts the others.
        deliberate: list those that are meant so, in place of the others.

    Raises:
        UsageError: there is no such kind.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"--kind {kind!r}: there is none; take one of {', '.join(KINDS)}")
    chosen = [one for one in findings if not kinds or one.kind in kinds]
    plain = [one for one in chosen if not one.deliberate]
    meant = [one for one in chosen if one.deliberate]
    listed = meant if deliberate else plain
    folders = Counter(one.path.rpartition("/")[0] or "." for one in listed)
    ordered = sorted(folders.items(), key=lambda one: (-one[1], one[0]))
    rows = _rows(listed, fold=limit is not None and len(listed) > limit)[:limit]
    return {
        "schema": SCHEMA,
        "name": name,
        "counts": _counts(plain),
        "deliberate": _counts(meant),
        "reasons": dict(Counter(_reason(one) for one in meant).most_common()),
        "folders": [{"folder": one, "count": count} for one, count in ordered[:FOLDERS]],
        "more_folders": max(0, len(ordered) - FOLDERS),
        "findings": rows,
        "more": len(listed) - sum(1 + row["alike"] for row in rows),
        "total": len(listed),
    }


def _rows(listed: Sequence[Finding], fold: bool) -> list[dict[str, Any]]:
    """Returns the documented objects of findings; `fold` leaves out those of a frequent name."""
    counts = Counter((one.kind, one.name) for one in listed) if fold else Counter()
    rows, seen = [], set()
    for one in listed:
        key = (one.kind, one.name)
        count = counts[key] if counts[key] >= ALIKE else 1
        if count == 1 or key not in seen:
            rows.append({**one.to_dict(), "alike": count - 1})
        seen.add(key)
    return rows


def _counts(found: Sequence[Finding]) -> dict[str, int]:
    counts = Counter(one.kind for one in found)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _reason(one: Finding) -> str:
    """Returns by what a finding is meant, without the names in that."""
    for start in ("its folder is a library", "it may be a top", "it may stand for", "that at"):
        if one.deliberate.startswith(start):
            return {"that at": "another definition is used"}.get(start, start)
    return one.deliberate


def within(
    findings: Sequence[Finding], name: str, paths: Collection[str], units: Collection[str]
) -> list[Finding]:
    """Returns the findings of a unit, a file or a folder.

    Args:
        findings: all.
        name: of a unit, or the path of a file or folder.
        paths: of all files of the index.
        units: the names of all units.

    Raises:
        UsageError: there is none of them; the message holds the nearest names.
    """
    plain = name.strip().removeprefix("./").rstrip("/")
    if plain in units:
        return [one for one in findings if one.unit == plain]
    if any(path == plain or path.startswith(f"{plain}/") for path in paths):
        return [one for one in findings if one.path == plain or one.path.startswith(f"{plain}/")]
    folders = {path.rpartition("/")[0] for path in paths}
    known = sorted({*units, *paths, *folders})
    near = difflib.get_close_matches(plain[:200], known, NEAR, 0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise UsageError(f"no unit, file or folder of the index is called {plain[:200]!r}{hint}")
