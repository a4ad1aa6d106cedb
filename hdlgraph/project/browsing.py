"""A design in pages: lines of a file, a level of the hierarchy, what is around a name."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.design import Design

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.query.design.level import Hierarchy

LINES = 2000
"""Most lines of a file in one answer."""


class Browsing(Design):
    """The part of a project that shows files and the graph in pages."""

    _counted: tuple[Graph, Hierarchy] | None = None

    def file_page(self, path: str, line: int = 1) -> dict[str, Any]:
        """Returns up to `LINES` lines of an indexed file, and all of its text.

        Args:
            path: as the index has it, relative to the root.
            line: the first line, from 1.

        Returns:
            `{path, role, line, end_line, total, lines, text, removed, syntax, notes}`; no lines
            where the file cannot or may not be read any more, see `source_text`. `removed` says
            that it was removed since. `syntax` are its syntax errors, each with `line`, `text`,
            and `reader`, who says so.
            A file that says which sources belong together has the role "project".

        Raises:
            UsageError: the index has no such file, or it ends before `line`.
        """
        manifest = self.manifest()
        entry = manifest.files.get(path)
        content = self._other_text(path) if entry is None else self.source_text(path)
        if content is None:
            raise UsageError(
                f"{path[:200]!r} is no file of the index; give a path as `search` does"
            )
        moved = self._moved(manifest)
        text = content.replace("\r\n", "\n")
        lines = text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        if line > max(1, len(lines)):
            raise UsageError(f"file {path}: has {len(lines)} lines, none of number {line}")
        last = min(line + LINES - 1, len(lines))
        return {
            "path": path,
            "role": entry.role if entry else self._other_role(path),
            "line": line,
            "end_line": max(last, line - 1),
            "total": len(lines),
            "lines": lines[line - 1 : last],
            "text": text,
            "removed": path in moved.removed,
            "syntax": self._syntax(path) if entry else [],
            "notes": list(self._note_on(moved)),
        }

    def has_page(self, path: str) -> bool:
        """Returns whether `file_page` shows a file: a source, project file or document."""
        manifest = self.manifest()
        known = path in manifest.files or self._is_project(path)
        return known or self.document_text(path) is not None

    def _other_text(self, path: str) -> str | None:
        """Returns the text of a file that is no source, None where the index has none."""
        text = self.document_text(path)
        if text is None and self._is_project(path):
            return self._project_bytes(path).decode("utf-8", "replace")
        return text

    def _other_role(self, path: str) -> str:
        return "project" if self._is_project(path) else "document"

    def _is_project(self, path: str) -> bool:
        """Returns whether a path is that of a project file, and not only called one by an index."""
        from hdlgraph.index.discover.files import is_project

        return is_project(path) and path in self.manifest().projects

    def _syntax(self, path: str) -> list[dict[str, Any]]:
        """Returns where a source does not keep to the grammar, by line."""
        from hdlgraph.index.parse.syntax import errors_of
        from hdlgraph.store.design.facts import read_facts_of

        held = self._generation()
        held.check("facts.msgpack")
        errors = errors_of(read_facts_of(held.folder, path))
        return [
            {"line": one.line, "text": one.text, "reader": one.layer}
            for one in sorted(errors, key=lambda one: (one.line, one.text))
        ]

    def level(
        self, unit: str = "", start: int = 0, limit: int = 100, cells: bool = False
    ) -> dict[str, Any]:
        """Returns one level of the hierarchy in pages, library cells folded; see `level.level`."""
        from hdlgraph.query.design.level import Hierarchy, level

        def listed(graph: Graph) -> dict[str, Any]:
            if self._counted is None or self._counted[0] is not graph:
                self._counted = (graph, Hierarchy(graph))
            return level(self._counted[1], unit, start, limit, cells)

        return self._from_index(listed)

    def neighbours(
        self, name: str, kinds: Collection[str] = (), roles: Collection[str] = (), limit: int = 60
    ) -> dict[str, Any]:
        """Returns what a name is joined to in the graph; see `neighbours.neighbours`."""
        from hdlgraph.query.design.neighbours import neighbours
        from hdlgraph.settings.options import check_roles

        check_roles(roles)
        files = self.manifest().files

        def role_of(path: str) -> str:
            entry = files.get(path)
            return entry.role if entry else ""

        return self._from_index(neighbours, name, role_of, kinds, roles, limit)
