"""Elaborates a design with pyslang, from the files that an index says belong together."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind

FOLLOWED = frozenset(
    kind.value
    for kind in (EdgeKind.INSTANTIATES, EdgeKind.IMPORTS, EdgeKind.INCLUDES, EdgeKind.BINDS)
)


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(text + "\n")


def closure(graph: Graph, top: str) -> tuple[list[str], list[str]]:
    """Returns the files that a unit needs, packages first, and the folders of its headers.

    Of several definitions of a name the surest counts; binds are left out.
    """
    nodes, edges = graph.nodes, graph.edges
    names, kinds, paths = (nodes.column(one) for one in ("name", "kind", "path"))
    of, ends, sure = (edges.column(one) for one in ("kind", "target", "confidence"))
    files: dict[str, None] = {}
    headers: dict[str, None] = {}
    taken: dict[str, int] = {}
    waiting = [row for row, name in enumerate(names) if name == top and kinds[row] == "module"][:1]
    seen = set(waiting)
    while waiting:
        row = waiting.pop(0)
        if paths[row]:
            files.setdefault(paths[row])
            file = graph.row(f"file:{paths[row]}")
            if file >= 0 and file not in seen:
                seen.add(file)
                waiting.append(file)
        best: dict[tuple[str, str], tuple[float, int]] = {}
        for edge in graph.out_edges(row).tolist():
            target = ends[edge]
            if of[edge] not in FOLLOWED or of[edge] == EdgeKind.BINDS.value or not paths[target]:
                continue
            key = (of[edge], names[target])
            best[key] = max(best.get(key, (-1.0, 0)), (sure[edge], -target))
        for (kind, name), (_, target) in sorted(best.items()):
            if kind == EdgeKind.INCLUDES.value:
                headers.setdefault(paths[-target])
            target = taken.setdefault(name, -target)
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    plain = [path for path in files if path not in headers]
    units = [*_packages_first(graph, plain)]
    folders = sorted({path.rpartition("/")[0] for path in headers})
    return units, folders


def _stand_ins(root: Path, graph: Graph, files: set[str]) -> Iterator[str]:
    """Yields texts of modules that a generator would write, under the names that are used.

    `prim_flop` is not in the repository; `prim_generic_flop`, which it would wrap, is.
    """
    nodes, edges = graph.nodes, graph.edges
    names, paths = nodes.column("name"), nodes.column("path")
    missing = {one.name for one in graph.unresolved if one.kind == "module"}
    found: dict[str, str] = {}
    columns = (edges.column(one) for one in ("kind", "source", "target", "path", "text"))
    stubs: dict[int, set[str]] = {}
    rows = list(zip(*columns, strict=True))
    for kind, source, target, _, _ in rows:
        if kind == EdgeKind.INSTANTIATES.value and names[target] in missing and not paths[target]:
            stubs.setdefault(source, set()).add(names[target])
    for kind, source, target, path, _ in rows:
        if kind != EdgeKind.INSTANTIATES.value or not paths[target] or path not in files:
            continue
        for name in stubs.get(source, ()):
            if _short_of(names[target], name):
                found.setdefault(name, f"{paths[target]} {names[target]}")
    for name, place in sorted(found.items()):
        path, _, unit = place.partition(" ")
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        yield re.sub(rf"\bmodule(\s+){re.escape(unit)}\b", rf"module\1{name}", text)


def _short_of(whole: str, short: str) -> bool:
    words = whole.split("_")
    return any("_".join(words[:at] + words[at + 1 :]) == short for at in range(1, len(words) - 1))


def _packages_first(graph: Graph, paths: list[str]) -> Iterator[str]:
    nodes = graph.nodes
    packages = {
        path
        for path, kind in zip(nodes.column("path"), nodes.column("kind"), strict=True)
        if kind == "package"
    }
    yield from (path for path in paths if path in packages)
    yield from (path for path in paths if path not in packages)


class Elaborated:
    """A design that pyslang elaborated: `bodies` are its instance bodies, each once."""

    def __init__(self, root: Path, graph: Graph, top: str, defines: tuple[str, ...] = ()) -> None:
        import pyslang
        from pyslang import analysis, ast, parsing, syntax

        files, folders = closure(graph, top)
        self.root, self.files = root.resolve(), files
        self.manager = pyslang.SourceManager()
        for folder in folders:
            self.manager.addUserDirectories(str(root / folder))
        options = ast.CompilationOptions()
        options.errorLimit = 0
        options.topModules = {top}
        reading = parsing.PreprocessorOptions()
        reading.predefines = list(defines)
        bag = pyslang.Bag([options, reading])
        self.compilation = ast.Compilation(bag)
        # One unit for all: macros of packages are used by files behind them.
        paths = [str(root / one) for one in files]
        self.compilation.addSyntaxTree(syntax.SyntaxTree.fromFiles(paths, self.manager, bag))
        for number, text in enumerate(_stand_ins(root, graph, set(files))):
            tree = syntax.SyntaxTree.fromText(text, self.manager, f"stand-in{number}.sv")
            self.compilation.addSyntaxTree(tree)
        self.tops = list(self.compilation.getRoot().topInstances)
        found = self.compilation.getAllDiagnostics()
        self.errors = [one for one in found if one.isError()]
        self.analysis = analysis.AnalysisManager(analysis.AnalysisOptions())
        self.analysis.analyze(self.compilation)

    def bodies(self) -> Iterator[tuple[str, str, Any]]:
        """Yields (path, unit, body) of every distinct instance body."""
        from pyslang import ast

        seen: set[int] = set()
        waiting = list(self.tops)
        while waiting:
            instance = waiting.pop()
            body = instance.canonicalBody or instance.body
            if id(body) in seen:
                continue
            seen.add(id(body))
            self._kept = getattr(self, "_kept", [])
            self._kept.append(body)  # an id is its own only while the object lives
            definition = instance.definition
            path = self.path_of(definition.location)
            if path:
                yield path, definition.name, body
            waiting += [one for one in members(body) if isinstance(one, ast.InstanceSymbol)]

    def path_of(self, location: Any) -> str:
        """Returns the path of a location relative to the root, "" outside of it."""
        place = self.manager.getFullyExpandedLoc(location)
        name = str(self.manager.getFullPath(place.buffer))
        prefix = f"{self.root}/"
        return name.removeprefix(prefix) if name.startswith(prefix) else ""

    def line_of(self, location: Any) -> int:
        """Returns the line of a location, of the use of a macro for what one makes."""
        return int(self.manager.getLineNumber(self.manager.getFullyExpandedLoc(location)))


def members(scope: Any) -> Iterator[Any]:
    """Yields the members of an instance body and of its generate blocks and arrays."""
    from pyslang import ast

    waiting = [scope]
    while waiting:
        for one in waiting.pop():
            if isinstance(one, ast.GenerateBlockSymbol):
                if not one.isUninstantiated:
                    waiting.append(one)
            elif isinstance(one, ast.GenerateBlockArraySymbol | ast.InstanceArraySymbol):
                waiting.append(one)
            else:
                yield one


def for_tops(about: str | None, measure: Callable[[Path, Path, str, int], None]) -> None:
    """Reads the command line of a measure, and calls it for each top.

    Args:
        about: the measure's docstring, whose first line is its help.
        measure: called with repository, index folder, top, and how many differences it lists.
    """
    parser = argparse.ArgumentParser(description=(about or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("tops", nargs="+")
    parser.add_argument("--worst", type=int, default=0, help="differences that are listed")
    given = parser.parse_args()
    for top in given.tops:
        measure(given.root, given.index, top, given.worst)
