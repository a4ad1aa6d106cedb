"""Reports of communities from facts, without a model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.index.graphrag.communities.cluster import members_of
from hdlgraph.index.graphrag.communities.connections import connections_of
from hdlgraph.index.graphrag.communities.design import Design, Unit
from hdlgraph.index.graphrag.communities.names import MAX_NAMES, Names, title_of
from hdlgraph.model.community import Community, Folder, TopUnit

COVERED = 0.6
"""Folders alone name a community of which they hold so much."""
ROLES = {"rtl": 0, "vendored": 0, "generated": 0, "package": 1, "include": 2}
"""Files of these roles come first among the top units; all others come last."""
TOP = 5


def reports_of(design: Design, rows: Sequence[Mapping[str, Any]]) -> list[Community]:
    """Returns a report for each community.

    Args:
        design: files, units and what joins them.
        rows: communities as `cluster.communities_of` returns them.
    """
    names = Names(design.roles)
    users = _users(design)
    drafts = {row["community"]: _draft(design, names, users, row) for row in rows}
    titles = {number: draft["title"] for number, draft in drafts.items()}
    found: list[Community] = []
    for level, of_file in sorted(members_of(rows).items()):
        joined = connections_of(design, of_file, titles)
        for row in rows:
            if row["level"] != level:
                continue
            connections, more = joined.get(row["community"], ([], 0))
            draft = drafts[row["community"]]
            found.append(Community(**draft, connections=tuple(connections), more_connections=more))
    return found


def _draft(
    design: Design, names: Names, users: Mapping[str, set[str]], row: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns a report without its connections."""
    members = [path for path in row["entity_ids"] if path in design.roles]
    folders = names.folders(members)
    ranked = _ranked(design, users, members)
    tops = _top_units(design, folders, ranked)
    rest = [path for path in ranked if not any(_is_below(path, one) for one in folders)]
    units = [unit.name for path in rest if (unit := _lead(design, path))]
    covered = sum(one.files for one in folders) >= COVERED * len(members)
    return {
        "community": int(row["community"]),
        "level": int(row["level"]),
        "parent": int(row["parent"]),
        "title": title_of(folders, units, covered) or f"community {row['community']}",
        "purpose": next((unit.purpose for unit in tops if unit.purpose), ""),
        "files": len(members),
        "units": sum(len(design.units.get(path, ())) for path in members),
        "roles": dict(sorted(Counter(design.roles[path] for path in members).items())),
        "folders": tuple(folders),
        "top_units": tuple(tops),
        "members": tuple(members),
    }


def _users(design: Design) -> dict[str, set[str]]:
    """Returns for each file the files that it uses."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in design.relations:
        found[one.source_path].add(one.target_path)
    return found


def _ranked(design: Design, uses: Mapping[str, set[str]], members: Sequence[str]) -> list[str]:
    """Returns the members, those first that use the most others, directly or through others."""
    inside = set(members)
    reach = {path: _reach(path, uses, inside) for path in members}
    return sorted(
        (path for path in members if design.units.get(path)),
        key=lambda path: (ROLES.get(design.roles[path], 3), -reach[path], path),
    )


def _reach(path: str, uses: Mapping[str, set[str]], inside: set[str]) -> int:
    """Returns how many files of a community a file uses, directly and through others."""
    seen, front = {path}, [path]
    while front:
        found = {used for one in front for used in uses.get(one, ())} & inside - seen
        seen |= found
        front = list(found)
    return len(seen) - 1


def _top_units(design: Design, folders: Sequence[Folder], ranked: Sequence[str]) -> list[TopUnit]:
    """Returns the first unit of each folder of the title, those above the first before it."""
    chosen: list[str] = []
    for folder in folders[:MAX_NAMES]:
        below = [path for path in ranked if _is_below(path, folder)]
        named = folder.name.partition("/")[0]
        below.sort(key=lambda path: named not in {unit.name for unit in design.units[path]})
        chosen += below[:1]
    above = _above(design, chosen[0]) if chosen else set()
    chosen.sort(key=lambda path: path not in above)
    chosen = list(dict.fromkeys([*chosen, *ranked]))[:TOP]
    found = []
    for path in chosen:
        unit = _lead(design, path)
        if unit is not None:
            purpose = design.purposes.get(path, "")
            found.append(TopUnit(unit.kind, unit.name, unit.path, unit.line, purpose))
    return found


def _above(design: Design, path: str) -> set[str]:
    """Returns the files whose units instantiate those of a file, directly or through others."""
    parents: dict[str, set[str]] = defaultdict(set)
    for one in design.relations:
        if one.kind == "instantiates":
            parents[one.target_path].add(one.source_path)
    found: set[str] = set()
    front = {path}
    while front:
        front = {parent for one in front for parent in parents.get(one, ())} - found
        found |= front
    return found - {path}


def _lead(design: Design, path: str) -> Unit | None:
    """Returns the unit that has the name of its file, else the first one."""
    units = design.units.get(path, ())
    stem = path.rpartition("/")[2].partition(".")[0]
    return next((unit for unit in units if unit.name == stem), next(iter(units), None))


def _is_below(path: str, folder: Folder) -> bool:
    return path.startswith(f"{folder.path}/")
