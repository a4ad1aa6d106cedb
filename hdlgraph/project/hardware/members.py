"""The lines that name parameters, functions, macros and members of types, in `Project.who`."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.design import Design

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdlgraph.graph.graph import Graph
    from hdlgraph.query.design.impact import Spread
    from hdlgraph.query.mentions.lines import Sources
    from hdlgraph.store.folder import Generation

COUNTED = 4
"""Types with a member of a name whose uses `show` counts, each."""
WHO = 200
"""Users that `who` lists."""


class Members(Design):
    """The part of a project that answers about names of enumerations, and fields of structs."""

    _held_sources: tuple[Generation, Sources] | None = None

    def who(self, name: str, limit: int | None = WHO) -> dict[str, Any]:
        """Returns who uses a name; of a member its own lines, not those of its type.

        Of parameters, routines, types, macros and variables of classes the lines that name them
        follow what edges say.
        """
        from hdlgraph.query.mentions.expansions import FOLDED, folded
        from hdlgraph.query.mentions.members import member_record, uses_of_all

        try:
            found = self._all(super().who, "targets", name, limit)
        except UsageError as error:
            return self._blocks_answer(name, limit, "targets", error)
        graph, known = self.graph(), self._members(name, found["targets"])
        if known:
            users = uses_of_all(graph, self._sources(), known.values())
            for target in found["targets"]:
                if target["id"] in known:
                    target["member"] = member_record(graph, known[target["id"]])
            return {**found, "users": users[:limit], "total": len(users)}
        rows = [graph.row(one["id"]) for one in found["targets"]]
        found = self._with_mentions(name, found, rows, limit)
        if not any(one["kind"] in FOLDED for one in found["targets"]):
            return found
        return {**found, "targets": folded(found["targets"], graph, self.source_text)[:limit]}

    def _all(
        self, answer: Callable[..., dict[str, Any]], key: str, name: str, limit: int | None
    ) -> dict[str, Any]:
        """Returns an answer with all that has a name where macros may declare more than `limit`."""
        from hdlgraph.query.mentions.expansions import FOLDED

        found = answer(name, limit)
        if limit is None or len(found[key]) < limit:
            return found
        return answer(name, None) if any(one["kind"] in FOLDED for one in found[key]) else found

    def _with_mentions(
        self, name: str, found: dict[str, Any], rows: list[int], limit: int | None
    ) -> dict[str, Any]:
        from hdlgraph.query.mentions import declared, variables

        graph, kinds = self.graph(), self.graph().nodes.column("kind")
        named = [row for row in rows if kinds[row] in declared.KINDS]
        inner = [row for row in rows if variables.is_variable(graph, row)]
        if not named and not inner:
            return found
        every = found if found["total"] <= len(found["users"]) else super().who(name, None)
        known = {(one["path"], one["line"]) for one in every["users"]}
        lines = declared.uses_of(graph, self._sources(), named, known)
        known |= {(one["path"], one["line"]) for one in lines}
        lines += variables.uses_of(graph, self._sources(), inner, known)
        users = [*every["users"], *lines]
        return {**found, "users": users[:limit], "total": len(users)}

    def driven_outside(self, unit: str, signal: str) -> list[dict[str, Any]]:
        """Returns the lines that assign a signal of an interface from outside, as `who` does users.

        Through virtual interfaces and clocking blocks, ports, and instances of the interface.
        """
        from hdlgraph.query.mentions.driven import driven_outside

        return driven_outside(self.graph(), self._sources(), unit, signal)

    def show(self, name: str, limit: int | None = 50) -> dict[str, Any]:
        """Returns everything known of a name; of a member also the `member` of its type.

        That counts the lines that name it, where few types have it.
        """
        from hdlgraph.query.mentions.expansions import folded
        from hdlgraph.query.mentions.members import member_record, uses_of_all

        try:
            found = super().show(name, limit)
        except UsageError as error:
            return self._blocks_answer(name, limit, "definitions", error)
        known = self._members(name, found["definitions"])
        for one in found["definitions"] if known else ():
            if one["id"] in known:
                member, counted = known[one["id"]], len(known) <= COUNTED
                one["member"] = member_record(self.graph(), member)
                lines = uses_of_all(self.graph(), self._sources(), [member]) if counted else None
                one["member"]["n_uses"] = None if lines is None else len(lines)
        definitions = folded(found["definitions"], self.graph(), self.source_text)
        if any("expansions" in one for one in definitions):
            if found["total"] > len(found["definitions"]):
                every = super().show(name, None)["definitions"]
                definitions = folded(every, self.graph(), self.source_text)
            found["total"] = len(definitions)
        return {**found, "definitions": definitions[:limit]}

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what may be affected; of what a package declares those alone that name it."""
        from hdlgraph.query.design.impact import impact
        from hdlgraph.query.mentions.spread import begin

        def answer(graph: Graph, name: str) -> dict[str, Any]:
            return impact(graph, name, depth, limit, started)

        def started(graph: Graph, rows: list[int]) -> Spread:
            ids, kinds = graph.nodes.column("id"), graph.nodes.column("kind")
            known = self._members(name, [{"id": ids[row], "kind": kinds[row]} for row in rows])
            members = {graph.row(key): member for key, member in known.items()}
            return begin(graph, self._sources(), rows, members)

        return self._from_index(answer, name)

    def _blocks_answer(
        self, name: str, limit: int | None, key: str, error: UsageError
    ) -> dict[str, Any]:
        """Returns what `show` ("definitions") or `who` ("targets") tells of generate blocks.

        Raises:
            UsageError: `error`, where no block has the name.
        """
        from hdlgraph.query.mentions import blocks

        graph, sources = self.graph(), self._sources()
        found = blocks.blocks_of(graph, sources, name)
        if not found:
            raise error
        answer: dict[str, Any] = {"schema": 1, "name": name}
        if key == "targets":
            users = blocks.uses_of(graph, sources, found)
            answer[key] = [blocks.target(graph, one) for one in found[:limit]]
            answer |= {"users": users[:limit], "total": len(users)}
        else:
            answer[key] = [blocks.block_record(graph, sources, one) for one in found[:limit]]
            answer["total"] = len(found)
        return self._with_moved(answer, self._moved(self._generation().manifest))

    def _members(self, name: str, types: list[dict[str, Any]]) -> dict[str, Any]:
        """Returns the members that a name means, by the node id of the type."""
        from hdlgraph.query.mentions.members import member_of

        if not types or any(one["kind"] != "type" for one in types):
            return {}
        graph, sources = self.graph(), self._sources()
        rows = {one["id"]: graph.row(one["id"]) for one in types}
        found = {key: member_of(graph, sources, row, name) for key, row in rows.items()}
        return {key: one for key, one in found.items() if one is not None}

    def _sources(self) -> Sources:
        from hdlgraph.query.lexicon import Lexicon
        from hdlgraph.query.mentions.lines import Sources
        from hdlgraph.store.design.facts import read_facts_of

        held = self._generation()
        opened = self._held_sources
        if opened is None or opened[0].id != held.id:
            held.check("facts.msgpack")
            facts = lru_cache(maxsize=16)(partial(read_facts_of, held.folder))
            sources = Sources(Lexicon.load(held.folder), facts, self.source_text)
            self._held_sources = opened = (held, sources)
        return opened[1]
