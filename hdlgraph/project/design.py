"""Exact answers from the design graph: `Project.show`, `tree`, `who`, `path`, `impact`, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hdlgraph.project.repository import Repository


class Design(Repository):
    """The part of a project that answers from the graph."""

    def show(self, name: str) -> dict[str, Any]:
        """Returns everything known of a name: definitions, ports, parameters, instances, users."""
        from hdlgraph.query.design import show as design

        return design.show(self.graph(), name)

    def tree(self, top: str = "", depth: int = 3) -> dict[str, Any]:
        """Returns the instance tree below a unit, or below every top."""
        from hdlgraph.query.design import show as design

        return design.tree(self.graph(), top, depth)

    def who(self, name: str) -> dict[str, Any]:
        """Returns every place that uses a name."""
        from hdlgraph.query.design import show as design

        return design.who(self.graph(), name)

    def path(self, source: str, target: str, limit: int = 3) -> dict[str, Any]:
        """Returns the shortest walks over the design graph from one name to another."""
        from hdlgraph.query.design.path import path

        return path(self.graph(), source, target, limit)

    def impact(self, name: str, depth: int = 3, limit: int = 200) -> dict[str, Any]:
        """Returns what may be affected when a name changes, by distance in steps."""
        from hdlgraph.query.design.impact import impact

        return impact(self.graph(), name, depth, limit)

    def unresolved(self, kind: str = "") -> dict[str, Any]:
        """Returns the names that are used but defined nowhere in the repository."""
        from hdlgraph.query.design import show as design

        return design.unresolved(self.graph(), kind)

    def export_graph(self, format: str, target: Path) -> dict[str, int]:
        """Writes the graph as graphml, gexf, json or cypher; returns counts."""
        from hdlgraph.graph.export import export

        graph = self.graph()
        export(graph, format, target)
        return {"nodes": len(graph.nodes), "edges": len(graph.edges)}
