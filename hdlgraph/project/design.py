"""Exact answers from the design graph: `Project.show`, `tree`, `who`, `path`, `impact`, exports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hdlgraph.errors import UsageError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.results import Moved

UNKNOWN = "nothing is called"
"""How an error begins that no name of the index fits."""
READ = 100
"""Files newer than the index that are searched for a name."""
AFFECTED = 1000
"""Units, files and instances that `affected` lists, each, unless the caller says more."""


class Design(Repository):
    """The part of a project that answers from the graph.

    Each answer has `stale`, which files moved since the index was made, and `notes` for people;
    what stands in a removed file is marked `removed`.
    """

    def show(self, name: str, limit: int | None = 50) -> dict[str, Any]:
        """Returns everything known of a name: definitions, ports, parameters, instances, users.

        Args:
            name: the name.
            limit: the greatest number of definitions, users and connections; None for all.
        """
        from hdlgraph.query.design import show as design

        return self._from_index(design.show, name, limit)

    def tree(self, top: str = "", depth: int = 3) -> dict[str, Any]:
        """Returns the instance tree below a unit, or below every top."""
        from hdlgraph.query.design import show as design

        return self._from_index(design.tree, top, depth)

    def who(self, name: str, limit: int | None = 200) -> dict[str, Any]:
        """Returns who declares a name and every place that uses it.

        Args:
            name: the name.
            limit: the greatest number of users; None for all.
        """
        from hdlgraph.query.design.names import is_unit, several
        from hdlgraph.query.design.who import who

        found = self._from_index(who, name, limit)
        units = (one for one in found["targets"] if is_unit(one["kind"]))
        places = [(one["id"], one["path"], one["line"]) for one in units if one["path"]]
        return {**found, "notes": [*several(name, places), *found["notes"]]}

    def path(self, source: str, target: str, limit: int = 3) -> dict[str, Any]:
        """Returns the shortest walks over the design graph from one name to another."""
        from hdlgraph.query.design.path import path

        return self._from_index(path, source, target, limit)

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what may be affected when a name changes, by distance in steps."""
        from hdlgraph.query.design.impact import impact

        return self._from_index(impact, name, depth, limit)

    def affected(
        self,
        since: str | None = None,
        files: Sequence[str] | None = None,
        limit: int = AFFECTED,
    ) -> dict[str, Any]:
        """Returns the units, instances, tops and testbenches that changed files reach.

        Args:
            since: a commit, branch or tag of git: what changed after this branch left it counts.
            files: the changed files instead, relative to the root or absolute.
            limit: the greatest number of units, files and instances that are listed, each.

        Raises:
            UsageError: not just one of the two is given; or git knows no such revision.
        """
        from hdlgraph.query.design.affected import affected, declared_by
        from hdlgraph.query.design.since import changed_of, changed_since

        if (since is None) == (files is None):
            raise UsageError("affected takes either a revision (--since) or files (--files)")
        held, graph = self._held_graph()
        manifest = held.manifest
        moved = self._moved(manifest)
        if since is None:
            changed = changed_of(self.root, manifest, files or ())
        else:
            headers = [use.name for use in graph.unresolved if use.kind == "include"]
            known = declared_by(graph)
            changed = changed_since(self.root, manifest, since, moved.added, headers, known)
        found = affected(graph, changed.files, changed.lost, limit)
        schema = found.pop("schema")
        answer = {"schema": schema, "since": since or "", "base": changed.base, **found}
        return self._with_moved(answer, moved, changed.notes)

    def unresolved(self, kind: str = "") -> dict[str, Any]:
        """Returns the names that are used but defined nowhere in the repository."""
        from hdlgraph.query.design import show as design

        return self._from_index(design.unresolved, kind)

    def syntax_errors(self, limit: int = 1000) -> dict[str, Any]:
        """Returns where files do not keep to the grammar, by path and line."""
        from hdlgraph.index.parse.syntax import syntax_errors
        from hdlgraph.store.design.facts import read_facts

        held = self._generation()
        held.check("facts.msgpack")
        found = syntax_errors(read_facts(held.folder), limit)
        moved = self._moved(held.manifest)
        return {**found, "notes": list(self._note_on(moved)), "stale": moved.to_dict()}

    def export_graph(self, format: str, target: Path | BinaryIO) -> dict[str, int]:
        """Writes the graph as graphml, gexf, json or cypher; returns counts.

        Args:
            format: one of these.
            target: a file, which appears when it is complete, or an open stream.
        """
        from hdlgraph.graph.export import export, export_to

        graph = self.graph()
        if isinstance(target, Path):
            export(graph, format, target)
        else:
            export_to(graph, format, target)
        return {"nodes": len(graph.nodes), "edges": len(graph.edges)}

    def _from_index(self, answer: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        """Returns an answer from the graph with what moved since the index was made.

        Raises:
            UsageError: nothing has that name; where the repository has newer files, it says so.
        """
        held, graph = self._held_graph()
        moved = self._moved(held.manifest)
        try:
            found = answer(graph, *arguments)
        except UsageError as error:
            newer = (*moved.added, *moved.changed)
            if not newer or not str(error).startswith(UNKNOWN):
                raise
            raise UsageError(self._newer(newer, arguments) or str(error)) from error
        return self._with_moved(found, moved)

    def _with_moved(
        self, found: dict[str, Any], moved: Moved, notes: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Returns an answer with its notes, and with what moved since the index was made."""
        removed = frozenset(moved.removed)
        lost = _marked(found, removed) if removed else set()
        notes = (*notes, *self._note_on(moved))
        if lost:
            notes = (*notes, f"told here of removed files: {', '.join(sorted(lost))}")
        return {**found, "notes": list(notes), "stale": moved.to_dict()}

    def _newer(self, files: Sequence[str], arguments: Sequence[Any]) -> str:
        """Returns what to do about a name in files newer than the index, "" where none has it."""
        asked = [one.strip() for one in arguments if isinstance(one, str) and one.strip()]
        words = [re.compile(rf"(?<![\w$]){re.escape(one)}(?![\w$])") for one in asked]
        texts = ((path, self.source_text(path)) for path in files[:READ])
        holding = [path for path, text in texts if any(word.search(text) for word in words)]
        holding += files[READ:]
        if not holding:
            return ""
        some = ", ".join(holding[:3]) + (", ..." if len(holding) > 3 else "")
        return (
            f"{', '.join(asked)}: not in the index, but the repository has newer files that may "
            f"define it ({some}); {self._remedy()}"
        )


def _marked(value: Any, removed: frozenset[str]) -> set[str]:
    """Marks the objects of an answer that stand in removed files; returns these files."""
    found = set()
    for one in _objects(value):
        if one.get("path") in removed:
            one["removed"] = True
            found.add(one["path"])
    return found


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
