"""What `who` and `impact` leave open: other meanings of a name, and files not read whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.hardware.constants import Constants

if TYPE_CHECKING:
    from hdlgraph.store.folder import Generation

WHO = 200
"""Users that `who` lists."""


class Meanings(Constants):
    """The part of a project that says what answers about a name do not tell."""

    _broken: tuple[Generation, Mapping[str, tuple[int, str]]] | None = None

    def who(self, name: str, limit: int | None = WHO) -> dict[str, Any]:
        """Returns every place that uses a name; with its other `meanings`, and `broken` files.

        Broken are files that could not be parsed whole and have lines with the name that are none
        of the users: they may hold more.
        """
        found = super().who(name, limit)
        users = found["users"]
        if self._unread_files() and found["total"] > len(users):
            users = super().who(name, None)["users"]
        known = {(one["path"], one["line"]) for one in (*users, *found["targets"])}
        return self._with_open(name, found, known)

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what a change of a name may affect; `meanings` and `broken` are as of `who`."""
        found = super().impact(name, depth, limit)
        told = [*found["changed"], *found.get("uses", ())]
        told += [user["via"] for level in found["levels"] for user in level["users"]]
        known = {(one.get("path", ""), one.get("line", 0)) for one in told}
        return self._with_open(name, found, known)

    def _with_open(
        self, name: str, found: dict[str, Any], known: set[tuple[str, int]]
    ) -> dict[str, Any]:
        """Returns an answer with what it leaves open; `known` are the lines that it tells."""
        from hdlgraph.query.design.members.find import find_or_member
        from hdlgraph.query.mentions import unread
        from hdlgraph.query.named import meanings

        graph = self.graph()
        try:
            rows = set(find_or_member(graph, name))
        except UsageError:
            rows = set()
        other = meanings.meanings(graph, name, rows)
        files = unread.unread(self._sources(), name, self._unread_files(), known)
        notes = [*meanings.mixed(graph, name, rows), *meanings.note(name, other)]
        notes += unread.note(name, files)
        return {
            **found,
            "meanings": other,
            "broken": files,
            "notes": [*notes, *found["notes"]],
        }

    def _unread_files(self) -> Mapping[str, tuple[int, str]]:
        """Returns (line, why) of the files that were not read whole, by path."""
        from hdlgraph.index.parse.syntax import broken_files

        held = self._generation()
        opened = self._broken
        if opened is None or opened[0].id != held.id:
            held.check("facts.msgpack")
            self._broken = opened = (held, broken_files(held.folder))
        return opened[1]
