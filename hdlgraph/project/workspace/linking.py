"""What the repositories of a workspace are to each other: `Workspace.overview_of_links`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.project.workspace.members import Members
from hdlgraph.project.workspace.searching import not_asked

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.project import Project

LISTED = 20
"""Names that are listed of one pair of repositories."""


class Linking:
    """The part of a workspace that answers what joins its repositories.

    Args:
        members: the repositories.
    """

    members: Members

    def links(self, limit: int = LISTED) -> dict[str, Any]:
        """Returns the repositories, and of each pair what one uses of the other, what both have.

        A name counts as used where its repository does not define it and another one does; the
        kinds have to fit, and nothing else is compared (`who` compares ports).

        Args:
            limit: the greatest number of names listed of each pair.

        Raises:
            HdlgraphError: no repository can be asked.
        """
        from hdlgraph.query.workspace.names import missing, named

        outcomes = self.members.each(_sized)
        graphs: dict[str, Graph] = {
            name: self.members.project(name).graph() for name in outcomes.given
        }
        defined = {name: named(graph) for name, graph in graphs.items()}
        lacking = {name: missing(graph) for name, graph in graphs.items()}
        uses, shared = [], []
        for user in graphs:
            for owner in graphs:
                if user == owner:
                    continue
                found = _used(lacking[user], graphs[owner], defined[owner])
                if found:
                    pair = {"from": user, "to": owner, "count": len(found)}
                    uses.append({**pair, "names": found[:limit]})
        names = list(graphs)
        for number, one in enumerate(names):
            for other in names[number + 1 :]:
                both = _both(graphs[one], defined[one], graphs[other], defined[other])
                if both:
                    pair = {"repositories": [one, other], "count": len(both)}
                    shared.append({**pair, "names": both[:limit]})
        members = [
            {
                "name": name,
                "label": entry.label,
                "index": entry.place,
                **outcomes.given.get(name, {"root": "", "files": 0, "units": 0}),
                "error": outcomes.problems.get(name, ""),
            }
            for name, entry in self.members.entries.items()
        ]
        notes = not_asked(outcomes.problems)
        return {
            "schema": 1, "repositories": members, "uses": uses, "shared": shared, "notes": notes,
        }  # fmt: skip


def _sized(project: Project) -> dict[str, Any]:
    """Returns how large a repository is; its graph is opened, so that what is wrong is told."""
    from hdlgraph.query.design.names import is_unit

    graph = project.graph()
    units = sum(
        bool(path) and is_unit(kind)
        for kind, path in zip(graph.nodes.column("kind"), graph.nodes.column("path"), strict=True)
    )
    return {"root": str(project.root), "files": len(project.manifest().files), "units": units}


def _used(
    lacking: Mapping[tuple[str, str], list[Any]], graph: Graph, defined: Mapping[str, list[int]]
) -> list[dict[str, Any]]:
    """Returns the names that one repository uses undefined and another defines, by their uses."""
    from hdlgraph.query.design.names import place
    from hdlgraph.query.workspace.names import fits_kind

    found = []
    for (kind, name), uses in lacking.items():
        last = name.rpartition("/")[2] if kind == "include" else name
        rows = [row for row in defined.get(last, ()) if fits_kind(graph, row, kind, name)]
        if rows:
            first = min(uses, key=lambda use: (use.path, use.line))
            found.append({
                "kind": kind, "name": name, "count": len(uses),
                "used_at": f"{first.path}:{first.line}",
                "defined_at": [place(graph, row)["location"] for row in rows[:3]],
            })  # fmt: skip
    return sorted(found, key=lambda one: (-one["count"], one["kind"], one["name"]))


def _both(
    graph: Graph, defined: Mapping[str, list[int]], other: Graph, also: Mapping[str, list[int]]
) -> list[dict[str, Any]]:
    """Returns the units that both of two repositories define, by name."""
    from hdlgraph.query.design.names import place

    found = []
    for name in sorted(defined.keys() & also.keys()):
        places = []
        for one, rows in ((graph, defined[name]), (other, also[name])):
            row = _first_unit(one, rows)
            if row >= 0:
                places.append(place(one, row))
        if len(places) == 2 and places[0]["kind"] == places[1]["kind"]:
            at = [one["location"] for one in places]
            found.append({"kind": places[0]["kind"], "name": name, "at": at})
    return found


def _first_unit(graph: Graph, rows: list[int]) -> int:
    """Returns the first row of a unit, -1 where there is none."""
    from hdlgraph.query.design.names import is_unit

    kinds = graph.nodes.column("kind")
    return next((row for row in rows if is_unit(kinds[row])), -1)
