"""Finds the lines that name any of many declarations; each file is read once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.mentions.lines import (
    FILES,
    SURE,
    Line,
    Sources,
    holding,
    matching,
    owner_of,
    scopes,
    seeing,
    tests,
)

MACRO = NodeKind.MACRO.value
_WORD = re.compile(r"[A-Za-z_][\w$]*")


class Word(NamedTuple):
    """A name that means the node at a row."""

    row: int
    name: str


class Mentioned(NamedTuple):
    """A line that names the node at a row, and how sure that is."""

    row: int
    line: Line
    sure: float


class _Sight(NamedTuple):
    """Which files see what one package or file declares; the scopes, and the files naming these."""

    seen: set[str]
    scopes: list[str]
    naming: set[str]


def lines_of(
    graph: Graph, sources: Sources, words: Iterable[Word], is_done: Callable[[str], bool]
) -> list[Mentioned]:
    """Returns the lines that name what packages and files declare, by path and line.

    A file that declares a name itself means its own. Of each line and node there is one.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        words: the names; no parts of modules, interfaces or classes.
        is_done: tells the files that are left out.
    """
    finder = _Finder(graph, sources)
    in_file: dict[str, list[tuple[Word, str]]] = {}
    for word in words:
        for path, pattern in finder.files(word):
            if not is_done(path):
                in_file.setdefault(path, []).append((word, pattern))
    found: list[Mentioned] = []
    for path in sorted(in_file):
        whole = sources.text(path)
        ways: dict[str, list[tuple[int, str]]] = {}
        for word, pattern in in_file[path]:
            if word.name in whole:  # the words of the index have no case
                ways.setdefault(word.name, []).append((word.row, pattern))
        for number, text in matching(whole, _any_of(ways)) if ways else ():
            named = {
                row: None
                for one in _WORD.findall(text)
                for row, pattern in ways.get(one, ())
                if re.search(pattern, text) and not tests(text, one)
            }
            found += (Mentioned(row, Line(path, number, text), SURE) for row in named)
    return found


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    # Without a look behind, which makes the search slow: each line is looked at once more.
    return re.compile(rf"(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])")


class _Finder:
    """Finds the files that may name a declaration, each with how it is written there."""

    def __init__(self, graph: Graph, sources: Sources) -> None:
        self._graph, self._sources = graph, sources
        self._sights: dict[tuple[int, str], _Sight] = {}

    def files(self, word: Word) -> list[tuple[str, str]]:
        """Returns the paths of files that hold a name where it can mean the declaration."""
        nodes, name = self._graph.nodes, re.escape(word.name)
        home, kind = nodes.column("path")[word.row], nodes.column("kind")[word.row]
        holds = holding(self._sources.lexicon, word.name)[:FILES]
        if kind == MACRO:
            return [(path, rf"`{name}(?![\w$])") for path in holds]
        sight = self._sight(owner_of(self._graph, word.row), home)
        others = self._declaring(word) - {home}
        behind = "|".join(map(re.escape, sight.scopes))
        scoped = rf"(?<![\w$.])(?:{behind})\s*::\s*{name}(?![\w$])"
        bare = rf"(?<![\w$.`])(?<!::){name}(?![\w$])" + (f"|{scoped}" if behind else "")
        found = []
        for path in holds:
            if (path == home or path in sight.seen) and path not in others:
                found.append((path, bare))
            elif path in sight.naming:
                found.append((path, scoped))
        return found

    def _sight(self, owner: int, home: str) -> _Sight:
        found = self._sights.get((owner, home))
        if found is None:
            seen, behind = seeing(self._graph, owner, home), scopes(self._graph, owner, home)
            naming = {path for one in behind for path in holding(self._sources.lexicon, one)}
            found = self._sights[owner, home] = _Sight(seen, behind, naming)
        return found

    def _declaring(self, word: Word) -> set[str]:
        """Returns the files that declare a name."""
        names, paths = self._graph.nodes.column("name"), self._graph.nodes.column("path")
        return {
            paths[row]
            for row in self._graph.ending(word.name)
            if names[row].rpartition(".")[2] == word.name
        }
