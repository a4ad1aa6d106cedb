"""GraphRAG's hierarchical Leiden communities over the links of a design.

One of the few importers of graphrag.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class _Points:
    """Stands in for GraphRAG's table of entities: a file is its own title and id."""

    paths: Sequence[str]

    async def __aiter__(self) -> AsyncIterator[dict[str, str]]:
        for path in self.paths:
            yield {"title": path, "id": path}


@dataclass(slots=True)
class _Rows:
    """Stands in for GraphRAG's table of communities."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    async def write(self, row: dict[str, Any]) -> None:
        """Takes a row."""
        self.rows.append(row)


async def communities_of(
    links: Sequence[tuple[str, str, float]], paths: Sequence[str], cluster: Any
) -> list[dict[str, Any]]:
    """Returns GraphRAG's communities of files, by number.

    Args:
        links: (one end, other end, weight), sorted.
        paths: the ends that are files; the others, folders, only hold the files together.
        cluster: GraphRAG's section `cluster_graph`.

    Returns:
        GraphRAG's columns; `entity_ids` are paths, sorted. A community of a single file is none.
    """
    import pandas as pd
    from graphrag.index.workflows.create_communities import create_communities

    if not links:
        return []
    frame = pd.DataFrame(links, columns=["source", "target", "weight"])
    frame["id"] = frame.index.astype(str)
    frame["text_unit_ids"] = [[] for _ in range(len(frame))]
    out = _Rows()
    points: Any = _Points(sorted(paths))
    table: Any = out
    await create_communities(
        table,
        points,
        frame,
        max_cluster_size=cluster.max_cluster_size,
        use_lcc=cluster.use_lcc,
        seed=cluster.seed,
    )
    rows = sorted(out.rows, key=lambda row: row["community"])
    for row in rows:
        row["entity_ids"] = sorted(row["entity_ids"])
    return _without_repeats([row for row in rows if len(row["entity_ids"]) > 1])


def _without_repeats(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the communities whose files differ from those of the community around them.

    Folders count as points too, so that a community may only have shed one of those. Numbers and
    levels stay GraphRAG's; `parent` and `children` name communities that are there.
    """
    by_number = {row["community"]: row for row in rows}
    dropped: dict[int, int] = {}
    for row in rows:
        around = by_number.get(row["parent"])
        if around is not None and around["entity_ids"] == row["entity_ids"]:
            dropped[row["community"]] = row["parent"]
    kept = [row for row in rows if row["community"] not in dropped]
    children: dict[int, list[int]] = {}
    for row in kept:
        while row["parent"] in dropped:
            row["parent"] = dropped[row["parent"]]
        children.setdefault(row["parent"], []).append(row["community"])
    for row in kept:
        row["children"] = sorted(children.get(row["community"], ()))
    return kept


def members_of(rows: Sequence[Mapping[str, Any]]) -> dict[int, dict[str, int]]:
    """Returns, for each level, the community of each file: that of the level or the last above."""
    found: dict[int, dict[str, int]] = {}
    last: dict[str, int] = {}
    for level in sorted({row["level"] for row in rows}):
        last = dict(last)
        for row in rows:
            if row["level"] == level:
                last |= dict.fromkeys(row["entity_ids"], row["community"])
        found[level] = last
    return found
