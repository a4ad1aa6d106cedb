"""Finds the lines that an `ifdef leaves out, of which elaboration says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hdlgraph.eval.structural.compare import Key
from hdlgraph.graph.graph import Graph


def off_lines(compiled: Any, root: Path) -> dict[str, list[int]]:
    """Returns the lines of each file of a repository that the preprocessor left out, 1-based.

    A file that is included more than once has only those that each of its inclusions leaves out.

    Args:
        compiled: slang's compilation.
        root: the repository, resolved.
    """
    from pyslang import parsing

    sources = compiled.sourceManager
    off: set[tuple[int, int]] = set()

    def look(one: Any) -> None:
        if not isinstance(one, parsing.Token):
            return
        for trivia in one.trivia:
            directive = trivia.syntax() if trivia.kind == parsing.TriviaKind.Directive else None
            for token in getattr(directive, "disabledTokens", None) or ():
                place = token.location
                off.add((place.buffer.id, sources.getLineNumber(place)))

    for tree in compiled.getSyntaxTrees():
        tree.root.visit(look)
    paths = {one.id: _inside(sources.getFullPath(one), root) for one in sources.getAllBuffers()}
    copies = Counter(path for path in paths.values() if path)
    times = Counter((paths[buffer], line) for buffer, line in off if paths.get(buffer))
    found: dict[str, list[int]] = {}
    for path, line in sorted(place for place, count in times.items() if count == copies[place[0]]):
        found.setdefault(path, []).append(line)
    return found


def _inside(path: Any, root: Path) -> str:
    """Returns a path below the root, "" for one that is not."""
    full = Path(str(path)).resolve()
    return str(full.relative_to(root)) if full.is_relative_to(root) else ""


def unseen(graph: Graph, keys: Mapping[int, Key], off: Mapping[str, Iterable[int]]) -> set[Key]:
    """Returns the facts that a graph states on such lines alone.

    Args:
        graph: the design graph.
        keys: the facts by the row of the edge that states each.
        off: what `off_lines` found.
    """
    lines = {path: set(some) for path, some in off.items()}
    paths, numbers = graph.edges.column("path"), graph.edges.column("line")
    left_out: set[Key] = set()
    seen: set[Key] = set()
    for row, key in keys.items():
        (left_out if numbers[row] in lines.get(paths[row], ()) else seen).add(key)
    return left_out - seen
