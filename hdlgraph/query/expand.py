"""The file graph: edges between files, h-hop neighbourhoods and the walks that lead there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

KIND_WEIGHT = {
    "INSTANTIATES": 1.0,
    "BINDS": 0.8,
    "EXTENDS": 0.6,
    "INCLUDES": 0.4,
    "IMPORTS": 0.2,
    "USES": 0.2,
}
"""How much of a neighbour's score crosses an edge; imports reach hubs and say little."""


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
        self.weight = np.asarray(
            [KIND_WEIGHT.get(e.kind, 0.0) * e.confidence for e in edges], np.float32
        )
        self.downward = np.asarray([e.kind in ("INSTANTIATES", "BINDS") for e in edges], bool)
        self._out: dict[int, list[int]] = {}
        self._in: dict[int, list[int]] = {}
        for number, edge in enumerate(edges):
            self._out.setdefault(edge.source, []).append(number)
            self._in.setdefault(edge.target, []).append(number)

    @classmethod
    def load(cls, folder: Path, paths: list[str]) -> FileGraph:
        """Returns the file graph of a generation folder (`file_edges.parquet`)."""
        import pyarrow.parquet as pq

        number = {path: n for n, path in enumerate(paths)}
        columns = pq.read_table(folder / "file_edges.parquet").to_pydict()
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

    def parents_mean(self, score: np.ndarray) -> np.ndarray:
        """Returns for each file the weighted mean score of the files that instantiate it."""
        use = self.downward
        return self._mean(score, self.source[use], self.target[use], self.weight[use])

    def children_max(self, score: np.ndarray) -> np.ndarray:
        """Returns for each file the greatest score among the files it instantiates."""
        out = np.zeros(self.n_files, np.float32)
        use = self.downward
        np.maximum.at(out, self.source[use], score[self.target[use]])
        return out

    def neighbours_mean(self, score: np.ndarray) -> np.ndarray:
        """Returns for each file the weighted mean score of all files an edge away."""
        return self._mean(
            score,
            np.concatenate((self.source, self.target)),
            np.concatenate((self.target, self.source)),
            np.concatenate((self.weight, self.weight)),
        )

    def _mean(
        self, score: np.ndarray, giver: np.ndarray, taker: np.ndarray, weight: np.ndarray
    ) -> np.ndarray:
        total = np.bincount(taker, weight * score[giver], self.n_files)
        mass = np.bincount(taker, weight, self.n_files)
        return np.divide(total, mass, out=np.zeros(self.n_files), where=mass > 0).astype(np.float32)

    def walks(
        self, seeds: list[int], hops: int, limit: int = 4000
    ) -> dict[int, tuple[int, list[int]]]:
        """Returns files within `hops` of the seeds: file -> (seed, edges walked in order).

        Breadth first, seeds in the given order, so each file gets its shortest walk from the
        best seed. At most `limit` files.
        """
        reached: dict[int, tuple[int, list[int]]] = {seed: (seed, []) for seed in seeds}
        frontier = list(reached)
        for _ in range(hops):
            following: list[int] = []
            for node in frontier:
                seed, walked = reached[node]
                for number in (*self._out.get(node, ()), *self._in.get(node, ())):
                    edge = self.edges[number]
                    other = edge.target if edge.source == node else edge.source
                    if other not in reached and len(reached) < limit:
                        reached[other] = (seed, [*walked, number])
                        following.append(other)
            frontier = following
        return reached
