"""Verification: `Project.testbench`, and what `who`, `show` and `path` say of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexVersionError, UsageError
from hdlgraph.model import Location
from hdlgraph.project.hardware.registers import Registers
from hdlgraph.project.hardware.signals import WHO, Signals

if TYPE_CHECKING:
    from hdlgraph.query.verification.find import Verification as Known
    from hdlgraph.store.folder import Generation

CHECKED = frozenset(("module", "interface", "program", "checker", "class"))
"""Kinds of units that have assertions or covergroups."""


class Verification(Signals, Registers):
    """The part of a project for testbenches, their tests, components and connections."""

    _verification: tuple[Generation, Known] | None = None

    def testbench(self, name: str = "", limit: int = 0) -> dict[str, Any]:
        """Returns what exercises a unit, or what a test or class of a testbench is.

        Args:
            name: of a module or interface (its testbenches, tests, assertions bound to it), of a
                class (its bases, components, connections, users), of a test in a list of tests, of
                a key of the configuration database, or of a DPI function; "" lists testbenches.
            limit: most entries of each list; 0 for few.

        Raises:
            UsageError: nothing has the name; the message holds the nearest names.
        """
        found = self._known().find(name, limit)
        if found["kind"] == "function":
            found = self._with_callers(found, limit)
        return self._with_stale(found)

    def _with_callers(self, found: dict[str, Any], limit: int) -> dict[str, Any]:
        """Returns functions of DPI, each with the lines that call it in SystemVerilog."""
        from hdlgraph.query.verification.benches import DEFAULT_LIMIT
        from hdlgraph.query.verification.written import callers

        graph, sources = self.graph(), self._sources()
        calls = {one["name"]: callers(graph, sources, one["name"]) for one in found["found"]}
        definitions = [
            {
                **one,
                "callers": calls[one["name"]][: limit or DEFAULT_LIMIT],
                "n_callers": len(calls[one["name"]]),
            }
            for one in found["found"]
        ]
        return {**found, "found": definitions}

    def testbench_diagram(self, name: str) -> str:
        """Returns the components below a class as a Mermaid flowchart, with their connections.

        Of a unit these are the environments of its nearest testbench.

        Raises:
            UsageError: nothing has the name, or it has no components.
        """
        from hdlgraph.query.verification.diagram import mermaid

        return mermaid(self._known(), name)

    def testbenches(self, unit: str, limit: int = 20) -> list[dict[str, Any]]:
        """Returns the testbenches that exercise the units of a name, the nearest first."""
        from hdlgraph.query.verification.benches import benches_of

        return benches_of(self._known().benches, unit, limit)

    def who(self, name: str, limit: int | None = WHO) -> dict[str, Any]:
        """Returns every place that uses a name; of a class also who creates or starts it."""
        from hdlgraph.query.verification.uses import users

        try:
            found = super().who(name, limit)
        except UsageError as error:
            return self._checks_answer(name, limit, "targets", error)
        added = users(self.verification(), found["targets"])
        added += self._lines_writing([*found["users"], *added], found["targets"])
        room = None if limit is None else max(0, limit - len(found["users"]))
        total = found["total"] + len(added)
        return {**found, "users": [*found["users"], *added[:room]], "total": total}

    def _lines_writing(
        self, known_lines: list[dict[str, Any]], targets: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Returns the other lines that write the name of a class or virtual interface."""
        from hdlgraph.query.verification.written import CLASS, INTERFACE, writing

        known = self.verification()
        of = [one for one in targets if one["kind"] in (CLASS, INTERFACE)]
        if known is None or not of:
            return []
        lines = {(one["path"], one["line"]) for one in known_lines}
        graph, sources = self.graph(), self._sources()
        return [user for one in of for user in writing(graph, sources, known.library, one, lines)]

    def show(self, name: str, limit: int | None = 50) -> dict[str, Any]:
        """Returns everything known of a name; of a class also its part in a testbench."""
        from hdlgraph.query.verification.uses import described

        try:
            found = super().show(name, limit)
        except UsageError as error:
            if registers := self.registers_called(name):
                error = UsageError(f"{error}; {registers}")
            return self._checks_answer(name, limit, "definitions", error)
        if all(one["name"].rpartition(".")[2] != name.strip() for one in found["definitions"]):
            registers = self.registers_called(name)
            found["notes"] = [*found["notes"], *([registers] if registers else [])]
        for one in found["definitions"]:
            if checks := self._checks_in(one):
                one["checks"] = checks[:limit]
        return described(self.verification(), found, limit)

    def _checks_in(self, one: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns the named assertions and covergroups of a definition, by line."""
        if one["kind"] not in CHECKED:
            return []
        known = self.verification() if one["kind"] == "class" else None
        if known is not None:
            path, name = one["path"], one["name"].rpartition(".")[2]
            of = (each for each in known.library.named(name) if each.path == path)
            return [
                {
                    "name": act.left,
                    "kind": "covergroup",
                    "text": "",
                    "location": str(Location(path, act.line)),
                }
                for each in of
                for act in known.library.acts(each)
                if act.kind == "group"
            ]
        try:
            found = self.checks(one["id"])
        except (UsageError, IndexVersionError):
            return []
        return [
            {
                "name": check.name,
                "kind": check.kind,
                "text": check.text,
                "location": str(Location(check.path, check.line)),
            }
            for check in found
            if check.name and check.kind != "clocking"
        ]

    def _checks_answer(
        self, name: str, limit: int | None, key: str, error: UsageError
    ) -> dict[str, Any]:
        """Returns what `show` or `who` answers on covergroups and assertions of a name.

        Raises:
            UsageError: `error`, where nothing of the kind has the name.
        """
        from hdlgraph.query.verification.checks import check_record, checks_of, target, users_of

        graph, sources = self.graph(), self._sources()
        checks = checks_of(graph, sources, name)
        if not checks:
            raise error
        found: dict[str, Any] = {"schema": 1, "name": name}
        if key == "targets":
            users = users_of(graph, sources, checks)
            found[key] = [target(graph, one) for one in checks[:limit]]
            found |= {"users": users[:limit], "total": len(users)}
        else:
            found[key] = [check_record(graph, one) for one in checks[:limit]]
            found["total"] = len(checks)
        return self._with_moved(found, self._moved(self._generation().manifest))

    def path(self, source: str, target: str, limit: int = 3) -> dict[str, Any]:
        """Returns the shortest walks between two names, of classes also over what they create."""
        from hdlgraph.query.verification.walk import walks

        found = super().path(source, target, limit)
        return walks(self.verification(), found, limit)

    def holding(self, name: str) -> list[str]:
        """Returns the files whose text holds a name, by path."""
        from hdlgraph.query.mentions.lines import holding

        return holding(self._sources().lexicon, name)

    def verification(self) -> Known | None:
        """Returns what is known, None where an index of an earlier version knows nothing."""
        try:
            return self._known()
        except IndexVersionError:
            return None

    def _known(self) -> Known:
        from hdlgraph.query.verification.find import Verification as Known
        from hdlgraph.store.design.verification import FOLDER, read_code

        held, graph = self._held_graph()
        opened = self._verification
        if opened is None or opened[0].id != held.id:
            held.check(FOLDER)
            self._verification = opened = (held, Known(graph, read_code(held.folder)))
        return opened[1]
