"""What an editor asks of a place in a source: definitions, references, a card, its symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.project.design import Design

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.query.design.cursor import Cursor, Word

REFERENCES = 2_000
"""Most places that `references` lists."""
NEAR = 50
"""Lines around that of the index in which a name is looked for, where a file was edited since."""


class Editing(Design):
    """The part of a project that answers about places. Lines count from 1, columns from 0.

    A place of an answer has `path`, `line`, `column` and `end_column` (characters) of the name, and
    `text`, the line up to its end.
    """

    def definition(self, path: str, line: int, column: int, text: str) -> list[dict[str, Any]]:
        """Returns where what stands at a place is defined, the likeliest first.

        Args:
            path: the file, relative to the root.
            line: of the place.
            column: of the place, in characters.
            text: the line as the editor shows it.
        """
        graph, rows, _ = self._meant(path, line, column, text)
        return _Places(self, graph).of(rows)

    def references(
        self, path: str, line: int, column: int, text: str, declaration: bool = True
    ) -> list[dict[str, Any]]:
        """Returns the places that use what stands at a place; arguments as of `definition`.

        They come from the graph, so those across generate blocks and binds are among them; of
        what a unit declares also the places within the unit that have its name.

        Args:
            path: the file, relative to the root.
            line: of the place.
            column: of the place, in characters.
            text: the line as the editor shows it.
            declaration: whether the definitions are listed too.
        """
        from hdlgraph.query.design.uses import used_at, within

        graph, rows, _ = self._meant(path, line, column, text)
        places = _Places(self, graph)
        found = places.of(rows) if declaration else []
        for row in rows:
            name = graph.nodes.column("name")[row].rpartition(".")[2]
            found += [places.at(*one, name) for one in used_at(graph, row)[:REFERENCES]]
            unit = within(graph, row)
            if unit:
                found += places.named(name, *unit)
        seen = {(one["path"], one["line"], one["column"]): one for one in reversed(found)}
        if not declaration:
            for one in places.of(rows):
                seen.pop((one["path"], one["line"], one["column"]), None)
        return [seen[key] for key in sorted(seen)][:REFERENCES]

    def card(self, path: str, line: int, column: int, text: str) -> dict[str, Any] | None:
        """Returns what is known of what stands at a place, None for nothing.

        It is a definition as of `show`, with `start` and `end` of the name in the line, and for
        units and files `explanation`, what the file is for. Arguments as of `definition`.
        """
        graph, rows, word = self._meant(path, line, column, text)
        if not rows or word is None:
            return None
        identity = graph.nodes.column("id")[rows[0]]
        found: dict[str, Any] = self.show(identity)["definitions"][0]
        place = found["path"]
        sentence = self._sentence(place) if place and "units" in found else ""
        return {**found, "explanation": sentence, "start": word.start, "end": word.end}

    def _sentence(self, path: str) -> str:
        """Returns what a file is for in a sentence; the explanations are read once a generation."""
        explanation = self.explanations().get(path)
        return explanation.sentence() if explanation else ""

    def symbols(self, path: str) -> list[dict[str, Any]]:
        """Returns what a file declares, by line, each with its place, `kind` and `children`."""
        from hdlgraph.query.design.cursor import Cursor
        from hdlgraph.query.design.uses import outline

        graph = self.graph()
        cursor = Cursor(graph, path)
        places = _Places(self, graph)
        return outline(graph, cursor.symbols(), lambda row: places.of([row]))

    def _meant(
        self, path: str, line: int, column: int, text: str
    ) -> tuple[Graph, list[int], Word | None]:
        from hdlgraph.query.design.cursor import Cursor, word_at

        graph, word = self.graph(), word_at(text, column)
        if word is None:
            return graph, [], None
        cursor: Cursor = Cursor(graph, path)
        return graph, cursor.meant(word, line), word


class _Places:
    """Makes places of rows and lines; each file is read once."""

    def __init__(self, project: Editing, graph: Graph) -> None:
        self._project, self._graph = project, graph
        self._lines: dict[str, list[str]] = {}
        self._code: dict[str, list[str]] = {}

    def of(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Returns the places of nodes; those that no file defines are left out."""
        nodes = self._graph.nodes
        paths, lines = nodes.column("path"), nodes.column("line")
        found = []
        for row in rows:
            if paths[row]:
                kind, name = nodes.column("kind")[row], nodes.column("name")[row]
                last = "" if kind == "file" else name.rpartition(".")[2]
                about = {"kind": kind, "name": name, "end_line": nodes.column("end_line")[row]}
                found.append({**self.at(paths[row], lines[row], last), **about})
        return found

    def at(self, path: str, line: int, name: str) -> dict[str, Any]:
        """Returns the place of a name on a line or near it; column 0 where it is not found."""
        lines = self._lines_of(path)
        wanted = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])") if name else None
        around = (line + sign * far for far in range(NEAR) for sign in ((1, -1) if far else (1,)))
        for number in around:
            found = wanted and 0 < number <= len(lines) and wanted.search(lines[number - 1])
            if found:
                return _place(path, number, lines[number - 1], found.start(), found.end())
        return _place(path, max(line, 1), "", 0, 0)

    def named(self, name: str, path: str, first: int, last: int) -> list[dict[str, Any]]:
        """Returns the places of a name in the code of some lines.

        After a dot it belongs to something else, but in `.name,`: that connects the name too.
        """
        same = rf"(?:(?<=[\s(,]\.)|(?<=^\.)){re.escape(name)}(?=\s*(?:[,)]|$))"
        wanted = re.compile(rf"(?<![\w$`.]){re.escape(name)}(?![\w$])|{same}")
        lines = self._lines_of(path)
        return [
            _place(path, number, lines[number - 1], one.start(), one.end())
            for number, text in enumerate(self._code_of(path)[first - 1 : last], first)
            for one in wanted.finditer(text)
        ]

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = self._project.source_text(path).split("\n")
        return self._lines[path]

    def _code_of(self, path: str) -> list[str]:
        """Returns the lines of a file with comments and texts blanked."""
        from hdlgraph.query.design.uses import code_of

        if path not in self._code:
            self._code[path] = code_of("\n".join(self._lines_of(path))).split("\n")
        return self._code[path]


def _place(path: str, line: int, text: str, start: int, end: int) -> dict[str, Any]:
    spot = {"path": path, "line": line, "column": start, "end_column": end}
    return {**spot, "text": text[:end]}
