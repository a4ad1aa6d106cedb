"""The graph: files gain by what instantiates them, what they instantiate and what is beside them.

The graph is for recall and for questions about relations; it is no popularity vote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.graph import file_edges
from hdlgraph.model.kinds import relation
from hdlgraph.query.features.feature import Asked, Ranking, Scores, scale
from hdlgraph.query.index_view import IndexView
from hdlgraph.results import Evidence

SEEDS = 5  # best files from which the graph is walked
PARTS = ("parents", "neighbours", "wanted_parent")
MAX_TEXT = 240  # characters of what is quoted in a line of evidence


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
        return [int(n) for n in np.argsort(-named, kind="stable")[:SEEDS]]
    return ranking.order[:SEEDS]


def graph_of(asked: Asked) -> FileGraph | None:
    """Returns the file graph, None where no edge may be walked or the index has no graph."""
    return asked.index.part(file_graph_of) if asked.hops else None


def file_graph_of(index: IndexView) -> FileGraph | None:
    """Returns the file graph of an index, or None when it has none."""
    if not (index.folder / file_edges.NAME).is_file():
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


class FileGraph:
    """Adjacency over files, both directions; edges sorted for determinism."""

    def __init__(self, edges: list[FileEdge], n_files: int) -> None:
        self.edges = edges
        self.n_files = n_files
        self.source = np.asarray([e.source for e in edges], np.int32)
        self.target = np.asarray([e.target for e in edges], np.int32)
        kinds = {kind: relation(kind) for kind in {e.kind for e in edges}}
        self.weight = np.asarray([kinds[e.kind].weight * e.confidence for e in edges], np.float32)
        self.downward = np.asarray([kinds[e.kind].is_below for e in edges], bool)
        self._beside: dict[int, dict[int, int]] = {}
        for number, edge in enumerate(edges):
            self._beside.setdefault(edge.source, {}).setdefault(edge.target, number)
            self._beside.setdefault(edge.target, {}).setdefault(edge.source, number)

    @classmethod
    def load(cls, folder: Path, paths: list[str]) -> FileGraph:
        """Returns the file graph of a generation's folder; `paths` are by file number."""
        number = {path: n for n, path in enumerate(paths)}
        columns = file_edges.load(folder)
        edges = [
            FileEdge(number[sp], number[dp], sn or sp, dn or dp, kind, path, line, text, conf)
            for sp, sn, dp, dn, kind, path, line, text, conf in zip(
                columns["src_path"], columns["src_name"], columns["dst_path"],
                columns["dst_name"], columns["kind"], columns["path"], columns["line"],
                columns["text"], columns["confidence"], strict=True,
            )
            if sp in number and dp in number
        ]  # fmt: skip
        return cls(edges, len(paths))

    def parents_mean(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the weighted mean score of the files that instantiate it."""
        use = self.downward if mask is None else self.downward & mask[self.source]
        return self._mean(score, self.source[use], self.target[use], self.weight[use])

    def children_max(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the greatest score among the files it instantiates."""
        out = np.zeros(self.n_files, np.float32)
        use = self.downward if mask is None else self.downward & mask[self.target]
        np.maximum.at(out, self.source[use], score[self.target[use]])
        return out

    def neighbours_mean(self, score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Returns for each file the weighted mean score of all files an edge away."""
        giver = np.concatenate((self.source, self.target))
        taker = np.concatenate((self.target, self.source))
        weight = np.concatenate((self.weight, self.weight))
        if mask is not None:
            giver, taker, weight = (a[mask[giver]] for a in (giver, taker, weight))
        return self._mean(score, giver, taker, weight)

    def _mean(
        self, score: np.ndarray, giver: np.ndarray, taker: np.ndarray, weight: np.ndarray
    ) -> np.ndarray:
        total = np.bincount(taker, weight * score[giver], self.n_files)
        mass = np.bincount(taker, weight, self.n_files)
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
        near = self._beside.get(target, {})
        if hops >= 1:
            for seed in seeds:
                if seed in near and seed != target:
                    return seed, [near[seed]]
        if hops >= 2:
            for seed in seeds:
                between = near.keys() & self._beside.get(seed, {}).keys()
                if between and seed != target:
                    middle = min(between, key=lambda n: (len(self._beside[n]), n))
                    return seed, [self._beside[seed][middle], near[middle]]
        return None
