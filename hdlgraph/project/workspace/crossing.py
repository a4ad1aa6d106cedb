"""Resolves names across the repositories of a workspace: what one uses and another defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError

if TYPE_CHECKING:
    from hdlgraph.model import FileRecord
    from hdlgraph.project.workspace.members import Members

FILES = 40
"""Files of one answer whose facts are read, to compare the ports that their instances connect."""
COMPARED = 400
"""Definitions of one answer that are compared with their namesakes."""
INSTANTIATES = "INSTANTIATES"


class Crossing:
    """What one answer says of several repositories, joined.

    Args:
        members: the repositories.
        given: the answers by repository; only these are looked into.
    """

    def __init__(self, members: Members, given: Mapping[str, Any]) -> None:
        self._members = members
        self._facts: dict[tuple[str, str], FileRecord | None] = {}
        self._found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        self._open = [name for name in members.entries if name in given]

    def sorted(
        self, given: Mapping[str, dict[str, Any]], key: str
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Returns what is defined, and what is only used, of all answers.

        Args:
            given: the answer of each repository.
            key: of the list of definitions in it.
        """
        from hdlgraph.query.workspace.names import with_repository

        defined: list[dict[str, Any]] = []
        outside: list[dict[str, Any]] = []
        for name, found in given.items():
            for one in with_repository(found[key], name):
                one["repository"] = name
                (defined if one["path"] else outside).append(one)
        return defined, outside

    def users(
        self,
        given: Mapping[str, dict[str, Any]],
        outside: Sequence[dict[str, Any]],
        only: str,
    ) -> list[dict[str, Any]]:
        """Returns the users of all answers; those of what is not defined there with where it is."""
        from hdlgraph.query.workspace.names import with_repository

        stubs = {(one["repository"], one["id"]): one for one in outside}
        found = []
        for name, answer in given.items():
            for user in with_repository(answer["users"], name):
                stub = stubs.get((name, user["target"]))
                if stub is None and only and name != only:
                    continue  # of the other repository's own
                if stub is not None:
                    places = [one for one in self._elsewhere(stub) if not only
                              or one["repository"] == only]  # fmt: skip
                    if only and not places:
                        continue
                    user["defined_in"] = [self._fitted(user, stub["name"], one) for one in places]
                found.append(user)
        return found

    def resolve(self, answers: Sequence[dict[str, Any]]) -> None:
        """Adds to what an answer's repository does not define where others do."""
        from hdlgraph.query.workspace.names import outside

        for answer in answers:
            for one in list(outside(answer)):
                places = self._elsewhere({**one, "repository": answer["repository"]})
                if places:
                    one["defined_in"] = places

    def add_parents(
        self, defined: Sequence[dict[str, Any]], outside: Sequence[dict[str, Any]]
    ) -> None:
        """Adds to definitions the units of other repositories that use them undefined there."""
        for stub in outside:
            for one in defined:
                if one["repository"] == stub["repository"] or "parents" not in one:
                    continue
                users = [
                    {**user, "repository": stub["repository"]} for user in stub.get("parents", ())
                ]
                fitted = [(user, self._fitted(user, stub["name"], one)) for user in users]
                one["parents"] += [{**user, "fits": place["fits"]} for user, place in fitted]
                one["n_parents"] = one.get("n_parents", 0) + stub.get("n_parents", 0)

    def compare(self, defined: Sequence[dict[str, Any]]) -> None:
        """Lists for each definition which others there are in other repositories, and how like."""
        of: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for one in defined[:COMPARED]:
            of.setdefault((one["kind"], _plain(one)), []).append(one)
        for group in of.values():
            for one in group:
                others = [each for each in group if each["repository"] != one["repository"]]
                if others:
                    one["copies"] = [
                        {**_place(each), "same": self._likeness(one, each)} for each in others
                    ]

    def notes(self, name: str, defined: Sequence[dict[str, Any]]) -> list[str]:
        """Returns the note that several repositories define a name."""
        from hdlgraph.query.design.names import is_unit
        from hdlgraph.query.workspace.names import listed

        units = [one for one in defined if is_unit(one["kind"])]
        if len(units) < 2:
            return []
        first = units[0]["repository"]
        return [
            f"{len(units)} units are called {name[:200]!r}, and this tells of all: "
            f"{listed(units)}; name those of one repository as {first}:{name[:200]}"
        ]

    def _elsewhere(self, stub: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the definitions in other repositories of what one only uses."""
        from hdlgraph.query.workspace.names import definitions, node_record

        key = (stub["repository"], stub["kind"], stub["name"])
        if key not in self._found:
            self._found[key] = [
                node_record(graph, row, name)
                for name in self._members.entries
                if name != stub["repository"] and (graph := self._graph(name)) is not None
                for row in definitions(graph, stub["name"], stub["kind"])
            ]
        return [dict(one) for one in self._found[key]]

    def _graph(self, name: str) -> Any:
        try:
            return self._members.project(name).graph()
        except (HdlgraphError, OSError):
            return None  # it is named as one that could not be asked

    def _fitted(
        self, user: Mapping[str, Any], name: str, definition: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Returns a definition with whether it has the ports that a user connects."""
        from hdlgraph.query.workspace.names import connected, port_names

        place = _place(definition)
        record = None
        if user["kind"] == INSTANTIATES:
            record = self._record(user["repository"], user["path"])
        ports = connected(record, name, user["line"]) if record else None
        if ports is None:
            return {**place, "fits": None, "missing_ports": []}
        graph = self._graph(definition["repository"])
        lacking = ports - port_names(graph, graph.row(definition["id"]))
        return {**place, "fits": not lacking, "missing_ports": sorted(lacking)}

    def _record(self, name: str, path: str) -> FileRecord | None:
        """Returns the facts of a file; None beyond FILES, and where they cannot be read."""
        from hdlgraph.store.design.facts import read_facts_of

        key = (name, path)
        if key not in self._facts and len(self._facts) < FILES:
            try:
                held = self._members.project(name)._generation()
                held.check("facts.msgpack")
                self._facts[key] = read_facts_of(held.folder, path)
            except (HdlgraphError, OSError):
                self._facts[key] = None
        return self._facts.get(key)

    def _likeness(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
        """Returns how two definitions of a name compare."""
        from hdlgraph.query.workspace.names import ALIKE, IDENTICAL, OTHER, UNREAD

        try:
            hashes = {self._hash(each) for each in (one, other)}
            if len(hashes) == 1 and "" not in hashes:
                return IDENTICAL
            codes = [self._code(each) for each in (one, other)]
        except (HdlgraphError, OSError):
            return UNREAD
        if not all(codes):
            return UNREAD
        return ALIKE if codes[0] == codes[1] else OTHER

    def _hash(self, one: Mapping[str, Any]) -> str:
        entry = self._members.project(one["repository"]).manifest().files.get(one["path"])
        return entry.sha256 if entry else ""

    def _code(self, one: Mapping[str, Any]) -> tuple[str, ...]:
        from hdlgraph.query.workspace.names import code_of

        text = self._members.project(one["repository"]).source_text(one["path"])
        graph = self._graph(one["repository"])
        row = graph.row(one["id"]) if graph else -1
        end = int(graph.nodes.column("end_line")[row]) if row >= 0 else one["line"]
        return code_of(text, one["line"], end) if text else ()


def _plain(one: Mapping[str, Any]) -> str:
    """Returns what a definition's namesakes are called too: of a file its last part."""
    name: str = one["name"]
    return name.rpartition("/")[2] if one["kind"] == "file" else name


def _place(one: Mapping[str, Any]) -> dict[str, Any]:
    """Returns where a definition is."""
    return {key: one[key] for key in ("repository", "id", "path", "line", "location")}
