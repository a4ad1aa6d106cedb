"""Pictures of the design: `Project.picture` and `Project.export_picture`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hdlgraph.errors import UsageError
from hdlgraph.project.design import Design
from hdlgraph.project.overview import Overviews

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.graph.pictures.html import Section
    from hdlgraph.graph.pictures.picture import Picture
    from hdlgraph.index.progress import Progress
    from hdlgraph.model import FileRecord
    from hdlgraph.store.folder import Generation

LIMIT = 40
"""Boxes of a picture unless the caller says more."""
DEPTH = 3
"""Levels of the hierarchy on a page unless the caller says more."""
SECTIONS = 40
"""Units that a page draws."""


class Pictures(Design, Overviews):
    """The part of a project that draws units and the parts of the design."""

    def picture(
        self, unit: str = "", *, limit: int = LIMIT, progress: Progress | None = None
    ) -> Picture:
        """Returns the block diagram of a unit, or the parts of the design where `unit` is "".

        Args:
            unit: a name as `show` takes it.
            limit: the greatest number of boxes.
            progress: told of the overview's build, which takes some seconds.

        Raises:
            UsageError: no unit has that name.
        """
        from hdlgraph.query.overview.picture import draw_overview

        if not unit:
            return draw_overview(self.overview(progress=progress), limit)
        return self._drawer().drawn(unit, limit)

    def picture_element(self, picture: Picture, link: Callable[[str], str]) -> str:
        """Returns a picture as the `svg` element of a page that has a style of its own.

        Args:
            picture: what is drawn.
            link: returns the address that the box of a unit leads to, by the unit's id.

        Raises:
            HdlgraphError: the picture cannot be laid out.
        """
        from hdlgraph.graph.pictures.svg import svg_element

        return "".join(svg_element(picture, link=link))

    def export_picture(
        self,
        format: str,
        target: Path | BinaryIO,
        unit: str = "",
        *,
        limit: int = LIMIT,
        depth: int = DEPTH,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Writes a picture as svg, dot, mermaid or html; returns counts, and notes for people.

        Args:
            format: one of these; html is one page with the units below the unit too.
            target: a file, which appears when it is complete, or an open stream.
            unit: a name as `show` takes it; "" draws the parts of the design.
            limit: the greatest number of boxes of one picture.
            depth: levels below the unit whose units a page draws.
            progress: told of the overview's build.

        Raises:
            UsageError: no unit has that name, or there is no such format.
            HdlgraphError: the picture cannot be laid out, or the file cannot be written.
        """
        from hdlgraph.graph.export import write_pieces
        from hdlgraph.graph.pictures.write import HTML, pieces

        drawer = self._drawer() if unit else None
        if drawer is None:
            first = self.picture(limit=limit, progress=progress)
            notes = list(self._note_on(self.moved()))
        else:
            first = drawer.drawn(unit, limit)
            notes = [*drawer.others(unit), *self._note_on(self._moved(drawer.held.manifest))]
        if format == HTML:
            sections, text = self._page(first, drawer, unit, limit, depth, notes)
            drawn = [one.picture for one in sections]
        else:
            drawn, text = [first], pieces(first, format)
            notes += first.notes
        write_pieces(text, target)
        return {
            "pictures": len(drawn),
            "boxes": sum(len(one.boxes) for one in drawn),
            "wires": sum(len(one.wires) for one in drawn),
            "notes": list(dict.fromkeys(notes)),
        }

    def _drawer(self) -> _Drawer:
        """Returns what draws the units of the present generation."""
        return _Drawer(*self._held_graph())

    def _page(
        self,
        first: Picture,
        drawer: _Drawer | None,
        unit: str,
        limit: int,
        depth: int,
        notes: list[str],
    ) -> tuple[list[Section], Iterator[str]]:
        """Returns the pictures of a page and its text; adds to the notes what it leaves out."""
        from hdlgraph.graph.pictures.html import Section, write_html
        from hdlgraph.query.design.tree import tree

        if drawer is None:
            return [Section("", first)], write_html(first.title, [Section("", first)])
        own = drawer.id_of(unit)
        moved = self._moved(drawer.held.manifest)
        tops = self._with_moved(tree(drawer.graph, own, depth), moved)["tops"]
        below = [one for one in dict.fromkeys(_units_below(tops)) if one != own]
        if len(below) >= SECTIONS:
            notes.append(f"{len(below) - SECTIONS + 1} of {len(below) + 1} units are not drawn")
        sections = [Section(own, first)]
        sections += [Section(one, drawer.drawn_at(one, limit)) for one in below[: SECTIONS - 1]]
        return sections, write_html(first.title, sections, tops, notes)


class _Drawer:
    """Draws units of one generation: a new one that comes meanwhile is not looked at.

    Args:
        held: the generation.
        graph: its graph.
    """

    def __init__(self, held: Generation, graph: Graph) -> None:
        self.held, self.graph = held, graph
        self._facts: dict[str, FileRecord] = {}

    def drawn(self, name: str, limit: int) -> Picture:
        """Returns the block diagram of a unit, by a name as `show` takes it."""
        return self._picture(self._row(name), limit)

    def drawn_at(self, id: str, limit: int) -> Picture:
        """Returns the block diagram of a unit, by its id in the graph."""
        return self._picture(self.graph.row(id), limit)

    def id_of(self, name: str) -> str:
        """Returns the id of a unit in the graph."""
        return str(self.graph.nodes.column("id")[self._row(name)])

    def others(self, name: str) -> list[str]:
        """Returns a note where several units have a name, of which the first one is drawn."""
        paths = [self.graph.nodes.column("path")[row] for row in self._rows(name)]
        others = ", ".join(paths[1:4]) + (", ..." if paths[4:] else "")
        return [f"{name} stands in {paths[0]} and also in {others}"] if paths[1:] else []

    def _rows(self, name: str) -> list[int]:
        from hdlgraph.query.design.names import find, is_unit

        kinds = self.graph.nodes.column("kind")
        return [row for row in find(self.graph, name) if is_unit(kinds[row])]

    def _row(self, name: str) -> int:
        """Returns the node of a unit that the repository defines."""
        from hdlgraph.query.design.names import find

        nodes = self.graph.nodes
        units = self._rows(name)
        if not units:
            kind = nodes.column("kind")[find(self.graph, name)[0]]
            raise UsageError(f"{name!r} is a {kind}, not a module: try `hdlgraph show {name}`")
        if not nodes.column("path")[units[0]]:
            raise UsageError(f"{name!r} is used but defined nowhere here: it cannot be drawn")
        return units[0]

    def _picture(self, row: int, limit: int) -> Picture:
        from hdlgraph.graph.pictures.bound import bound_into
        from hdlgraph.graph.pictures.unit import draw_unit

        nodes = self.graph.nodes
        name, path, line = (nodes.column(one)[row] for one in ("name", "path", "line"))
        for unit in self._facts_of(path).units:
            if unit.name == name and unit.line == line:
                bounds = bound_into(self.graph, row, self._facts_of)
                return draw_unit(self.graph, row, unit, limit, bounds)
        raise UsageError(f"{name!r} of {path}:{line} is not in the facts: run `hdlgraph index`")

    def _facts_of(self, path: str) -> FileRecord:
        """Returns the facts of a file, read once."""
        from hdlgraph.store.design.facts import read_facts_of

        if path not in self._facts:
            self.held.check("facts.msgpack")
            self._facts[path] = read_facts_of(self.held.folder, path)
        return self._facts[path]


def _units_below(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the ids of the units of a hierarchy that have instances, level by level."""
    front = list(entries)
    while front:
        for entry in front:
            if any(child.get("note") != "bind" for child in entry["children"]):
                yield entry.get("unit_id") or entry["id"]
        front = [child for entry in front for child in entry["children"]]
