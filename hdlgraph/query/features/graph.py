"""The file graph: edges between files, h-hop neighbourhoods and the walks that lead there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.model.kinds import relation
from hdlgraph.store import tables


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
        """Returns the file graph of a generation folder (`file_edges.parquet`)."""
        number = {path: n for n, path in enumerate(paths)}
        columns = tables.read(folder / "file_edges.parquet").to_pydict()
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
