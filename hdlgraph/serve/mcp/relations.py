"""The tool `relations`: one call of the project for each kind, and what an empty answer means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.serve.mcp.brief import LIMIT, MOST, brief

if TYPE_CHECKING:
    from hdlgraph.project import Project

Arguments = Mapping[str, Any]
ALONE = frozenset({"tree", "registers", "unused", "testbench"})
"""Kinds that need no name."""
COUNTED = {"who": "users", "impact": "users", "crossings": "crossings", "unused": "findings"}
"""The list of which `total` counts all entries, by kind: more than the answer has of it."""


def relations(project: Project, given: Arguments) -> dict[str, Any]:
    """Returns the relations of a kind, cut to `limit`, with what was cut.

    Raises:
        UsageError: an argument that the kind needs is missing, or the project says so.
    """
    from hdlgraph.errors import UsageError

    kind, name, limit = given["kind"], given.get("name", ""), given.get("limit", LIMIT)
    if not name and kind not in ALONE:
        raise UsageError(f"{kind}: needs `name`")
    if kind == "path":
        if "to" not in given:
            raise UsageError("path: needs `to`, the name where it ends")
        return brief(project.path(name, given["to"], min(limit, 10)), limit)
    if kind == "tree":
        return _tree(project, given, limit)
    if kind == "registers":
        return brief(listed(project.registers(name)), limit, wide=True)
    found = _BY_NAME[kind](project, given)
    notes = [note for note in (_nothing(kind, found), _alike(kind, found)) if note]
    list_name = COUNTED.get(kind, "")
    totals = {list_name: found["total"] - _folded(found, list_name)} if list_name else {}
    if kind == "impact" and "uses" in found:
        totals["uses"] = found["uses_total"]
    return brief({**found, "notes": [*found.get("notes", ()), *notes]}, limit, totals=totals)


_BY_NAME: dict[str, Callable[[Project, Arguments], dict[str, Any]]] = {
    "impact": lambda project, given: project.impact(given["name"], given.get("depth", 3), MOST),
    "trace": lambda project, given: project.trace(
        given["name"], depth=given.get("depth", 2), limit=given.get("limit", LIMIT)
    ),
    "who": lambda project, given: project.who(given["name"]),
    "fsm": lambda project, given: project.fsm(given["name"]),
    "clocks": lambda project, given: project.clock_tree(given["name"], False, _limit(given)),
    "resets": lambda project, given: project.clock_tree(given["name"], True, _limit(given)),
    "crossings": lambda project, given: project.crossings(given["name"], limit=_limit(given)),
    "unused": lambda project, given: project.unused(given.get("name", ""), limit=_limit(given)),
    "reach": lambda project, given: project.reach(given["name"]),
    "testbench": lambda project, given: project.testbench(given.get("name", "")),
}
"""The call of each kind but those that are cut in their own way."""


def _limit(given: Arguments) -> int:
    limit: int = given.get("limit", LIMIT)
    return limit


def _tree(project: Project, given: Arguments, limit: int) -> dict[str, Any]:
    name, config = given.get("name", ""), given.get("config", "")
    depth = given.get("depth", 2 if name else 1)
    if config:
        return brief(project.elaborated_tree(name, depth, config), limit, wide=True)
    found = project.tree(name, depth)
    if not name and "depth" not in given:  # the tops alone: they can be many
        found["tops"] = [{**top, "children": len(top["children"])} for top in found["tops"]]
    return brief(found, limit, wide=True)


ONE_BLOCK = 8
"""Registers of which, if there are no more, the fields and lines are told unasked."""


def listed(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the registers of blocks without their fields where there are many of them.

    Of a register or field that the caller names all is told.
    """
    blocks = found.get("blocks", ())
    if sum(len(block.get("registers", ())) for block in blocks) <= ONE_BLOCK:
        return found
    plain = [
        {
            **block,
            "registers": [
                {**{key: one for key, one in register.items() if key not in ("fields", "rtl")},
                 "n_fields": len(register.get("fields", ()))}
                for register in block.get("registers", ())
            ],
        }
        for block in blocks
    ]  # fmt: skip
    note = "`name` BLOCK.REGISTER tells the fields of one and the lines of RTL behind it"
    return {**found, "blocks": plain, "notes": [*found.get("notes", ()), note]}


def _folded(found: dict[str, Any], name: str) -> int:
    """Returns how many entries of a list are told with another one."""
    return sum(one.get("alike", 0) for one in found.get(name, ()))


def _nothing(kind: str, found: dict[str, Any]) -> str:
    """Returns what it means that there is nothing, "" where there is something."""
    if kind == "fsm" and not found["machines"]:
        return "no state machine was found in it; those of units in it are asked for by their names"
    if kind == "unused" and not found["total"]:
        meant = " but what is so on purpose" if found.get("deliberate") else ""
        return f"nothing unused was found in it{meant}"
    if kind == "reach" and not found["total"]:
        if not found["regions"]:
            return "the repository has no address map that is known"
        return f"nothing is known to answer there: in none of the {found['regions']} known regions"
    if kind == "who" and not found["total"]:
        return "the index knows no use of it: it may be a top, or used by files not indexed"
    if kind == "impact" and not found["total"] and not found.get("signals"):
        return "nothing of the index depends on it: it may be a top, or unused"
    if kind in ("clocks", "resets") and not found["total"]:
        return f"no register below it has a known {kind[:-1]}"
    if kind == "crossings" and not found["total"]:
        return "no data crosses from one clock to another below it"
    return ""


def _alike(kind: str, found: dict[str, Any]) -> str:
    """Returns why pairs of clocks have more crossings than are listed, "" where they have not."""
    if kind != "crossings":
        return ""
    every = sum(pair["total"] for pair in found["pairs"])
    notes = []
    if found["total"] < every:
        alike = "those that several instances have alike are told once"
        notes.append(f"{every} crossings are counted by pair, {found['total']} listed: {alike}")
    if any(pair.get("handshake") for pair in found["pairs"]):
        notes.append("handshake: a synchronised signal decides when the data is taken")
    return "; ".join(notes)
