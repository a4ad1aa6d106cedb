"""What a change of a parameter or macro affects, with the lines that use it: `Project.impact`."""

from __future__ import annotations

from typing import Any

from hdlgraph.errors import IndexVersionError
from hdlgraph.project.hardware.clocks import Clocks

CONSTANTS = frozenset({"parameter", "macro"})
"""Kinds of names of which `impact` lists the lines that use them."""
USE = ("user_name", "words", "text", "path", "line", "location")
"""Keys of such a line."""
OWNERS = 8
"""Units with a parameter of the name that are followed into the units below."""


class Constants(Clocks):
    """The part of a project that tells what a change of a constant affects."""

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what a change affects; of a parameter or macro also the lines that use it.

        `uses` are those that `who` lists, and of a parameter of a unit the lines of units below
        that get its value, at most `limit`, the design before what checks it;
        `uses_total` counts all.
        """
        from hdlgraph.query.design.impact import CHECKS, role_of

        found = super().impact(name, depth, limit)
        kinds = {one["kind"] for one in found["changed"]}
        if not kinds or not kinds <= CONSTANTS:
            return found
        users = self.who(name, None)["users"]
        uses = [{key: one[key] for key in USE if key in one} for one in users]
        known = {one["location"] for one in uses}
        owners = {_owner(one["id"]) for one in found["changed"]} - {""}
        for owner in sorted(owners)[:OWNERS]:
            below = self._used_below(*owner.rsplit(".", 1))
            uses += [one for one in below if one["location"] not in known]
            known |= {one["location"] for one in below}
        graph = self.graph()
        uses.sort(key=lambda one: role_of(graph, one["path"]) in CHECKS)
        return {**found, "uses": uses[:limit], "uses_total": len(uses)}

    def _used_below(self, unit: str, name: str) -> list[dict[str, Any]]:
        """Returns the lines of a unit, and of those below, that use the value of a parameter."""
        from hdlgraph.query.elaborated.written import used_below, written
        from hdlgraph.store.design.facts import read_facts

        try:
            design = self._signals()
        except IndexVersionError:  # of an earlier version: the graph answers alone
            return []
        held = self._generation()
        held.check("facts.msgpack")
        return used_below(written(read_facts(held.folder), design, unit, name) or {})


def _owner(key: str) -> str:
    """Returns UNIT.NAME of the id of a parameter that a unit declares, "" of another node."""
    kind, _, rest = key.partition(":")
    owner = rest.rpartition("#")[2]
    return owner if kind == "parameter" and "." in owner else ""
