"""The graph: files gain by what instantiates them, what they instantiate and what is beside them.

The graph is for recall and for questions about relations; it is no popularity vote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from hdlgraph.graph import file_edges
from hdlgraph.model.kinds import relation
from hdlgraph.query.best import few_best
from hdlgraph.query.features.feature import Asked, Ranking, Scores, scale
from hdlgraph.query.index_view import IndexView
from hdlgraph.results import Evidence
from hdlgraph.store import tables

SEEDS = 5  # best files from which the graph is walked
PARTS = ("parents", "neighbours", "wanted_parent")
MAX_TEXT = 240  # characters of what is quoted in a line of evidence
KEPT = 10_000  # edges between files that are kept once they were told


class Neighbours:
    """Scores files by the scores that the features asked before give to their neighbours."""

    name = "graph"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the parts parents and neighbours, and wanted_parent where one is asked for."""
        graph = graph_of(asked)
        if graph is None or not graph.edges:
            return None
        weights, mask = asked.weights, asked.mask
        scaled = scale(asked.so_far(), asked.candidates)
        parents = graph.parents_mean(scaled, mask)
        around = graph.neighbours_mean(scaled, mask)
        if asked.hops > 1:
            parents = parents + 0.5 * graph.parents_mean(parents, mask)
            around = around + 0.5 * graph.neighbours_mean(around, mask)
        parts = {"parents": weights.parents * parents, "neighbours": weights.neighbours * around}
        if asked.question.instantiates:
            wanted = weights.instantiator * graph.children_max(scaled, mask) - scaled
            parts["wanted_parent"] = wanted
        elif asked.question.parent:
            parts["wanted_parent"] = weights.wanted_parent * graph.children_max(scaled, mask)
        return GraphScores(parts)


class GraphScores(Scores):
    """Scores by neighbours."""

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: the walk to the file from one of the best files."""
        walk = walked(ranking, number)
        if walk is None:
            return
        seed, edges = walk
        gained = sum(ranking.part(name, number) for name in PARTS)
        text = f"reached from {ranking.asked.index.lexicon.paths[seed]}"
        if edges[-1].text:
            text += f": {edges[-1].text[:MAX_TEXT]}"
        steps = tuple(edge.describe() for edge in edges)
        yield Evidence("graph", edges[-1].path, edges[-1].line, text, gained, steps)


def walked(ranking: Ranking, number: int) -> tuple[int, list[FileEdge]] | None:
    """Returns one of the best files and the edges from it to file `number`; None without any."""
    graph = graph_of(ranking.asked)
    walk = graph.walk(seeds(ranking), number, ranking.asked.hops) if graph else None
    return (walk[0], [graph.edges[n] for n in walk[1]]) if graph and walk else None


def seeds(ranking: Ranking) -> list[int]:
    """Returns the files at which walks begin."""
    if ranking.question.instantiates and "wanted_parent" in ranking.parts:
        # The walk starts at what the question names, not at another file that holds it.
        named = ranking.score - ranking.parts["wanted_parent"]
        return few_best(named, SEEDS).tolist()
    return ranking.order[:SEEDS]


def graph_of(asked: Asked) -> FileGraph | None:
    """Returns the file graph, None where no edge may be walked or the index has no graph."""
    return asked.index.part(file_graph_of) if asked.hops else None


def file_graph_of(index: IndexView) -> FileGraph | None:
    """Returns the file graph of an index, or None when it has none."""
    if not file_edges.are_there(index.folder):
        return None
    return FileGraph.load(index.folder, index.lexicon.paths)


@dataclass(frozen=True, slots=True)
class FileEdge:
    """An edge between two files: numbers of source and target, unit names, the stating place."""

    source: int
    target: int
    source_name: str
    target_name: str
    kind: str
    path: str
    line: int
    text: str
    confidence: float

    def describe(self) -> str:
        """Returns `source -KIND-> target (path:line)`."""
        return f"{self.source_name} -{self.kind}-> {self.target_name} ({self.path}:{self.line})"


class _Stored(Sequence[FileEdge]):
    """The edges of a table, each made when it is asked for; those of unknown files are left out."""

    def __init__(self, table: tables.Table, paths: Sequence[str]) -> None:
        number = {path: n for n, path in enumerate(paths)}
        table.ahead("src_path", "dst_path", "kind", "confidence")
        ends = []
        for name in ("src_path", "dst_path"):
            values, codes = table.coded(name)
            known = np.asarray([number.get(value, -1) for value in values], np.int32)
            ends.append(known[codes] if len(known) else np.zeros(0, np.int32))
        self._made: dict[int, FileEdge] = {}
        self._rows = np.flatnonzero((ends[0] >= 0) & (ends[1] >= 0))
        self._table = table
        self.source, self.target = (end[self._rows] for end in ends)
        names, codes = table.coded("kind")
        self.kinds = names, codes[self._rows]
        self.confidence = table.array("confidence")[self._rows]

    def texts(self, numbers: np.ndarray) -> list[str]:
        """Returns what some edges say, without making these."""
        return self._table.picked("text", self._rows[numbers])

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> FileEdge: ...

    @overload
    def __getitem__(self, at: slice) -> list[FileEdge]: ...

    def __getitem__(self, at: int | slice) -> FileEdge | list[FileEdge]:
        """Returns an edge, or several."""
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        found = self._made.get(at)
        if found is None:
            if len(self._made) >= KEPT:
                self._made.clear()
            found = self._made[at] = self._edge(at)
        return found

    def _edge(self, at: int) -> FileEdge:
        row = int(self._rows[at])
        value = {name: self._table.value(name, row) for name in file_edges.COLUMNS}
        return FileEdge(
            int(self.source[at]),
            int(self.target[at]),
            value["src_name"] or value["src_path"],
            value["dst_name"] or value["dst_path"],
            *(value[name] for name in ("kind", "path", "line", "text", "confidence")),
        )


class Ways(NamedTuple):
    """Which file gives its score to which, how much that weighs, and all that a file gets."""

    giver: np.ndarray
    taker: np.ndarray
    weight: np.ndarray
    mass: np.ndarray


def _int32(values: Any) -> np.ndarray:
    return np.asarray(values, np.int32)


def _coded(names: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Returns the different names, and which of them each is."""
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return list(known), np.asarray([known[name] for name in names], np.int64)


class FileGraph:
    """Adjacency over files, both directions; edges sorted for determinism."""

    def __init__(self, edges: Sequence[FileEdge], n_files: int) -> None:
        self.edges = edges
        self.n_files = n_files
        found = edges if isinstance(edges, _Stored) else None
        self.source = _int32(found.source if found else [e.source for e in edges])
        self.target = _int32(found.target if found else [e.target for e in edges])
        names, codes = found.kinds if found else _coded([e.kind for e in edges])
        confidence = found.confidence if found else [e.confidence for e in edges]
        kinds = {
            code: relation(names[code]) for code in np.flatnonzero(np.bincount(codes)).tolist()
        }
        weight, below = np.zeros(len(names)), np.zeros(len(names), bool)
        for code, kind in kinds.items():
            weight[code], below[code] = kind.weight, kind.is_below
        self.weight = (weight[codes] * np.asarray(confidence)).astype(np.float32)
        self.downward = below[codes]
        self._near: dict[int, dict[int, int]] = {}

    @cached_property
    def _touching(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns (first row of each file, and after the last; the edges at each file, sorted)."""
        ends = np.concatenate((self.source, self.target))
        numbers = np.tile(np.arange(len(self.source)), 2)
        order = np.lexsort((numbers, ends))
        first = np.searchsorted(ends[order], np.arange(self.n_files + 1))
        return first, numbers[order]

    def _beside(self, file: int) -> dict[int, int]:
        """Returns the files an edge away from a file, each with the first edge that leads there."""
        found = self._near.get(file)
        if found is None:
            first, numbers = self._touching
            own = numbers[first[file] : first[file + 1]] if 0 <= file < self.n_files else ()
            found = self._near[file] = {}
            for number in np.asarray(own, np.int64).tolist():
                source, target = int(self.source[number]), int(self.target[number])
                found.setdefault(target if source == file else source, number)
        return found

    @classmethod
    def load(cls, folder: Path, paths: list[str]) -> FileGraph:
        """Returns the file graph of a generation's folder; `paths` are by file number."""
        return cls(_Stored(file_edges.stored(folder), paths), len(paths))

    def texts(self, numbers: np.ndarray) -> list[str]:
        """Returns what some edges say."""
        if isinstance(self.edges, _Stored):
            return self.edges.texts(numbers)
        return [self.edges[number].text for number in numbers.tolist()]

    def parents_mean(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the weighted mean score of the files that instantiate it."""
        return self._mean(score, self._down, mask)

    def children_max(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the greatest score among the files it instantiates."""
        out = np.zeros(self.n_files, np.float32)
        use = self.downward if mask is None else self.downward & mask[self.target]
        np.maximum.at(out, self.source[use], score[self.target[use]])
        return out

    def neighbours_mean(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the weighted mean score of all files an edge away."""
        return self._mean(score, self._both, mask)

    @cached_property
    def _down(self) -> Ways:
        use = self.downward
        return self._ways(self.source[use], self.target[use], self.weight[use])

    @cached_property
    def _both(self) -> Ways:
        giver = np.concatenate((self.source, self.target))
        taker = np.concatenate((self.target, self.source))
        return self._ways(giver, taker, np.concatenate((self.weight, self.weight)))

    def _ways(self, giver: np.ndarray, taker: np.ndarray, weight: np.ndarray) -> Ways:
        return Ways(giver, taker.astype(np.intp), weight, np.bincount(taker, weight, self.n_files))

    def _mean(self, score: np.ndarray, ways: Ways, mask: np.ndarray | None) -> np.ndarray:
        if mask is not None:
            use = mask[ways.giver]
            ways = self._ways(ways.giver[use], ways.taker[use], ways.weight[use])
        total = np.bincount(ways.taker, ways.weight * score[ways.giver], self.n_files)
        mass = ways.mass
        return np.divide(total, mass, out=np.zeros(self.n_files), where=mass > 0).astype(np.float32)

    def below(self, number: int) -> Iterator[tuple[str, str]]:
        """Yields (kind, name of the unit) of the edges that go out from a file."""
        for at in np.flatnonzero(self.source == number).tolist():
            yield self.edges[at].kind, self.edges[at].target_name

    def above(self, number: int) -> Iterator[tuple[str, str]]:
        """Yields (kind, name of the unit) of the edges that lead to a file."""
        for at in np.flatnonzero(self.target == number).tolist():
            yield self.edges[at].kind, self.edges[at].source_name

    def walk(self, seeds: list[int], target: int, hops: int) -> tuple[int, list[int]] | None:
        """Returns the shortest walk of 1 or 2 edges to `target`: (seed, edges in order).

        Ties go to the earlier seed; None when no seed is within `hops`.
        """
        near = self._beside(target)
        if hops >= 1:
            for seed in seeds:
                if seed in near and seed != target:
                    return seed, [near[seed]]
        if hops >= 2:
            for seed in seeds:
                between = near.keys() & self._beside(seed).keys()
                if between and seed != target:
                    middle = min(between, key=lambda n: (len(self._beside(n)), n))
                    return seed, [self._beside(seed)[middle], near[middle]]
        return None
